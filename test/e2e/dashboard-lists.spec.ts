import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { eventually } from '../support/eventually.js';
import { dashboardScene, describeInBrowser, type DashboardScene } from '../support/dashboard-scene.js';

const MANY = 130;
/** The zone of the store. On 27 September 2026 its clocks go from 02:00 to 03:00; the browser is a day behind it. */
const ZONE = 'Pacific/Auckland';
const ELSEWHERE = { timezoneId: 'America/Los_Angeles' };

describeInBrowser('the lists of the dashboard', () => {
  let scene: DashboardScene;

  beforeAll(async () => {
    scene = await dashboardScene();
    const { database, store } = scene.api;
    await database.query('UPDATE stores SET time_zone = $2 WHERE id = $1', [store.id, ZONE]);
  });
  afterAll(() => scene?.stop());

  it('show the newest of many notes of an order, why it is held, and on request all of them', async () => {
    const { store, database } = scene.api;
    const HELD = { status: 'PENDING', fulfillment_status: 'PENDING', held_reasons: ['manual'] };
    const order_id = await store.order({ receipt_number: 'WEB-130', ...HELD });
    const actor = { order_id, actor_type: 'person', actor_name: 'Ada' };
    await database.query(
      `INSERT INTO order_events (store_id, order_id, actor_type, event, details)
       SELECT $1, $2, 'person', 'noted', jsonb_build_object('text', format('Note number %s.', n))
       FROM generate_series(1, 250) AS n`,
      [store.id, order_id],
    );
    await store.row('order_events', { ...actor, event: 'held', details: { reason: 'The address is odd' } });
    const { page, open } = await scene.desk('viewer');
    await open('#/orders/WEB-130');

    await page.getByText('Under review: The address is odd.').waitFor();
    const entries = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
    expect(await entries.nth(1).textContent()).toContain('Note number 250.');
    expect(await entries.count()).toBe(152);
    await page.getByRole('button', { name: 'Show 100 of 100 older events' }).click();
    await page.getByText('Note number 1.').waitFor();
    expect(await entries.count()).toBe(252);
    await page.context().close();
  });

  it('reach every order of a customer, every bin of a product, every category and every person', async () => {
    const { store, database } = scene.api;
    const customer_id = await store.customer({ name: 'Ada Byron' });
    await store.order({ customer_id, created_at: '2020-01-01T00:00:00Z', receipt_number: 'POS-FIRST' });
    const product = await store.product({ name: 'Tarp', stock: 1 });
    const values = [store.id, MANY];
    await database.query(
      `INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
         amount, total_amount, customer_name, customer_id, created_at)
       SELECT $1, gen_random_uuid(), 'POS-ADA-' || n, 'POS', 'SUCCEEDED', 'DELIVERED', 'CASH', 'USD', 1, 1, 'Ada', $3, now()
       FROM generate_series(1, $2) AS n`,
      [...values, customer_id],
    );
    await database.query(
      `WITH made AS (
         INSERT INTO bins (store_id, warehouse_id, code)
         SELECT $1, (SELECT min(id) FROM warehouses WHERE store_id = $1), 'MANY-' || n FROM generate_series(2, $2) AS n
         RETURNING id
       )
       INSERT INTO stock (store_id, bin_id, product_id, quantity) SELECT $1, id, $3, 1 FROM made`,
      [...values, product],
    );
    await database.query(
      `INSERT INTO categories (store_id, slug, name) SELECT $1, 'shelf-' || n, 'Shelf ' || n FROM generate_series(1, $2) AS n`,
      values,
    );
    await database.query(
      `INSERT INTO people (store_id, id, email, name, role, invite_due)
       SELECT $1, gen_random_uuid(), n || '@many.example', 'Member ' || n, 'viewer', false FROM generate_series(1, $2) AS n`,
      values,
    );
    const { page, open, faults } = await scene.desk('owner');

    await open(`#/customers/${customer_id}`);
    await page.getByText(`of ${MANY + 1} orders`).waitFor();
    for (const next of ['51–100', '101–131']) {
      await page.getByRole('link', { name: 'Next' }).click();
      await page.getByText(`${next} of ${MANY + 1} orders`).waitFor();
    }
    await page.getByRole('link', { name: 'POS-FIRST' }).waitFor();
    expect(await faults()).toEqual([]);

    await open(`#/products/${product}`);
    const bins = page.getByRole('region', { name: 'Bins table' }).getByRole('row');
    await bins.nth(MANY).waitFor();
    expect(await bins.count()).toBe(MANY + 1);

    await open('#/products');
    const option = page.getByLabel('Category').getByRole('option', { name: `Shelf ${MANY}`, exact: true });
    await option.waitFor({ state: 'attached' });

    await open('#/team');
    await page.getByRole('row', { name: `Member ${MANY} ` }).waitFor();
    await page.context().close();
  });

  it('show in the audit who changed what, by action, actor and day, and only to owners and managers', async () => {
    const { store, database } = scene.api;
    const entry = (number: number, action: string, actor: string, at: string) =>
      database.query(
        `INSERT INTO audit_events (store_id, id, at, actor_type, actor_id, actor_name, address, action, subject_kind, subject_id,
           subject_name, changes)
         SELECT $1, gen_random_uuid(), $4::timestamptz + n * interval '1 second', 'person', $3, $3, '192.0.2.7', $2, 'price_list', 'R',
           'Resellers', '{"name": ["Old", "Resellers"]}' FROM generate_series(1, $5) AS n`,
        [store.id, action, actor, at, number],
      );
    await entry(60, 'price_list.changed', 'Ada', '2020-02-01T12:00:00Z');
    await entry(1, 'price_list.deleted', 'Ben', '2020-02-03T12:00:00Z');
    const { page, open, settled, faults } = await scene.desk('manager');
    await open('#/audit?search=R');
    const rows = page.getByRole('row', { name: /Resellers/ });
    const count = async (expected: number) => {
      await settled();
      await eventually(async () => expect(await rows.count()).toBe(expected));
    };

    await count(50);
    expect(await rows.first().innerText()).toMatch(
      /Ben[^]*192\.0\.2\.7[^]*Price list deleted[^]*name: Old → Resellers/,
    );
    expect(await faults()).toEqual([]);
    await page.getByRole('link', { name: 'Next' }).click();
    await count(11);
    await page.getByRole('link', { name: 'Ada' }).first().click();
    await count(50);
    await page.getByLabel('Action').selectOption('price_list.deleted');
    await count(0);
    await page.getByRole('link', { name: 'Show all actors' }).click();
    await count(1);
    await page.getByLabel('Changed until').fill('2020-02-02');
    await count(0);
    await page.context().close();

    const other = await scene.desk('developer');
    await other.open('#/audit');
    await other.page.getByRole('heading', { name: 'Not permitted' }).waitFor();
    expect(await other.page.getByRole('link', { name: 'Audit' }).count()).toBe(0);
    await other.page.context().close();
  });

  it('lead from the home page to what is to be paid, with the due date of what is overdue', async () => {
    const { store } = scene.api;
    const past = { created_at: '2020-02-01T12:00:00Z', due_at: '2020-03-02T12:00:00Z' };
    const unpaid = { status: 'PENDING', balance: 1000 };
    await store.order({ receipt_number: 'DUE-PAST', ...unpaid, ...past });
    await store.order({ receipt_number: 'DUE-LATER', ...unpaid, due_at: '9999-03-01T12:00:00Z' });
    await store.order({ receipt_number: 'DUE-NEVER', ...unpaid });
    await store.order({ receipt_number: 'DUE-PAID', ...past });
    const { page, open, settled } = await scene.desk('viewer');
    await open('#/');
    const region = page.getByRole('region', { name: 'Needs attention' });

    await region.getByRole('link', { name: '3 awaiting payment' }).click();
    await page.locator('.views [aria-current]', { hasText: 'Awaiting payment' }).waitFor();
    await settled();
    const rows = page.getByRole('row', { name: /DUE-/ });
    expect(await rows.count()).toBe(3);
    expect(await rows.filter({ hasText: /due [A-Z]/ }).allTextContents()).toEqual([
      expect.stringMatching(/^DUE-PAST.*due Mar 3, 2020, 01:00/),
    ]);
    await open('#/');
    await region.getByRole('link', { name: '1 overdue' }).click();
    await page.locator('.views [aria-current]', { hasText: 'Overdue' }).waitFor();
    await settled();
    expect(await rows.locator('a').allTextContents()).toEqual(['DUE-PAST']);
    await rows.locator('a').click();
    await page.getByRole('region', { name: 'Payment' }).getByText('Mar 3, 2020, 01:00').waitFor();
    await page.context().close();
  });

  it('take a day for one of the store, also where its clocks change and the browser is elsewhere', async () => {
    const { store } = scene.api;
    for (const [receipt_number, created_at] of [
      ['DAY-BEFORE', '2026-09-26T11:59:59.999Z'],
      ['DAY-FIRST', '2026-09-26T12:00:00.000Z'],
      ['DAY-LAST', '2026-09-27T10:59:59.999Z'],
      ['DAY-AFTER', '2026-09-27T11:00:00.000Z'],
    ] as const)
      await store.order({ receipt_number, created_at });
    const { page, open } = await scene.desk('viewer', ELSEWHERE);
    await open('#/orders?queue=all&from=2026-09-27&until=2026-09-27');

    const rows = page.getByRole('row', { name: /DAY-/ });
    expect(await rows.locator('a').allTextContents()).toEqual(['DAY-LAST', 'DAY-FIRST']);
    expect(await rows.locator('time').allTextContents()).toEqual(['Sep 27, 23:59', 'Sep 27, 00:00']);
    expect(await page.getByRole('contentinfo').textContent()).toBe(`Time zone: ${ZONE}`);
    await page.context().close();
  });

  it.each([
    '#/orders?queue=all&from=abc',
    '#/orders?queue=all&from=2026-02-30&until=9999-12-31',
    '#/orders?queue=all&page=abc',
    '#/orders?queue=all&page=-1',
    '#/orders?queue=all&page=1e400',
    '#/stock?page=1.5',
    '#/products?page=abc&category=abc',
    '#/customers?page=0',
  ])('show their rows at the address %s, which is not one of theirs', async (address) => {
    const { page, open, trouble } = await scene.desk('owner');
    await open(address);

    const rows = address.includes('category=abc') ? page.getByText('No matching products.') : page.locator('tbody tr');
    await rows.first().waitFor();
    expect(await page.getByRole('main').textContent()).not.toMatch(/NaN|Infinity|undefined|-\d+–/);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('keep their filters and their page for the way back from a row', async () => {
    const { page, open } = await scene.desk('viewer');
    for (const [address, name] of [
      ['#/orders?queue=all&source=WEBSITE&page=2', 'Orders'],
      ['#/products?stock=1', 'Products'],
      ['#/customers?search=a', 'Customers'],
    ] as const) {
      await open(address);
      await page.locator('tbody a').first().click();
      await page.locator('a.back', { hasText: name }).click();
      await page.getByRole('heading', { name, exact: true }).waitFor();
      expect(new URL(page.url()).hash).toBe(address);
    }
    await page.context().close();
  });

  it('label the units as ordered, because they include cancelled orders and cancelled units', async () => {
    const { page, open } = await scene.desk('viewer');
    await open('#/');
    const names = await page.locator('.figures dt').allTextContents();

    expect(names).toEqual(['Orders', 'Order value', 'Units ordered', 'Cancelled', 'Refunded']);
    await page.getByText('including cancelled orders and units').waitFor();
    await page.context().close();
  });

  it('show the way back at the row that was opened', async () => {
    const { page, open } = await scene.desk('viewer');
    await open('#/orders?queue=all');
    for (const back of [() => page.goBack(), () => page.locator('a.back').click()]) {
      const row = page.locator('tbody a').nth(35);
      const name = await row.innerText();
      await row.click();
      await page.getByRole('heading', { name }).waitFor();
      await back();
      await page.locator('tbody a:focus', { hasText: name }).waitFor();
      expect(await page.evaluate<number>('scrollY')).toBeGreaterThan(500);
    }
    await page.context().close();
  });

  it('show the last page for a later one, one word for orders to ship, and what to do first', async () => {
    const { store } = scene.api;
    await store.order({ receipt_number: 'WEB-CONFIRMED', fulfillment_status: 'CONFIRMED', status: 'PENDING' });
    const { page, open } = await scene.desk('manager');
    await open('#/orders?queue=all&page=999');
    await page.locator('tbody tr').first().waitFor();
    expect(page.url()).not.toContain('999');
    expect(await page.locator('.pages').innerText()).toMatch(/^\d+1–(\d+) of \1 orders/);
    await open('#/orders?queue=all&search=WEB-CONFIRMED');
    await page.locator('.badge', { hasText: 'to ship' }).waitFor();

    await page.route('**/v1/products?*', (route) =>
      route.fulfill({ json: { success: true, data: [], pagination: { total: 0, page: 1, limit: 50 } } }),
    );
    await open('#/products');
    await page.getByRole('link', { name: 'Import a file of products' }).waitFor();
    await page.context().close();
  });

  it('keep the orders that were chosen on another page', async () => {
    const { page, open, settled } = await scene.desk('warehouse');
    await open('#/orders?queue=all');
    await page.locator('tbody [type=checkbox]').first().check();
    await page.getByRole('link', { name: 'Next' }).click();
    await settled();
    await page.locator('tbody [type=checkbox]').first().check();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Ship…' }).click();
    expect(await page.getByRole('dialog').getByPlaceholder('Tracking').count()).toBe(2);
    await page.context().close();
  });

  it('make one step of the history of a typed search, and leave another address alone', async () => {
    const { page, open, settled } = await scene.desk('viewer');
    await open('#/orders?queue=all');
    const search = page.getByLabel('Search', { exact: true });
    for (const part of ['A', 'd', 'a']) {
      await search.pressSequentially(part);
      await page.waitForURL(/search=A/);
      await settled();
    }
    await page.waitForURL(/search=Ada$/);
    await search.press('Enter');
    await page.goBack();
    await page.waitForURL(/queue=all$/);

    await search.pressSequentially('Ad');
    await page.evaluate(`location.hash = '#/stock'`);
    await page.getByRole('heading', { name: 'Stock' }).waitFor();
    await page.getByRole('region', { name: 'Stock rows' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/stock');
    await page.context().close();
  });

  it('download all rows of a list with its filters', async () => {
    const { store } = scene.api;
    for (let n = 1; n <= 60; n++) await store.customer({ name: `Taken ${n}` });
    const { page, open, faults } = await scene.desk('viewer');
    await open('#/customers?search=Taken&page=2');
    await page.getByText('51–60 of 60 customers').waitFor();

    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const download = await downloading;

    expect(download.suggestedFilename()).toBe('customers.csv');
    const rows = parse(readFileSync(await download.path()), { bom: true, columns: true });
    expect(rows).toHaveLength(60);
    expect(rows).toContainEqual(expect.objectContaining({ name: 'Taken 1' }));
    expect(await faults()).toEqual([]);
    await page.context().close();
  });
});
