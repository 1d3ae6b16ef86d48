import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { BROWSER } from '../support/chromium.js';
import { dashboardScene, type DashboardScene, type Desk } from '../support/dashboard-scene.js';

const AXE = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');
const RENDERING_MS = 60_000;
const PAGES = ['#/developers', '#/developers/webhooks', '#/developers/requests', '#/team'];
const NAMES = ['ERP bridge', '<script>alert(1)</script>', 'مفتاح المستودع (1)', 'Long'.repeat(50)];
const describeInBrowser = BROWSER ? describe : describe.skip;

describeInBrowser('keys, webhooks and people in the dashboard', () => {
  let scene: DashboardScene;
  let keeper: { cookie: string; host: string; 'x-dashboard': string };

  const sql = (text: string, ...values: unknown[]) => scene.api.database.query(text, values);

  async function send<T>(url: string, payload: object): Promise<T> {
    const { statusCode, body } = await scene.api.inject({ method: 'POST', url, headers: keeper, payload });
    expect([statusCode, body]).toEqual([201, expect.any(String)]);
    return (JSON.parse(body) as { data: T }).data;
  }

  const aKey = (name: string, scope: readonly string[] = ['orders']) =>
    send<{ id: string; key: string }>('/v1/keys', { name, scope });

  /** A webhook whose receiver refuses connections, which has paused it. */
  async function aFailedWebhook(name = 'ERP'): Promise<void> {
    const { id } = await send<{ id: string }>('/v1/webhooks', { name, url: 'https://erp.example.com/hooks' });
    await sql(
      `INSERT INTO webhook_deliveries SELECT store_id, id, 1, 'msg_1', 'orders.changed', now(), 'connect', NULL, 19, 'ECONNREFUSED'
       FROM webhooks WHERE id = $1`,
      id,
    );
    await sql(`UPDATE webhooks SET state = 'paused', reason = 'failing', failures = 9, attempts = 1 WHERE id = $1`, id);
  }

  beforeAll(async () => {
    scene = await dashboardScene();
    const { secret } = await scene.api.store.session('owner');
    keeper = { host: 'localhost', 'x-dashboard': 'live', cookie: `store-live=${secret}` };
    for (const name of NAMES) {
      const { id } = await aKey(name, ['orders', 'stock', 'fulfillment', 'payments']);
      await sql(
        `WITH used AS (
           INSERT INTO api_key_usage SELECT store_id, id, (now() AT TIME ZONE 'UTC')::date, 18204, 0 FROM api_keys WHERE id = $1
           RETURNING store_id, key_id, day
         ), refused AS (
           INSERT INTO api_key_refusals SELECT store_id, key_id, day, unnest(ARRAY['out_of_stock', 'insufficient_scope']), 41 FROM used
         )
         UPDATE api_keys SET last_used_at = now() WHERE id = $1`,
        id,
      );
      await send('/v1/people', { name, email: `p${NAMES.indexOf(name)}@example.com`, role: 'support' });
    }
    await aFailedWebhook();
  }, RENDERING_MS);
  afterAll(() => scene?.stop());

  const render = (title: string, test: () => Promise<void>) => it(title, test, RENDERING_MS);
  const shot = async ({ page }: Desk, name: string) => {
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}-${name}.png` });
  };
  const faultsOf = async ({ page }: Desk): Promise<unknown[]> => {
    await page.evaluate(AXE);
    const faults = await page.evaluate<string[]>(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id} ${nodes[0].target}`))',
    );
    const overhang = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    return overhang > 0 ? [...faults, `${overhang} px too wide`] : faults;
  };

  describe.each([
    { device: 'desktop', viewport: { width: 1280, height: 860 }, colorScheme: 'light' },
    { device: 'dark', viewport: { width: 1280, height: 860 }, colorScheme: 'dark' },
    { device: 'phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  ] as const)('on $device', ({ device, ...options }) => {
    render('have no fault that axe finds, also in dialogs, and fit the width', async () => {
      const desk = await scene.desk('owner', options);
      const check = async (name: string) => {
        await shot(desk, `${device}-${name}`);
        expect([name, await faultsOf(desk)]).toEqual([name, []]);
      };
      for (const address of PAGES) {
        await desk.open(address);
        await check(address.replace(/\W+/g, ''));
        const ask = desk.page.locator('.head').getByRole('button', { name: '…' });
        if (await ask.count()) {
          await ask.click();
          await check(`${address.replace(/\W+/g, '')}-new`);
          await desk.page.keyboard.press('Escape');
        }
      }
      expect(desk.trouble).toEqual([]);
      await desk.page.context().close();
    });
  });

  render('task 10: gives the ERP a key that can ship, and copies it, by the keyboard', async () => {
    const desk = await scene.desk('owner', { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = desk;
    await desk.open('#/');
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.getByRole('button', { name: 'New key…' }).press('Enter');
    await page.locator('dialog input:focus').waitFor();
    await page.keyboard.type('Shipping robot');
    await page.getByRole('button', { name: 'Create' }).press('Enter');
    expect(await page.getByText('svc_live_').count()).toBe(0);
    await page.getByLabel('ship, cancel, release').press('Space');
    await page.getByRole('button', { name: 'Create' }).press('Enter');

    await page.getByRole('heading', { name: 'The new key' }).waitFor();
    await shot(desk, 'desktop-secret');
    expect(await faultsOf(desk)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    const key = await page.evaluate<string>('navigator.clipboard.readText()');
    const { body } = await scene.api.inject({ url: '/v1/key', headers: { authorization: `Bearer ${key}` } });
    expect(JSON.parse(body)).toMatchObject({ data: { name: 'Shipping robot', scope: ['read', 'fulfillment'] } });
    await page.getByRole('button', { name: 'I have stored it' }).press('Enter');
    expect(await page.getByText(key).count()).toBe(0);
    await page.getByRole('row', { name: /Shipping robot/ }).waitFor();
    expect(desk.trouble).toEqual([]);
    await page.context().close();
  });

  render('task 11: revokes a leaked key, by the keyboard', async () => {
    const { id, key } = await aKey('Leaked');
    await sql(`INSERT INTO api_key_usage SELECT store_id, id, now(), 18204, 0 FROM api_keys WHERE id = $1`, id);
    await sql('UPDATE api_keys SET last_used_at = now() WHERE id = $1', id);
    const desk = await scene.desk('owner');
    const { page } = desk;
    await desk.open('#/developers');
    const row = page.getByRole('row', { name: /Leaked/ });
    await row.getByRole('button', { name: 'Revoke…' }).press('Enter');
    await page.getByText(/made 18,204 requests this week/).waitFor();
    await shot(desk, 'desktop-revoke');
    await page.getByRole('button', { name: 'Revoke', exact: true }).press('Enter');

    await page.getByText('is revoked.').waitFor();
    const { statusCode } = await scene.api.inject({ url: '/v1/key', headers: { authorization: `Bearer ${key}` } });
    expect(statusCode).toBe(403);
    await page.context().close();
  });

  render('task 12: says why the webhook fails, and goes on, by the keyboard', async () => {
    const desk = await scene.desk('manager');
    const { page } = desk;
    await desk.open('#/');
    await page.getByRole('link', { name: /Look: 1 webhook/ }).press('Enter');
    await page.getByText('Paused. Nothing listens at this host and port.').waitFor();
    await page.getByRole('button', { name: 'Test', exact: true }).press('Enter');
    await page.getByText('A message without a change is sent.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).press('Enter');

    await page.getByText('delivering', { exact: true }).waitFor();
    expect(desk.trouble).toEqual([]);
    await page.context().close();
  });

  render('shows refused requests, and what to do about them', async () => {
    const desk = await scene.desk('developer');
    await desk.open('#/developers/requests');

    const row = desk.page.getByRole('row', { name: /insufficient_scope ERP bridge 41/ });
    expect(await row.textContent()).toContain('The key may not do this. Make one that may.');
    await desk.page.context().close();
  });

  render('asks for a fresh sign-in over the filled form, which is then sent', async () => {
    const desk = await scene.desk('owner');
    const { page } = desk;
    const setAge = (hours: number) =>
      sql(`UPDATE api_keys SET created_at = now() - make_interval(hours => $1) WHERE person_id IS NOT NULL`, hours);
    await page.route(/\/dashboard\/(sign-in|session)/, async (route) => {
      if (route.request().url().endsWith('/session')) await setAge(0);
      await route.fulfill({ json: { success: true, data: { private: true, code: true, oidc: false } } });
    });
    await setAge(2);
    await desk.open('#/team');
    await page.getByRole('button', { name: 'Add a person…' }).press('Enter');
    await page.locator('dialog input:focus').waitFor();
    await page.keyboard.type('Grace Hopper');
    await page.getByLabel('E-mail').fill('grace@example.com');
    await page.getByLabel('viewer').press('Space');
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');

    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    await shot(desk, 'desktop-again');
    expect(await faultsOf(desk)).toEqual([]);
    await page.getByRole('button', { name: 'Send me a code' }).press('Enter');
    await page.getByLabel('Code').fill('K7QM2XRD');
    await page.keyboard.press('Enter');
    await page.getByText('You are signed in again.').waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');
    await page.getByRole('row', { name: /Grace Hopper/ }).waitFor();
    await page.context().close();
  });

  render('shows where a person is signed in, and why the last owner stays', async () => {
    const desk = await scene.desk('owner');
    const { page } = desk;
    await sql(
      `UPDATE people SET role = 'viewer' WHERE id <>
       (SELECT person_id FROM api_keys WHERE person_id IS NOT NULL AND mode = 'live' ORDER BY created_at DESC LIMIT 1)`,
    );
    await desk.open('#/team');
    const row = page.getByRole('row', { name: /\(you\)/ });
    await row.getByText('Sessions').press('Enter');
    await row.getByText('(this one)').waitFor();
    await shot(desk, 'desktop-sessions');
    await row.getByRole('button', { name: 'Remove…' }).press('Enter');
    await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter');

    expect(await page.getByRole('alert').textContent()).toMatch(/owner/);
    await shot(desk, 'desktop-last-owner');
    await page.context().close();
  });
});
