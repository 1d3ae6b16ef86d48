import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { anOrderBody } from '../builders/order-body.js';
import { BROWSER } from '../support/chromium.js';
import { dashboardScene, type DashboardScene, type Desk } from '../support/dashboard-scene.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const PAGES = [
  '#/',
  '#/orders',
  '#/orders?queue=all',
  '#/stock',
  '#/products',
  '#/customers',
  '#/developers',
  '#/team',
];
const LIMIT_BYTES = 60_000;

describe('the files of the dashboard', () => {
  let api: RunningApi;
  let names: string[];
  beforeAll(async () => {
    api = await startApi();
    const { body } = await api.inject({ url: '/dashboard/' });
    names = [...body.matchAll(/(?:href|src)="\.\/([^"]+)"/g)].map(([, name = '']) => name);
  });
  afterAll(() => api.stop());

  it('are a page that is revalidated, and files that are kept for a year', async () => {
    expect(names).toEqual([
      expect.stringMatching(/^style-[0-9a-f]{12}\.css$/),
      expect.stringMatching(/^main-[0-9a-f]{12}\.js$/),
    ]);
    expect((await api.inject({ url: '/dashboard/' })).headers['cache-control']).toBe('no-cache');
    for (const name of names) {
      const { statusCode, headers } = await api.inject({ url: `/dashboard/${name}` });
      expect([statusCode, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
  });

  it('are at most 60 kB, as the build has compressed them', async () => {
    const sizes = await Promise.all(
      ['', ...names].map(async (name) => {
        const plain = await api.inject({ url: `/dashboard/${name}` });
        const [br, gzip] = await Promise.all(
          ['br', 'gzip'].map((coding) =>
            api.inject({ url: `/dashboard/${name}`, headers: { 'accept-encoding': coding } }),
          ),
        );
        expect(brotliDecompressSync(br?.rawPayload ?? '').equals(plain.rawPayload)).toBe(true);
        expect(gunzipSync(gzip?.rawPayload ?? '').equals(plain.rawPayload)).toBe(true);
        return gzip?.rawPayload.length ?? 0;
      }),
    );

    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(LIMIT_BYTES);
  });

  it('have a policy that permits no inline script, no other host and no frame', async () => {
    for (const name of ['', ...names]) {
      const { headers } = await api.inject({ url: `/dashboard/${name}` });
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'; trusted-types 'none'",
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      });
    }
  });

  it.each([
    '/dashboard/main-000000000000.js',
    '/dashboard/orders',
    '/dashboard/index.html.br',
    '/dashboard/../package.json',
  ])('do not include %s, which is never answered with the page', async (url) => {
    const { statusCode, headers } = await api.inject({ url });

    expect([statusCode, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
  });

  it('are absent with DASHBOARD=off, as is the sign-in, when a browser is sent to the documentation', async () => {
    const client = { OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'x' };
    const provider = { PUBLIC_URL: 'http://localhost', OIDC_ISSUER: 'http://127.0.0.1', ...client };
    const off = await startApi({ DASHBOARD: 'off', ...provider });
    try {
      const urls = ['/dashboard/', '/dashboard/sign-in', '/dashboard/oidc/start', '/dashboard/oidc/callback'];
      for (const url of urls) expect([url, (await off.inject({ url })).statusCode]).toEqual([url, 404]);
      for (const url of ['sign-in/code', 'sign-in/link', 'session'].map((each) => `/dashboard/${each}`)) {
        const { statusCode } = await off.inject({ method: 'POST', url, payload: {} });
        expect([url, statusCode]).toEqual([url, 404]);
      }
      const { statusCode } = await off.inject({ method: 'DELETE', url: '/dashboard/session' });
      expect(statusCode).toBe(404);
      const { headers } = await off.inject({ url: '/', headers: { accept: 'text/html' } });
      expect(headers.location).toBe('/docs');
    } finally {
      await off.stop();
    }
  });
});

const AXE = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');
const RENDERING_MS = 60_000;
const describeInBrowser = BROWSER ? describe : describe.skip;

if (!BROWSER) process.stderr.write('The dashboard is not tested: no Chromium here; name one with CHROMIUM.\n');

describeInBrowser('the dashboard in a browser', () => {
  let scene: DashboardScene;
  let order: string;

  const placeOrder = async (name: string) => {
    const customer = { name, email: 'ada@example.com' };
    return scene.api.place(anOrderBody(scene.product, 2, { customer }));
  };

  beforeAll(async () => {
    scene = await dashboardScene();
    order = (await placeOrder('Ada Lovelace')).receipt_number;
  }, RENDERING_MS);
  afterAll(() => scene?.stop());

  const render = (title: string, test: () => Promise<void>) => it(title, test, RENDERING_MS);

  /** What axe finds, each with its first element. Run apart from the page, which permits no script but its own. */
  const faultsOf = async ({ page }: Desk): Promise<string[]> => {
    await page.evaluate(AXE);
    return page.evaluate<string[]>(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id} ${nodes[0].target}`))',
    );
  };
  const overhangOf = ({ page }: Desk) =>
    page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - window.innerWidth)');

  describe.each([
    { device: 'a desktop in the light scheme', viewport: { width: 1280, height: 860 }, colorScheme: 'light' },
    { device: 'a desktop in the dark scheme', viewport: { width: 1280, height: 860 }, colorScheme: 'dark' },
    { device: 'a phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  ] as const)('on $device', ({ device, ...options }) => {
    render('has no fault that axe finds, fits the width, and breaks no rule of its policy', async () => {
      const desk = await scene.desk('owner', options);
      for (const address of [...PAGES, `#/orders/${order}`]) {
        await desk.open(address);
        expect([address, await faultsOf(desk), await overhangOf(desk)]).toEqual([address, [], 0]);
        if (process.env.SHOTS) {
          const name = `${device} ${address.replaceAll(/\W+/g, '-')}`;
          await desk.page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
        }
      }
      expect(desk.trouble).toEqual([]);
      await desk.page.context().close();
    });
  });

  render('finds an order and ships a part of it by the keyboard', async () => {
    const { receipt_number } = await placeOrder('Grace Hopper');
    const { page, open, trouble } = await scene.desk('warehouse');
    await open('#/');

    await page.keyboard.press('/');
    await page.locator('#search:focus').waitFor();
    await page.keyboard.type(receipt_number);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: receipt_number }).waitFor();
    await page.locator('h1').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: receipt_number }).waitFor();
    await page.getByRole('button', { name: 'Ship…' }).press('Enter');
    await page.keyboard.type('0034043400001');
    await page.getByLabel(/^Units of /).fill('1');
    await page.keyboard.press('Enter');

    await page.getByText('1 shipped').waitFor();
    await page.getByText('SHIP-1 is shipped.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Payment…' }).count()).toBe(0);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  render('shows the words of a refusal in the dialog, and keeps what was typed', async () => {
    const { receipt_number } = await placeOrder('Alan Kay');
    const { page, open } = await scene.desk('manager');
    await open(`#/orders/${receipt_number}`);
    await page.getByRole('button', { name: 'Ship…' }).click();
    await page.getByLabel('Tracking number').fill('0034');

    const hold = await scene.api.post(`/v1/orders/${receipt_number}/hold`, { reason: 'The address is odd' });
    expect(hold.statusCode).toBe(200);
    await page.getByRole('button', { name: 'Ship', exact: true }).click();

    expect(await page.getByRole('alert').textContent()).toMatch(/review/);
    expect(await page.getByLabel('Tracking number').inputValue()).toBe('0034');
    await page.context().close();
  });

  render('announces an order that comes, and shows it when asked', async () => {
    const { page, open } = await scene.desk('viewer');
    await open('#/orders');
    await page.getByText('Live', { exact: true }).waitFor();

    const { receipt_number } = await placeOrder('Barbara Liskov');
    await page.getByRole('button', { name: '1 new order – show' }).click();

    await page.getByRole('link', { name: receipt_number }).waitFor();
    await page.context().close();
  });

  render('asks to sign in again when the session ends, over the page as it is', async () => {
    const { page, open } = await scene.desk('owner');
    await open(`#/orders/${order}`);
    await page.getByLabel('Note').fill('Half a sentence');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Add note' }).click();

    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    expect(await page.getByLabel('Note').inputValue()).toBe('Half a sentence');
    await page.context().close();
  });

  render('shows a page to sign in to a browser without a session', async () => {
    const { page, open } = await scene.desk('owner');
    await page.context().clearCookies();
    await open('#/orders');

    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');
    await page.context().close();
  });
});
