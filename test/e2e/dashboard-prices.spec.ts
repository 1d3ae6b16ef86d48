import type { Page } from 'playwright-core';
import { dashboardScene, describeInBrowser, type DashboardScene } from '../support/dashboard-scene.js';

const MANY = 620;

describeInBrowser('prices for wholesale in the dashboard', () => {
  let scene: DashboardScene;

  beforeAll(async () => (scene = await dashboardScene()));
  afterAll(() => scene?.stop());

  const listed = async (query: string) => {
    const { data } = (await scene.api.get(`/v1/prices?${query}`)).json<{
      data: {
        sku: string;
        price_breaks: { from_quantity: number; price: number }[];
        min_quantity: number | null;
        step: number | null;
      }[];
    }>();
    return data.map(({ sku, price_breaks: breaks, min_quantity, step }) =>
      [sku, ...breaks.map(({ from_quantity, price }) => `${from_quantity}: ${price}`), min_quantity, step].join(' | '),
    );
  };
  const put = async (code: string, body: object) => {
    const headers = { authorization: `Bearer ${scene.api.store.key}` };
    const { statusCode } = await scene.api.inject({
      method: 'PUT',
      url: `/v1/price-lists/${code}`,
      headers,
      payload: body,
    });
    expect(statusCode).toBe(200);
  };
  const paste = async (page: Page, lines: readonly (readonly (string | number)[])[], separator = '\t') => {
    await page.getByLabel('Lines of a spreadsheet').fill(lines.map((line) => line.join(separator)).join('\n'));
    await page.getByRole('button', { name: 'Preview' }).click();
  };
  const shown = async (page: Page) => {
    const rows = page.getByRole('region', { name: 'Pasted lines' }).locator('tbody tr');
    return (await rows.all()).reduce<Promise<string[]>>(async (before, row) => {
      const cells = await row.locator('th, td').allInnerTexts();
      return [...(await before), cells.map((cell) => cell.replaceAll(/\s*\n\s*/g, ', ')).join(' | ')];
    }, Promise.resolve([]));
  };

  it('says of each pasted line what it changes, or why it is refused, and writes nothing before', async () => {
    const { store } = scene.api;
    const tent = await store.product({ name: 'Tent', sku: 'TENT-9', price: 9000 });
    const pole = await store.variant(tent, { sku: 'POLE-9', price: 900 });
    await store.product({ name: 'Peg', sku: 'Peg-9', price: 100 });
    await store.product({ name: 'Twin', sku: 'TWIN-9' });
    await store.product({ name: 'Twin', sku: 'TWIN-9' });
    const list = await store.priceList({ code: 'PREVIEW', name: 'Preview' });
    await store.listPrice(list, { productId: tent, price: 8000 });
    await store.listPrice(list, { productId: tent, from: 10, price: 7500 });
    await store.listPrice(list, { productId: tent, variantId: pole, price: 850 });
    const before = await listed('list=PREVIEW');
    const { page, open, trouble } = await scene.desk('manager');
    await open('#/prices/PREVIEW');
    await paste(page, [
      ['SKU', 'From', 'Price', 'Min', 'Step'],
      ['TENT-9', 1, '79,50', 6, ''],
      ['TENT-9', 10, '-', '', ''],
      ['TENT-9', '50.0', '$1.299,00'],
      ['TENT-9', 1, '78'],
      ['POLE-9', '', '8.50'],
      ['PEG-9', '', '', '', '3'],
      ['peg-9', 12, '0.80', '', '12'],
      ['NONE-9', 1, 5],
      ['TWIN-9', 1, 5],
      ['TENT-9', 70, '1,234'],
      ['TENT-9', '1,5', 5],
      ['TENT-9', 0, 5],
      ['TENT-9'],
      ['A,9', 1, 5],
      ['TENT-9', 80, 5, 6, 6, 'x'],
    ]);
    await page.getByText('Preview: 1 skipped, 1 updated, 1 removed, 2 created, 10 refused, 1 unchanged').waitFor();

    expect(await shown(page)).toEqual([
      'TENT-9, line 5 | Line 2 gives this SKU another price from 1. | refused',
      'PEG-9, line 7 | The list has no price for this SKU. | refused',
      'NONE-9, line 9 | The store does not have this SKU. | refused',
      'TWIN-9, line 10 | Several products have this SKU. | refused',
      'TENT-9, line 11 | Price: “1,234” is ambiguous. Enter 1234 or 1.23. | refused',
      'TENT-9, line 12 | From quantity: “1,5” is not a whole number. Enter digits only. | refused',
      'TENT-9, line 13 | From quantity: “0” is less than 1. | refused',
      'TENT-9, line 14 | The price is missing. Enter - to remove it. | refused',
      'A,9, line 15 | A SKU with a comma cannot be looked up. Import its price. | refused',
      'TENT-9, line 16 | The line has more than 5 columns. | refused',
      'SKU From Price Min Step, line 1 | Heading | skipped',
      'TENT-9, line 2 | price from 1: $80.00 → $79.50, minimum: none → 6, step: none → 1 | updated',
      'TENT-9, line 3 | price from 10: $75.00 → none | removed',
      'TENT-9, line 4 | price from 50: none → $1,299.00 | created',
      'peg-9, line 8 | price from 12: none → $0.80, minimum: none → 1, step: none → 12 | created',
    ]);
    const pasted = page.getByRole('region', { name: 'Pasted lines' });
    await pasted.getByRole('columnheader', { name: 'SKU' }).waitFor();
    expect(await listed('list=PREVIEW')).toEqual(before);
    await page.getByRole('button', { name: 'Write 4 lines' }).click();
    await page.getByText('Result: 1 skipped, 1 updated, 1 removed, 2 created, 10 refused, 1 unchanged').waitFor();
    expect(await listed('list=PREVIEW')).toEqual([
      'TENT-9 | 1: 79.5 | 50: 1299 | 6 | 1',
      'POLE-9 | 1: 8.5 |  | ',
      'Peg-9 | 12: 0.8 | 1 | 12',
    ]);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('shows at its line what was refused, keeps the lines, and writes no correction before its preview', async () => {
    const { store } = scene.api;
    const products = [await store.product({ sku: 'STALE-1' }), await store.product({ sku: 'STALE-2' })];
    const list = await store.priceList({ code: 'STALE', name: 'Stale' });
    for (const productId of products) await store.listPrice(list, { productId, price: 500 });
    const { page, open, faults } = await scene.desk('manager');
    await open('#/prices/STALE');
    await paste(
      page,
      [
        ['STALE-1', 1, '4,80'],
        ['STALE-2', 1, '4,90'],
      ],
      ';',
    );
    await page.getByText('Preview: 2 updated').waitFor();
    await scene.api.database.query('UPDATE list_prices SET price = 450 WHERE product_id = $1', [products[0]]);
    await page.getByRole('button', { name: 'Write 2 lines' }).click();
    await page.getByText('Result: 1 refused, 1 updated').waitFor();

    expect(await shown(page)).toEqual([
      'STALE-1, line 1 | The price is 4.50, not 5.00 | refused',
      'STALE-2, line 2 | price from 1: $5.00 → $4.90 | updated',
    ]);
    expect(await listed('list=STALE')).toEqual(['STALE-1 | 1: 4.5 |  | ', 'STALE-2 | 1: 4.9 |  | ']);
    expect(await faults()).toEqual([]);
    const lines = page.getByLabel('Lines of a spreadsheet');
    expect(await lines.inputValue()).toBe('STALE-1;1;4,80\nSTALE-2;1;4,90');

    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Preview: 1 updated, 1 unchanged').waitFor();
    await lines.fill('STALE-1;1;4,70');
    await page.getByRole('button', { name: /^Write/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('price from 1: $4.50 → $4.70').waitFor();
    await page.getByRole('button', { name: 'Write 1 line' }).click();
    await page.getByText('Result: 1 updated').waitFor();
    expect(await listed('list=STALE&sku=STALE-1')).toEqual(['STALE-1 | 1: 4.7 |  | ']);
    await page.context().close();
  });

  it('writes many lines in batches, goes on after a failure, and shows all of them by page', async () => {
    const { store, database } = scene.api;
    await database.query(
      `INSERT INTO products (store_id, slug, name, sku, price)
       SELECT $1, 'many-' || n, 'Many ' || n, 'MANY-' || n, 1000 FROM generate_series(1, $2) AS n`,
      [store.id, MANY],
    );
    await store.priceList({ code: 'MANY', name: 'Many' });
    const { page, open, trouble } = await scene.desk('manager');
    await open('#/prices/MANY');
    await paste(
      page,
      Array.from({ length: MANY }, (_, n) => [`MANY-${n + 1}`, 1, '9.50']),
    );
    await page.getByText(`Preview: ${MANY} created`).waitFor();
    await page.getByRole('button', { name: 'Show 200 more lines of 420' }).click();
    await page.getByRole('row', { name: /MANY-400 / }).waitFor();
    let posts = 0;
    await page.route('**/v1/prices', (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      return ++posts === 2
        ? route.fulfill({ status: 422, json: { success: false, error: 'Not now' } })
        : route.continue();
    });
    await page.getByRole('button', { name: `Write ${MANY} lines` }).click();
    await page.getByText('Not now').waitFor();
    await page.getByText(`Result: 500 created, 120 pending`).waitFor();
    await page.getByRole('button', { name: 'Write 120 lines' }).click();
    await page.getByText(`Result: ${MANY} created`).waitFor();

    const [stored] = await database.query(
      `SELECT count(*)::int AS prices FROM list_prices WHERE store_id = $1 AND list = 'MANY' AND price = 950`,
      [store.id],
    );
    expect([stored, posts]).toEqual([{ prices: MANY }, 3]);
    const rows = page.getByRole('region', { name: 'Prices', exact: true }).locator('tbody tr');
    const sku = (n: number) => rows.getByRole('link', { name: `MANY-${n}`, exact: true });
    const next = page.getByRole('link', { name: 'Next' });
    for (let first = 51; first <= MANY; first += 50) {
      await next.click();
      await sku(first).waitFor();
    }
    await sku(MANY).waitFor();
    await next.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'First page' }).click();
    await sku(1).waitFor();
    await page.getByLabel('Search', { exact: true }).fill('MANY-577');
    await page.keyboard.press('Enter');
    await sku(577).waitFor();
    expect(await rows.count()).toBe(1);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('makes a price list, changes only what the person changed, and deletes it', async () => {
    const { page, open, settled, trouble } = await scene.desk('manager');
    await open('#/prices');
    await page.getByRole('button', { name: 'New price list…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Code').fill('VIP/1');
    await dialog.getByLabel('Name').fill('Best customers');
    await dialog.getByLabel('Groups of customers').fill('vip\nAcme, Ltd.');
    await dialog.getByLabel('First day').fill('2026-03-02');
    await dialog.getByLabel('Last day').fill('2026-03-01');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Code').fill('VIP');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('must not be before valid_from').first().waitFor();
    expect(await dialog.getByLabel('Last day').getAttribute('aria-invalid')).toBe('true');
    expect(await dialog.getByLabel('Groups of customers').inputValue()).toBe('vip\nAcme, Ltd.');
    await dialog.getByLabel('Last day').fill('2026-03-31');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Best customers' }).waitFor();
    const read = async () => (await scene.api.get('/v1/price-lists/VIP')).json<{ data: object }>().data;
    const terms = { valid_from: '2026-03-02', valid_to: '2026-03-31', customer_groups: ['vip', 'Acme, Ltd.'] };
    expect(await read()).toEqual({ code: 'VIP', name: 'Best customers', currency: 'USD', priority: 0, ...terms });

    await page.getByRole('button', { name: 'Edit…' }).click();
    await dialog.getByLabel('Priority').fill('7');
    await put('VIP', { ...terms, name: 'Best of all', valid_to: null });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Best of all' }).waitFor();
    expect(await read()).toMatchObject({ ...terms, name: 'Best of all', priority: 7, valid_to: null });

    await open('#/prices?group=vip');
    await page.getByRole('row', { name: 'Best of all VIP vip, Acme, Ltd. from Mar 2, 2026 7' }).waitFor();
    await page.getByRole('button', { name: 'New price list…' }).click();
    await dialog.getByLabel('Code').fill('VIP');
    await dialog.getByLabel('Name').fill('Other');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('There is a price list VIP already.').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('link', { name: 'Best of all' }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'Price lists' }).waitFor();
    await settled();
    expect((await scene.api.get('/v1/price-lists/VIP')).statusCode).toBe(404);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('shows the prices of a product by list, and changes one as the person saw it', async () => {
    const { store } = scene.api;
    const lamp = await store.product({ name: 'Lamp', sku: 'LAMP-9', price: 5000 });
    const red = await store.variant(lamp, { sku: 'LAMP-9-RED', price: 5200 });
    const other = await store.product({ name: 'Other', sku: 'OTHER-9' });
    const summer = { name: 'Summer', validFrom: '2026-06-01', validTo: '2026-08-31' };
    const [first, second] = [await store.priceList({ name: 'Dealers' }), await store.priceList(summer)];
    await store.listPrice(first, { productId: lamp, price: 4500 });
    await store.listPrice(first, { productId: lamp, from: 12, price: 4200 });
    await store.listPrice(second, { productId: lamp, variantId: red, price: 4000 });
    await store.listPrice(second, { productId: other, price: 1 });
    const { page, open, faults, trouble } = await scene.desk('manager');
    await open(`#/products/${lamp}`);
    const rows = page.getByRole('region', { name: 'Prices by list table' }).locator('tbody tr');
    await rows.nth(2).waitFor();
    expect((await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/^Dealers always LAMP-9 1 45.00 Edit… Remove…$/),
      expect.stringMatching(/^Dealers always LAMP-9 12 42.00 /),
      expect.stringMatching(/^Summer from Jun 1, 2026 · until Aug 31, 2026 LAMP-9-RED 1 40.00 /),
    ]);
    expect(await faults()).toEqual([]);
    const change = async (price: string, more: Record<string, string> = {}) => {
      await page.getByRole('button', { name: 'Edit…: LAMP-9 from 12' }).click();
      await page.getByLabel('Price (USD)').fill(price);
      for (const [label, text] of Object.entries(more)) await page.getByLabel(label).fill(text);
    };
    const save = () => page.getByRole('button', { name: 'Save' }).click();
    await change('41,5', { Minimum: '6', Step: '6' });
    await save();
    await page.getByRole('cell', { name: '41.50', exact: true }).waitFor();
    expect(await listed(`list=${first}`)).toEqual(['LAMP-9 | 1: 45 | 12: 41.5 | 6 | 6']);

    await change('40');
    await scene.api.database.query('UPDATE list_prices SET price = 4100 WHERE product_id = $1 AND from_quantity = 12', [
      lamp,
    ]);
    await save();
    expect(await page.getByRole('alert').textContent()).toMatch(/41\.00, not 41\.50/);
    expect(await page.getByLabel('Price (USD)').inputValue()).toBe('40');
    await page.getByText('The price changed from $41.50 to $41.00.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Remove…: LAMP-9 from 12' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Price removed.').waitFor();
    expect(await listed(`list=${first}`)).toEqual(['LAMP-9 | 1: 45 | 6 | 6']);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('shows prices to people who may not change them, and offers no change', async () => {
    const { store } = scene.api;
    const cup = await store.product({ name: 'Cup', sku: 'CUP-9' });
    const list = await store.priceList({ code: 'CUPS', name: 'Cups', groups: ['cafe'] });
    await store.listPrice(list, { productId: cup, price: 150 });
    await store.customer({ name: 'Café Nord', price_list: 'CUPS' });
    await store.customer({ name: 'Café Süd', groups: ['cafe'] });
    for (const role of ['viewer', 'support'] as const) {
      const { page, open, trouble } = await scene.desk(role);
      for (const address of ['#/prices', '#/prices/CUPS', `#/products/${cup}`]) {
        await open(address);
        await page.getByRole('main').getByText('Cups').first().waitFor();
        if (address !== '#/prices') await page.getByRole('cell', { name: '1.50' }).waitFor();
        const buttons = page.getByRole('main').locator('button:not(:text-is("Download")), textarea');
        expect([role, address, await buttons.count()]).toEqual([role, address, 0]);
      }
      await open('#/prices/CUPS');
      await page.getByRole('link', { name: 'Customers with this list' }).click();
      await page.getByRole('row', { name: /Café Nord/ }).waitFor();
      expect(await page.getByRole('row', { name: /Café/ }).count()).toBe(1);
      await open('#/prices/CUPS?page=abc');
      await page.getByRole('link', { name: 'Group cafe' }).click();
      await page.getByRole('row', { name: /Café Süd/ }).waitFor();
      expect(await page.getByRole('row', { name: /Café/ }).count()).toBe(1);
      expect(trouble).toEqual([]);
      await page.context().close();
    }
  });

  it('shows why a change of a company is refused next to its field, and keeps what was typed', async () => {
    const id = await scene.api.store.customer({ name: 'Ada King', groups: ['Acme, Ltd.'], company: 'King' });
    const { page, open, faults } = await scene.desk('manager');
    await open(`#/customers/${id}`);
    await page.getByRole('button', { name: 'Edit company…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('VAT ID').fill('GB1');
    await dialog.locator('[name=price_list]').fill('NOWHERE');
    await dialog.getByLabel('Payment terms (days)').fill('14 days');
    await dialog.getByText('“14 days” is not a whole number').waitFor();
    await dialog.getByLabel('Payment terms (days)').fill('400');
    const save = dialog.getByRole('button', { name: 'Save' });
    await save.click();
    await dialog.locator('[name=payment_terms_days][aria-invalid=true]').waitFor();
    expect(await dialog.getByRole('alert').textContent()).toBe('Correct the marked field.');
    await dialog.getByLabel('Payment terms (days)').fill('14');
    await save.click();
    await dialog.locator('[name=price_list][aria-invalid=true]').waitFor();
    expect(await faults()).toEqual([]);
    expect(await dialog.getByLabel('VAT ID').inputValue()).toBe('GB1');
    await scene.api.database.query(`UPDATE customers SET company = 'King & Co' WHERE id = $1`, [id]);
    await dialog.getByLabel('Price list code').fill('');
    await dialog.getByLabel('Groups').fill('Acme, Ltd.\nreseller, eu');
    await save.click();
    await dialog.waitFor({ state: 'detached' });

    const { data } = (await scene.api.get(`/v1/customers/${id}`)).json<{ data: object }>();
    expect(data).toMatchObject({
      company: 'King & Co',
      vat_id: 'GB1',
      payment_terms_days: 14,
      groups: ['Acme, Ltd.', 'reseller', 'eu'],
    });
    await page.context().close();
  });

  it('changes the contact that the person saw, while another person changes the others', async () => {
    const { store, database } = scene.api;
    const [ada, bea, cid] = ['Ada', 'Bea', 'Cid'].map((name) => ({ name, email: '', phone: '', role: '' }));
    const id = await store.customer({ name: 'Three', contacts: JSON.stringify([ada, bea, cid]) });
    const { page, open } = await scene.desk('manager');
    const become = (contacts: readonly object[]) =>
      database.query('UPDATE customers SET contacts = $2 WHERE id = $1', [id, JSON.stringify(contacts)]);
    const names = async () =>
      (await scene.api.get(`/v1/customers/${id}`))
        .json<{ data: { contacts: { name: string; phone: string }[] } }>()
        .data.contacts.map(({ name, phone }) => name + phone);
    await open(`#/customers/${id}`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Edit…: Bea' }).click();
    await dialog.getByLabel('Phone').fill('1');
    await become([bea ?? {}, cid ?? {}]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await names()).toEqual(['Bea1', 'Cid']);

    await page.getByRole('button', { name: 'Edit…: Bea' }).click();
    await dialog.getByLabel('Phone').fill('2');
    await become([{ ...bea, phone: '9' }, cid ?? {}]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Another person has changed or removed this contact.').waitFor();
    expect(await dialog.getByLabel('Phone').inputValue()).toBe('2');
    expect(await names()).toEqual(['Bea9', 'Cid']);
    await page.context().close();
  });

  it.each([
    { device: 'in the light scheme', options: { colorScheme: 'light' } },
    { device: 'in the dark scheme', options: { colorScheme: 'dark' } },
    { device: 'on a phone', options: { viewport: { width: 390, height: 844 } } },
  ] as const)('has no fault that axe finds in a preview $device', async ({ options }) => {
    const sku = `W${Math.random()}`.repeat(3);
    await scene.api.store.product({ name: 'Wide', sku });
    const list = await scene.api.store.priceList();
    const { page, open, faults, trouble } = await scene.desk('owner', options);
    await open(`#/prices/${list}`);
    await paste(page, [
      [sku, 1, '9,50', 6, 6],
      [sku, 1, 'free'],
      ['NONE', '', '-'],
    ]);
    await page.getByText('Preview: 1 created, 2 refused').waitFor();

    expect(await faults()).toEqual([]);
    await page.getByRole('button', { name: 'Write 1 line' }).click();
    await page.getByText('Result: 1 created, 2 refused').waitFor();
    await page.getByRole('region', { name: 'Prices', exact: true }).getByText('9.50').waitFor();
    expect([await faults(), trouble]).toEqual([[], []]);
    await page.context().close();
  });
});
