import type { Page, Route } from 'playwright-core';
import { anOrderBody } from '../builders/order-body.js';
import { dashboardScene, describeInBrowser, type DashboardScene } from '../support/dashboard-scene.js';
import { eventually } from '../support/eventually.js';
import { Hands } from '../support/hands.js';

const PIXEL = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
const PHONE = { viewport: { width: 390, height: 844 } };

interface PlacedOrder {
  readonly receipt_number: string;
  readonly total_amount: number;
  readonly amount_open: number;
  readonly held: boolean;
  readonly customer: { readonly id: string | null; readonly name: string };
  readonly shipping_address: { readonly city: string; readonly vat_id: string };
  readonly line_items: readonly { name: string; quantity: number; price_source: string | null }[];
}

describeInBrowser('orders that people place, change and work through in the dashboard', () => {
  let scene: DashboardScene;

  beforeAll(async () => (scene = await dashboardScene()));
  afterAll(() => scene?.stop());

  const sql = (text: string, ...values: unknown[]) => scene.api.database.query(text, values);
  const read = async (receipt: string) =>
    (await scene.api.get(`/v1/orders/${receipt}`)).json<{ data: PlacedOrder }>().data;
  const placed = async (reference: string) =>
    (await scene.api.get(`/v1/orders?external_reference=${reference}`)).json<{ data: PlacedOrder[] }>().data;
  const product = (name: string, price: number, stock = 50) =>
    scene.api.store.product({ name, sku: `${name.toUpperCase()}-8`, price, stock });
  const totalOf = (page: Page) => page.locator('.facts-list div', { hasText: /^Total/ });

  /** Adds a product of the search by the keyboard. */
  async function add(hands: Hands, name: string, units: string): Promise<void> {
    await hands.reach(hands.page.locator('#find-product'));
    await hands.type(name.toLowerCase());
    await hands.press('Enter');
    await hands.page.locator(':focus', { hasText: 'Add' }).waitFor();
    await hands.press('Enter');
    await hands.page.locator('.units:focus').waitFor();
    await hands.type(units);
  }

  it('places the order of a company at its prices, by the keyboard on a phone', async () => {
    const { store } = scene.api;
    const kettle = await product('Kettle', 1000);
    const list = await store.priceList();
    await store.listPrice(list, { productId: kettle, price: 800 });
    await store.listPrice(list, { productId: kettle, from: 10, price: 700 });
    const addresses = JSON.stringify([{ label: 'Works', address: 'Rue 1', city: 'Lyon', country: 'FR', zip: '69001' }]);
    const company = { name: 'Ada King', company: 'Difference Ltd', vat_id: 'FR123', price_list: list, addresses };
    const account = await store.customer(company);
    const { page, open, settled, faults, trouble } = await scene.desk('manager', PHONE);
    const hands = new Hands(page);
    await open('#/orders');
    await hands.reach(page.getByRole('link', { name: 'New order' }));
    await hands.press('Enter');
    await page.getByRole('heading', { name: 'New order' }).waitFor();
    await hands.reach(page.locator('#find-customer'));
    await hands.type('difference');
    await hands.press('Enter');
    await page.locator(':focus', { hasText: 'Choose' }).waitFor();
    expect(await faults()).toEqual([]);
    await hands.press('Enter');
    await page.getByText('Account: Ada King').waitFor();
    await page.locator('#find-product:focus').waitFor();

    await hands.type('kettle-8');
    await page.getByText('$8.00, $7.00 from 10').waitFor();
    await add(hands, '', '12');
    await totalOf(page).getByText('$84.00').waitFor();
    expect(await faults()).toEqual([]);
    await hands.reach(page.getByLabel('Your reference'));
    await hands.type('PHONE-1');
    await hands.press('Enter');
    await page.getByRole('heading', { name: 'WEB-' }).waitFor();
    await settled();

    expect(await placed('PHONE-1')).toHaveLength(1);
    expect(await read((await placed('PHONE-1'))[0]?.receipt_number ?? '')).toMatchObject({
      total_amount: 8400,
      customer: { id: account, name: 'Ada King' },
      shipping_address: { city: 'Lyon', vat_id: 'FR123' },
      line_items: [{ name: 'Kettle', quantity: 12, price_source: list }],
    });
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it.each([{ colorScheme: 'light' }, { colorScheme: 'dark' }, PHONE] as const)(
    'shows a filled new order without a fault that axe finds, with %j',
    async (options) => {
      const name = `Bowl${JSON.stringify(options).length}`;
      await product(name, 1000, 2);
      const { page, open, faults, trouble } = await scene.desk('owner', options);
      await open('#/orders/new');
      await add(new Hands(page), name, '3');
      await page.getByText('Only 2 available.').waitFor();
      await totalOf(page).getByText('$30.00').waitFor();

      expect([await faults(), trouble]).toEqual([[], []]);
      await page.context().close();
    },
  );

  /** The service gets the order, and its answer is lost. */
  const loseAnswer = async (route: Route) => {
    await route.fetch();
    await route.abort();
  };
  const fillOrder = async (page: Page, name: string, reference: string) => {
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    await page.getByLabel('Your reference').fill(reference);
    await page.locator('#find-product').fill(name);
    await page.getByRole('button', { name: `Add: ${name}` }).click();
    await totalOf(page).waitFor();
  };
  const place = (page: Page) => page.getByRole('button', { name: 'Place order' });

  it('places an order once when its answer is lost and the button is pressed several times', async () => {
    await product('Whisk', 500);
    const { page, open } = await scene.desk('manager');
    await open('#/orders/new');
    await fillOrder(page, 'Whisk', 'PHONE-2');
    const keys: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/v1/orders'))
        keys.push(request.headers()['idempotency-key']);
    });
    await page.route('**/v1/orders', loseAnswer, { times: 1 });
    await page.evaluate(`for (const _ of [1, 2, 3]) [...document.querySelectorAll('.primary')].at(-1).click()`);
    await page.getByRole('heading', { name: 'WEB-' }).waitFor();

    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
    expect(await placed('PHONE-2')).toHaveLength(1);
    await page.context().close();
  });

  it('finds the order of a lost answer after the form has changed, and places no second one', async () => {
    await product('Sieve', 500);
    const { page, open, faults } = await scene.desk('manager');
    await open('#/orders/new');
    await fillOrder(page, 'Sieve', 'PHONE-3');
    await page.route('**/v1/orders', loseAnswer);
    await place(page).click();
    await page.getByRole('alert').getByText('The order may have been placed.').waitFor();
    await page.unroute('**/v1/orders');
    await page.getByLabel('Units of Sieve').fill('2');
    await totalOf(page).getByText('$10.00').waitFor();
    await place(page).click();

    await page.getByText('was placed before your last changes').waitFor();
    expect(await faults()).toEqual([]);
    const [order, ...others] = await placed('PHONE-3');
    expect([order?.total_amount, others]).toEqual([500, []]);
    await page.getByRole('link', { name: 'Open WEB-' }).click();
    await page.getByRole('heading', { name: order?.receipt_number }).waitFor();
    await page.context().close();
  });

  it('shows each refusal at its line or field, and the new total before it is placed', async () => {
    const crate = await product('Crate', 400);
    await product('Tray', 300, 2);
    await sql(
      'INSERT INTO quantity_rules (store_id, product_id, variant_key, min_quantity) VALUES ($1, $2, 0, 6)',
      scene.api.store.id,
      crate,
    );
    await scene.api.place(anOrderBody(scene.product, 1, { external_reference: 'PHONE-4' }));
    const { page, open } = await scene.desk('manager');
    await open('#/orders/new');
    await fillOrder(page, 'Crate', 'PHONE-4');
    const crates = page.getByRole('listitem').filter({ hasText: 'Crate' });
    const trays = page.getByRole('listitem').filter({ hasText: 'Tray' });
    await crates.getByText('1 is not offered.').waitFor();
    await page.locator('#find-product').fill('Tray');
    await page.getByRole('button', { name: 'Add: Tray' }).click();
    await page.getByLabel('Units of Tray').fill('3');
    await trays.getByText('Only 2 available.').waitFor();
    await place(page).click();
    await page.locator('[name=external_reference][aria-invalid=true]').waitFor();
    await page.getByLabel('Your reference').fill('PHONE-5');
    await place(page).click();
    await page.getByRole('alert').getByText('The service refuses the marked lines.').waitFor();
    await crates.getByText('1 is not offered: order at least 6.').waitFor();

    await page.getByLabel('Units of Crate').fill('6');
    await page.getByLabel('Units of Tray').fill('1');
    await totalOf(page).getByText('$27.00').waitFor();
    expect(await page.locator('.rows .bad').count()).toBe(0);
    await sql(`UPDATE products SET price = 500 WHERE id = $1`, crate);
    await place(page).click();
    await page.getByRole('alert').getByText('The total is $33.00 now, not $27.00.').waitFor();
    expect(await placed('PHONE-5')).toEqual([]);
    await place(page).click();
    await page.getByRole('heading', { name: 'WEB-' }).waitFor();
    expect(await placed('PHONE-5')).toMatchObject([{ total_amount: 3300 }]);
    await page.context().close();
  });

  it('offers new orders only to people who may place them', async () => {
    const { page, open } = await scene.desk('support');
    await open('#/orders');
    expect(await page.getByRole('link', { name: 'New order' }).count()).toBe(0);
    await open('#/orders/new');
    await page.getByText('Your role does not permit this.').waitFor();
    expect(await place(page).count()).toBe(0);
    await page.context().close();
  });

  it('changes, adds and removes lines by the keyboard on a phone, with a refusal at its line', async () => {
    const jug = await product('Jug', 1000, 5);
    await product('Lid', 200);
    const { receipt_number } = await scene.api.place({
      ...anOrderBody(jug),
      items: [
        { product_id: jug, quantity: 1 },
        { product_id: scene.product, quantity: 1 },
      ],
    });
    const { page, open, faults, trouble } = await scene.desk('manager', PHONE);
    const hands = new Hands(page);
    await open(`#/orders/${receipt_number}`);
    await hands.ask('Edit lines…');
    await hands.reach(page.getByLabel('Units of Jug'));
    await hands.press('ControlOrMeta+a');
    await hands.type('6');
    await page.getByRole('listitem').filter({ hasText: 'Jug' }).getByText('Only 4 more available.').waitFor();
    expect(await faults()).toEqual([]);
    await hands.press('ControlOrMeta+a');
    await hands.type('2');
    await hands.reach(page.locator('dialog .units').nth(1));
    await hands.press('ControlOrMeta+a');
    await hands.type('0');
    await add(hands, 'Lid', '4');
    await page.getByText(/New total: \$28\.00 \(now /).waitFor();
    expect(await faults()).toEqual([]);
    await hands.press('Enter');
    await page.getByText(`${receipt_number} updated.`).waitFor();

    const { total_amount, line_items } = await read(receipt_number);
    expect([total_amount, line_items.map(({ quantity }) => quantity)]).toEqual([2800, [2, 0, 4]]);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('holds many orders and records their payments, and keeps only the refused ones chosen', async () => {
    const receipts: string[] = [];
    for (const name of ['Emmy', 'Sofia', 'Maryam'])
      receipts.push((await scene.api.place(anOrderBody(scene.product, 2, { customer: { name } }))).receipt_number);
    const [first = '', second = '', third = ''] = receipts;
    const { page, open, faults, trouble } = await scene.desk('manager', PHONE);
    const hands = new Hands(page);
    await open('#/orders');
    for (const receipt of receipts) {
      await hands.reach(page.getByLabel(`Select ${receipt}`));
      await hands.press('Space');
    }
    const chosen = () => page.getByRole('group', { name: 'Selected orders' });
    const total = (await read(second)).total_amount;
    await scene.api.post(`/v1/orders/${second}/payments`, {
      reference: 'P',
      amount: 1,
      currency: 'USD',
      partial: true,
    });
    await hands.ask('Mark as paid…');
    await hands.press('ControlOrMeta+a');
    await hands.type('P');
    await hands.press('Enter');
    await page.getByText('2 orders marked as paid. 1 order refused.').waitFor();
    expect(await faults()).toEqual([]);
    await hands.press('Escape');
    await hands.reach(page.getByRole('button', { name: 'Discard' }));
    await hands.press('Enter');
    await chosen().getByText('1 selected').waitFor();
    expect(await page.getByLabel(`Select ${second}`).isChecked()).toBe(true);
    expect([(await read(first)).amount_open, (await read(second)).amount_open]).toEqual([0, total - 1]);

    const shipment = { reference: 'S', items: [{ line: 1, quantity: 1 }] };
    await scene.api.post(`/v1/orders/${second}/shipments`, shipment);
    await hands.reach(page.getByLabel(`Select ${third}`));
    await hands.press('Space');
    await hands.ask('Hold…');
    await hands.type('Check the address');
    await hands.press('Enter');
    await page.getByText('1 order held. 1 order refused.').waitFor();
    expect([(await read(third)).held, (await read(second)).held]).toEqual([true, false]);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it.each([
    { kind: 'Packing slip', has: [/\S+\/\S+ × 1/, /\S+\/\S+ × 2/, 'DOC-8'], lacks: ['$', 'DE999', '0034-8'], logos: 0 },
    { kind: 'Delivery note', has: ['DOC-8', '0034-8'], lacks: ['$', /\/\S+ × 2/, 'DE999'], logos: 0 },
    { kind: 'Order', has: ['24,68\u00A0$', 'VAT ID DE999', 'Göttingen'], lacks: [/\/\S+ × 2/, '0034-8'], logos: 2 },
  ])('prints for each chosen order: $kind', async ({ kind, has, lacks, logos }) => {
    const { store, database } = scene.api;
    await database.query('UPDATE stores SET contact = $2, logo_url = $3 WHERE id = $1', [
      store.id,
      JSON.stringify({ address: 'Pier 4', phone: '+1 555' }),
      logos > 0 ? PIXEL : 'https://cdn.example/logo.png',
    ]);
    const id = await store.product({ name: 'Document case', sku: 'DOC-8', price: 1234, stock: 50 });
    const customer = { name: 'Emmy Noether', city: 'Erlangen' };
    const billing = { name: 'Office', city: 'Göttingen', vat_id: 'DE999' };
    const orders = [
      await scene.api.place(anOrderBody(id, 2, { customer, billing })),
      await scene.api.place(anOrderBody(id, 2, { customer, billing })),
    ];
    const part = { reference: 'SHIP-1', items: [{ line: 1, quantity: 1 }], tracking_number: '0034-8' };
    await scene.api.post(`/v1/orders/${orders[0]?.receipt_number}/shipments`, part);
    const { page, open, trouble } = await scene.desk('manager', { locale: 'de-DE' });
    const hands = new Hands(page);
    await open('#/orders');
    await page.evaluate('window.prints = 0; window.print = () => window.prints++');
    for (const { receipt_number } of orders) await page.getByLabel(`Select ${receipt_number}`).check();
    const printed = async () => {
      await hands.ask('Print…');
      await hands.reach(page.locator('[name=kind]:checked'));
      while ((await page.getByRole('radio', { name: kind }).isChecked()) === false) await hands.press('ArrowDown');
      const before = await page.evaluate<number>('window.prints');
      await hands.press('Enter');
      await eventually(async () => expect(await page.evaluate('window.prints')).toBe(before + 1));
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const pages = (await page.pdf()).toString('latin1').match(/\/Type \/Page\b/g)?.length;
      await page.emulateMedia({ media: 'print' });
      const text = await page.getByRole('main').innerText();
      await page.emulateMedia({ media: null });
      return { pages, text };
    };
    const many = await printed();
    expect([many.pages, await page.locator('.slip img').count()]).toEqual([2, logos]);
    for (const text of [...has, 'Emmy Noether', 'Pier 4', ...orders.map((order) => `${kind} ${order.receipt_number}`)])
      expect(many.text).toMatch(text);
    for (const text of lacks) expect(many.text).not.toMatch(text);
    expect(many.text).not.toContain('To ship');

    await open(`#/orders/${orders[0]?.receipt_number}`);
    await page.evaluate('window.prints = 0; window.print = () => window.prints++');
    const one = await printed();
    expect([one.pages, one.text.includes(`${kind} ${orders[0]?.receipt_number}`)]).toEqual([1, true]);
    expect(one.text).not.toMatch(/Timeline|Fraud analysis/);
    for (const text of lacks) expect(one.text).not.toMatch(text);
    expect(trouble).toEqual([]);
    await page.context().close();
  });
});
