import { anOrderBody } from '../builders/order-body.js';
import { dashboardScene, describeInBrowser, type DashboardScene } from '../support/dashboard-scene.js';

const PAGES = [
  '#/',
  '#/orders',
  '#/orders?queue=all',
  '#/orders/new',
  '#/stock',
  '#/stock/movements',
  '#/products',
  '#/products/import',
  '#/prices',
  '#/customers',
  '#/developers',
  '#/developers/webhooks',
  '#/developers/requests',
  '#/team',
  '#/settings',
  '#/audit',
  '#/nowhere',
  '#/orders/%',
];
/** Selects buttons of dialogs: those of the page, of the first row, and of cards. */
const ASKS = ':is(.head, tbody tr:first-child, aside, .inset) [aria-haspopup]:enabled';
/** A text with right-to-left letters, markup, and a word that is wider than a phone. */
const NAUGHTY = `\u202Eعربي <script>alert(1)</script> ${'Donaudampfschiff'.repeat(8)}`;
const NAMES = ['ERP bridge', '<script>alert(1)</script>', 'مفتاح المستودع (1)', 'Long'.repeat(50)];

describeInBrowser('the pages of the dashboard', () => {
  let scene: DashboardScene;
  let others: string[];

  beforeAll(async () => {
    scene = await dashboardScene();
    const { store, database } = scene.api;
    const { secret } = await store.session('owner');
    const headers = { host: 'localhost', 'x-dashboard': 'live', cookie: `store-live=${secret}` };
    const send = async (url: string, payload: object) => {
      const { statusCode, body } = await scene.api.inject({ method: 'POST', url, headers, payload });
      expect([statusCode, body]).toEqual([201, expect.any(String)]);
      return (JSON.parse(body) as { data: { id: string } }).data.id;
    };
    for (const [n, name] of NAMES.entries()) {
      const id = await send('/v1/keys', { name, scope: ['orders', 'stock', 'fulfillment', 'payments'] });
      await database.query(
        `WITH used AS (
           INSERT INTO api_key_usage SELECT store_id, id, (now() AT TIME ZONE 'UTC')::date, 18204, 0 FROM api_keys WHERE id = $1
           RETURNING store_id, key_id, day
         )
         INSERT INTO api_key_refusals SELECT store_id, key_id, day, unnest(ARRAY['out_of_stock', 'insufficient_scope']), 41 FROM used`,
        [id],
      );
      await send('/v1/people', { name, email: `p${n}@example.com`, role: 'support' });
    }
    const hook = await send('/v1/webhooks', { name: 'ERP', url: 'https://erp.example.com/hooks' });
    await database.query(
      `WITH delivery AS (
         INSERT INTO webhook_deliveries SELECT store_id, id, 1, 'msg_1', 'orders.changed', now(), 'connect', NULL, 19, 'ECONNREFUSED'
         FROM webhooks WHERE id = $1
       )
       UPDATE webhooks SET state = 'paused', reason = 'failing', failures = 9, attempts = 1 WHERE id = $1`,
      [hook],
    );
    const product = await store.product({ name: NAUGHTY, sku: 'W'.repeat(60), stock: 3 });
    await store.variant(product, { name: NAUGHTY });
    const customer = await store.customer({ name: NAUGHTY, email: `${'a'.repeat(60)}@example.com` });
    const order = await scene.api.place(anOrderBody(scene.product, 2, { customer: { name: NAUGHTY } }));
    const list = await store.priceList({ code: 'L'.repeat(64), name: NAUGHTY, groups: ['مجموعة', 'Long'.repeat(16)] });
    for (const from of [1, 12]) await store.listPrice(list, { productId: product, from, price: 1000 });
    const [priced, of] = [`#/prices/${list}`, `#/customers/${customer}`];
    others = [`#/orders/${order.receipt_number}`, `#/products/${product}`, priced, of];
  });
  afterAll(() => scene?.stop());

  it.each([
    { device: 'a desktop in the light scheme', viewport: { width: 1280, height: 860 }, colorScheme: 'light' },
    { device: 'a desktop in the dark scheme', viewport: { width: 1280, height: 860 }, colorScheme: 'dark' },
    { device: 'a phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
    { device: 'a desktop zoomed to 200 %', viewport: { width: 640, height: 430 }, colorScheme: 'light' },
    { device: 'a wide desktop', viewport: { width: 1920, height: 1080 }, colorScheme: 'light' },
  ] as const)(
    'have no fault that axe finds, fit the width, and break no rule of their policy, with their dialogs, on $device',
    async ({ device, ...options }) => {
      const { page, open, faults, trouble } = await scene.desk('owner', options);
      for (const address of [...PAGES, ...others]) {
        await open(address);
        const check = async (what: string) => {
          if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${device}${what}.png` });
          expect([what, await faults()]).toEqual([what, []]);
        };
        await check(address.replaceAll(/\W+/g, '-'));
        for (const ask of await page.locator(ASKS).all()) {
          const label = await ask.innerText();
          await ask.click();
          await page.locator('dialog[open]').waitFor();
          await check(`${address.replaceAll(/\W+/g, '-')} ${label}`);
          await page.keyboard.press('Escape');
        }
      }
      expect(trouble).toEqual([]);
      await page.context().close();
    },
    180_000,
  );

  it('show the heading below the bar after a link is followed, also zoomed to 200 %', async () => {
    const { page, open } = await scene.desk('viewer', { viewport: { width: 640, height: 400 } });
    await open('#/orders?queue=all');
    await page.locator('tbody a').nth(10).click();
    await page.locator('h1:focus').filter({ hasText: '-' }).waitFor();

    const [head, bar] = await Promise.all([page.locator('h1').boundingBox(), page.locator('.top').boundingBox()]);
    expect(head?.y).toBeGreaterThan(bar?.height ?? Infinity);
    await page.locator('.person summary').click();
    await page.getByRole('button', { name: 'Keyboard shortcuts ?' }).click();
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await page.context().close();
  });

  it('show what sells best, and lead from low stock to its SKUs', async () => {
    const { store, place } = scene.api;
    const lamp = await store.product({ name: 'Lamp', sku: 'LAMP', price: 700, stock: 30, columns: { low_stock: 9 } });
    await place(anOrderBody(lamp, 22));
    const { page, open } = await scene.desk('viewer');
    await open('#/');
    const best = page.getByRole('region', { name: 'Best sellers table' });

    expect(await best.locator('tbody tr').first().innerText()).toMatch(/^Lamp\s+LAMP\s+22\s+\$154.00\s+0$/);
    await page.getByLabel('Period').selectOption('month');
    await best.getByRole('link', { name: 'Lamp' }).click();
    await page.getByRole('heading', { name: 'Lamp' }).waitFor();
    await open('#/');
    await page.getByRole('link', { name: 'View: 1 SKU with low stock' }).click();
    await page.getByRole('heading', { name: 'Stock' }).waitFor();
    await page.getByRole('link', { name: 'LAMP', exact: true }).waitFor();

    expect(await page.getByLabel('Low stock only').isChecked()).toBe(true);
    expect(await page.locator('tbody tr').allInnerTexts()).toEqual([expect.stringContaining('LAMP')]);
    await page.context().close();
  });

  it('show a name from right to left in its direction, on a page from left to right', async () => {
    const name = 'خيام الشمال (1)';
    const customer = await scene.api.store.customer({ name, email: 'tents@example.com' });
    const order = await scene.api.place(anOrderBody(scene.product, 1, { customer: { name } }));
    const { page, open } = await scene.desk('viewer');
    for (const address of ['#/orders', `#/orders/${order.receipt_number}`, '#/customers', `#/customers/${customer}`]) {
      await open(address);
      const lefts = await page.evaluate<number[]>(
        `(() => {
           const { firstChild: text } = [...document.querySelectorAll('main *')].find(
             ({ firstChild }) => firstChild?.data === ${JSON.stringify(name)},
           );
           return [0, text.length - 1].map((at) => {
             const range = document.createRange();
             range.setStart(text, at);
             range.setEnd(text, at + 1);
             return range.getBoundingClientRect().left;
           });
         })()`,
      );
      expect([address, (lefts[1] ?? 0) < (lefts[0] ?? 0)]).toEqual([address, true]);
    }
    await page.context().close();
  });

  it('show on a phone whole date fields, the buttons of a long dialog, and that the navigation goes on', async () => {
    const { page, open } = await scene.desk('owner', { viewport: { width: 390, height: 600 } });
    await open('#/orders?queue=all');
    for (const field of await page.locator('[type=date]').all()) {
      const box = await field.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
    }
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.top nav')).backgroundImage`)).toContain(
      'gradient',
    );
    await open('#/developers');
    await page.getByRole('button', { name: 'New key…' }).click();
    const create = await page.getByRole('button', { name: 'Create' }).boundingBox();
    expect((create?.y ?? 999) + (create?.height ?? 0)).toBeLessThan(600);
    await page.context().close();
  });
});
