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
  '#/stock/movements',
  '#/products',
  '#/products/import',
  '#/customers',
  '#/developers',
  '#/team',
];
const LIMIT_BYTES = 60_000;
/** Right to left, markup, and a word that is wider than a phone. */
const NAUGHTY = `\u202Eعربي <script>alert(1)</script> ${'Donaudampfschiff'.repeat(8)}`;

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
  let others: string[];

  const placeOrder = async (name: string) => {
    const customer = { name, email: 'ada@example.com' };
    return scene.api.place(anOrderBody(scene.product, 2, { customer }));
  };

  beforeAll(async () => {
    scene = await dashboardScene();
    order = (await placeOrder('Ada Lovelace')).receipt_number;
    const { store } = scene.api;
    const product = await store.product({ name: NAUGHTY, sku: 'W'.repeat(60), stock: 3 });
    await store.variant(product, { name: NAUGHTY });
    const customer = await store.customer({ name: NAUGHTY, email: `${'a'.repeat(60)}@example.com` });
    others = [`#/products/${product}`, `#/customers/${customer}`];
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
      for (const address of [...PAGES, `#/orders/${order}`, ...others]) {
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

  render('corrects a quantity of the stock by the keyboard', async () => {
    const sku = 'TENT-7';
    await scene.api.store.product({ name: 'Tent', sku, stock: 20 });
    const { page, open, trouble } = await scene.desk('warehouse');
    await open('#/');

    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.getByRole('heading', { name: 'Stock' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(sku);
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'Tent', exact: true }).waitFor();
    await page.locator('h1').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByLabel('Units').waitFor();
    await page.keyboard.type('-3');
    await page.keyboard.press('Enter');

    await page.getByRole('cell', { name: '17', exact: true }).waitFor();
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  render('does not set a stock that has changed since the person saw it', async () => {
    const product_id = await scene.api.store.product({ name: 'Stove', sku: 'STOVE-7', stock: 20 });
    const { page, open } = await scene.desk('warehouse');
    await open('#/stock?search=STOVE-7');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Set…' }).click();
    await page.getByLabel('Units that can be sold').fill('19');
    await scene.api.place(anOrderBody(product_id));
    await page.getByText('It has 19 now, no longer 20.').waitFor();
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    expect(await page.getByRole('alert').textContent()).toMatch(/20/);

    await page.getByRole('button', { name: 'Seen' }).click();
    await page.getByRole('button', { name: 'Set', exact: true }).click();

    await page.getByText('The stock of STOVE-7 is changed.').waitFor();
    await page.context().close();
  });

  render('receives goods, and enters a count of them', async () => {
    await scene.api.store.product({ name: 'Rope', sku: 'ROPE-7', stock: 1 });
    const { page, open } = await scene.desk('warehouse');
    await open('#/stock?search=ROPE-7');
    await page.getByText('Live', { exact: true }).waitFor();
    for (const [button, verb, lines, after] of [
      ['Receive…', 'Receive', 'ROPE-7\nROPE-7 3', '5'],
      ['Count…', 'Enter', 'ROPE-7;4', '4'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      await page.getByLabel('SKUs and units').fill(lines);
      await page.getByRole('button', { name: verb, exact: true }).click();
      await page.getByRole('cell', { name: after, exact: true }).waitFor();
    }
    await page.context().close();
  });

  render('changes a price and the name of a product by the keyboard', async () => {
    const id = await scene.api.store.product({ name: 'Lamp', price: 1000 });
    const { page, open, trouble } = await scene.desk('manager');
    await open(`#/products/${id}`);
    await page.getByRole('button', { name: 'Price…' }).press('Enter');
    await page.getByLabel('Price (USD)').waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('12.5');
    await page.keyboard.press('Enter');
    await page.getByText('$12.50', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit…' }).press('Enter');
    await page.getByLabel('Name').waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Lantern');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Lantern' }).waitFor();
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  render('imports a file, shows before what it changes, and gives the refused lines back', async () => {
    await scene.api.store.product({ name: 'Kettle', slug: 'kettle', price: 1000 });
    const { page, open, trouble } = await scene.desk('manager');
    await open('#/products/import');
    const lines = [
      { kind: 'product', slug: 'kettle', price: '11.00', store: scene.api.store.subdomain },
      { kind: 'product', slug: 'cup', name: 'Cup', price: '3.00' },
      { kind: 'product', slug: 'bowl', price: '3.00' },
    ].map((line) => JSON.stringify(line));
    const buffer = Buffer.from([...lines, 'no JSON'].join('\n'));
    await page.getByLabel('File').setInputFiles({ name: 'shop.ndjson', mimeType: 'text/plain', buffer });
    await page.getByText('price: 10 → 11.00').waitFor();
    await page.getByRole('button', { name: 'Import 3 lines' }).click();
    await page.getByText('Result: 1 updated, 1 created, 2 refused').waitFor();

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download refused lines' }).click(),
    ]);
    expect(readFileSync(await file.path(), 'utf8')).toBe(`no JSON\n${lines[2]}\n`);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  render('gives the data of a customer to an owner, and erases them', async () => {
    const id = await scene.api.store.customer({ name: 'Edsger Dijkstra', email: 'edsger@example.com' });
    const { page, open, trouble } = await scene.desk('owner');
    await open(`#/customers/${id}`);
    await page.getByRole('button', { name: 'Export…' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(readFileSync(await file.path(), 'utf8')).toContain('edsger@example.com');
    await page.getByRole('button', { name: 'Erase…' }).click();
    await page.getByRole('button', { name: 'Erase for good' }).click();

    await page.getByRole('heading', { name: 'Erased' }).waitFor();
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  render('asks for a new sign-in before it erases, when the last one is old', async () => {
    const id = await scene.api.store.customer({ name: 'Kurt Gödel', email: 'kurt@example.com' });
    const { page, open } = await scene.desk('owner');
    await scene.api.database.query(
      "UPDATE api_keys SET created_at = now() - interval '2 hours' WHERE person_id IS NOT NULL",
    );
    await open(`#/customers/${id}`);
    await page.getByRole('button', { name: 'Erase…' }).click();
    await page.getByRole('button', { name: 'Erase for good' }).click();

    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
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
