import { CatalogPricing, PriceBreaks, type PricedCustomer } from '@app/application';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

interface ListOptions {
  readonly priority?: number;
  readonly from?: string;
  readonly to?: string;
  readonly groups?: readonly string[];
}

type Line = [productId: number, variantId: number | null, quantity: number];

const GUEST: PricedCustomer = { id: null, email: '' };
const NOON = new Date('2026-11-20T12:00:00Z');

let application: RunningApplication;
let store: StoreFixture;
let pricing: CatalogPricing;
let product: number;
let variant: number;
beforeAll(async () => {
  application = await startApplication();
  pricing = application.app.get(CatalogPricing);
});
afterAll(() => application.stop());
beforeEach(async () => {
  store = await newStore();
  product = await store.product({ name: 'Bolt', price: 1_000 });
  variant = await store.variant(product, { price: 1_100 });
});

const newStore = () => StoreFixture.create(application.database);
const list = (code: string, { priority = 0, from, to, groups = [] }: ListOptions = {}, of = store) =>
  application.database.query(
    `INSERT INTO price_lists (store_id, code, name, priority, valid_from, valid_to, customer_groups)
     VALUES ($1, $2, $2, $3, $4, $5, $6)`,
    [of.id, code, priority, from ?? null, to ?? null, groups],
  );
const listed = (
  code: string,
  price: number,
  from = 1,
  variantId: number | null = null,
  productId = product,
  of = store,
) =>
  application.database.query(
    `INSERT INTO list_prices (store_id, list, product_id, variant_id, from_quantity, price) VALUES ($1, $2, $3, $4, $5, $6)`,
    [of.id, code, productId, variantId, from, price],
  );
const rule = (code: string, minQuantity: number, step: number, variantId: number | null = null) =>
  application.database.query(
    'INSERT INTO quantity_rules (store_id, list, product_id, variant_id, min_quantity, step) VALUES ($1, $2, $3, $4, $5, $6)',
    [store.id, code, product, variantId, minQuantity, step],
  );
const priced = (customer: PricedCustomer, lines: readonly Line[], at = NOON, otherLines: readonly Line[] = []) => {
  const requests = (all: readonly Line[]) =>
    all.map(([productId, variantId, quantity]) => ({ productId, variantId, quantity }));
  const request = {
    lines: requests(lines),
    otherLines: requests(otherLines),
    customer,
    channel: 'WEBSITE',
    at,
  } as const;
  return pricing.price({ storeId: store.id, currency: 'USD', ...request });
};
/** The price and its source of each line. */
const price = async (...args: Parameters<typeof priced>) =>
  (await priced(...args)).lines.map(({ unitPrice, priceSource }) => [unitPrice.minor, priceSource ?? null]);
const priceOne = async (customer: PricedCustomer, quantity = 1, at = NOON) =>
  (await price(customer, [[product, null, quantity]], at))[0];
const byId = async (values: Record<string, unknown>): Promise<PricedCustomer> => {
  return { id: await store.customer(values), email: '' };
};

const CATALOG = [1_000, null];
/** The only day of a list. */
const ON = (day: string) => ({ from: day, to: day });

describe('The price of a unit', () => {
  it('is that of the catalog for a guest, and for a customer without lists', async () => {
    await list('OTHERS', { groups: ['dealers'] });
    await listed('OTHERS', 500);

    expect(await priceOne(GUEST)).toEqual(CATALOG);
    expect(await priceOne({ id: null, email: 'nobody@example.com' })).toEqual(CATALOG);
    expect(await priceOne(await byId({ groups: ['staff'] }))).toEqual(CATALOG);
  });

  it('is that of the list of the customer before those of its groups, whatever their priority', async () => {
    await list('OWN');
    await list('GROUP', { priority: 9, groups: ['dealers'] });
    await listed('OWN', 900);
    await listed('GROUP', 500);

    expect(await priceOne(await byId({ price_list: 'OWN', groups: ['dealers'] }))).toEqual([900, 'OWN']);
    expect(await priceOne(await byId({ groups: ['x', 'dealers'] }))).toEqual([500, 'GROUP']);
  });

  it('is that of the group list with the highest priority, and of equal ones the lower price', async () => {
    await list('LOW', { priority: 1, groups: ['dealers'] });
    await list('B', { priority: 5, groups: ['dealers', 'others'] });
    await list('A', { priority: 5, groups: ['gold'] });
    for (const [code, minor] of [
      ['LOW', 100],
      ['B', 700],
      ['A', 750],
    ] as const)
      await listed(code, minor);

    expect(await priceOne(await byId({ groups: ['dealers', 'gold'] }))).toEqual([700, 'B']);
    await listed('A', 650, 2);
    expect(await priceOne(await byId({ groups: ['dealers', 'gold'] }), 2)).toEqual([650, 'A']);
  });

  it('is that of the 25 lists of highest priority only, of which the list of the customer is one', async () => {
    await application.database.query(
      `INSERT INTO price_lists (store_id, code, name, priority, customer_groups)
       SELECT $1, 'G' || n, '', n, '{dealers}' FROM generate_series(1, 25) AS n`,
      [store.id],
    );
    await listed('G1', 500);
    await list('OWN');

    expect(await priceOne(await byId({ groups: ['dealers'] }))).toEqual([500, 'G1']);
    expect(await priceOne(await byId({ groups: ['dealers'], price_list: 'OWN' }))).toEqual(CATALOG);
    expect(await priceOne(await byId({ groups: ['dealers'], price_list: 'G25' }))).toEqual([500, 'G1']);
  });

  it('is that of the next list where a list has no line for the unit and the quantity', async () => {
    await list('OWN');
    await list('GROUP', { groups: ['dealers'] });
    await listed('OWN', 800, 10);
    await listed('GROUP', 900, 5);
    const customer = await byId({ price_list: 'OWN', groups: ['dealers'] });

    expect([await priceOne(customer, 4), await priceOne(customer, 5), await priceOne(customer, 10)]).toEqual([
      CATALOG,
      [900, 'GROUP'],
      [800, 'OWN'],
    ]);
  });

  it('is that of the line with the highest quantity that is not above the quantity', async () => {
    await list('OWN');
    for (const [from, minor] of [
      [1, 950],
      [10, 900],
      [100, 990],
    ] as const)
      await listed('OWN', minor, from);
    const customer = await byId({ price_list: 'OWN' });

    const prices = await Promise.all([1, 9, 10, 99, 100, 999].map((quantity) => priceOne(customer, quantity)));

    expect(prices.map((found) => found?.[0])).toEqual([950, 950, 900, 900, 990, 990]);
  });

  it('depends on the quantity of all lines of the unit, including lines that the order already has', async () => {
    const other = await store.product({ price: 300 });
    await list('OWN');
    await listed('OWN', 900, 10);
    const customer = await byId({ price_list: 'OWN' });

    const lines: Line[] = [
      [product, null, 6],
      [other, null, 50],
      [product, null, 4],
    ];
    expect(await price(customer, lines)).toEqual([
      [900, 'OWN'],
      [300, null],
      [900, 'OWN'],
    ]);
    expect(await price(customer, [[product, null, 6]], NOON, [[product, null, 4]])).toEqual([[900, 'OWN']]);
    expect(await price(customer, [[product, null, 6]], NOON, [[product, variant, 4]])).toEqual([CATALOG]);
  });

  it('is never that of the product for a variant', async () => {
    await list('OWN');
    await list('GROUP', { groups: ['dealers'] });
    await listed('OWN', 900);
    await listed('GROUP', 950, 1, variant);

    const units: Line[] = [
      [product, variant, 1],
      [product, null, 1],
    ];
    expect(await price(await byId({ price_list: 'OWN', groups: ['dealers'] }), units)).toEqual([
      [950, 'GROUP'],
      [900, 'OWN'],
    ]);
    expect(await price(await byId({ price_list: 'OWN' }), units)).toEqual([
      [1_100, null],
      [900, 'OWN'],
    ]);
  });

  it('may be 0', async () => {
    await list('OWN');
    await listed('OWN', 0);

    expect(await priceOne(await byId({ price_list: 'OWN' }))).toEqual([0, 'OWN']);
  });

  it.each<[string, string, Pick<ListOptions, 'from' | 'to'>, string, boolean]>([
    ['the moment before its first day', 'Asia/Tokyo', { from: '2026-11-20' }, '2026-11-19T14:59:59.999Z', false],
    ['the midnight of its first day', 'Asia/Tokyo', { from: '2026-11-20' }, '2026-11-19T15:00:00Z', true],
    ['the last moment of its last day', 'Asia/Tokyo', { to: '2026-11-20' }, '2026-11-20T14:59:59.999Z', true],
    ['the midnight after its last day', 'Asia/Tokyo', { to: '2026-11-20' }, '2026-11-20T15:00:00Z', false],
    ['its only day', 'Asia/Tokyo', ON('2026-11-20'), '2026-11-20T00:00:00Z', true],
    ['a quarter of an hour', 'Asia/Kathmandu', { from: '2026-11-20' }, '2026-11-19T18:14:59.999Z', false],
    ['a quarter of an hour', 'Asia/Kathmandu', { from: '2026-11-20' }, '2026-11-19T18:15:00Z', true],
    // The clocks go back: the day has 25 hours.
    ['the begin of a long day', 'America/New_York', ON('2026-11-01'), '2026-11-01T04:00:00Z', true],
    ['the end of a long day', 'America/New_York', ON('2026-11-01'), '2026-11-02T04:59:59.999Z', true],
    ['the midnight after a long day', 'America/New_York', ON('2026-11-01'), '2026-11-02T05:00:00Z', false],
    // The clocks go forward at midnight: the day begins at 1:00.
    ['the moment before a day without midnight', 'Africa/Cairo', ON('2026-04-24'), '2026-04-23T21:59:59.999Z', false],
    ['the begin of a day without midnight', 'Africa/Cairo', ON('2026-04-24'), '2026-04-23T22:00:00Z', true],
  ])('at %s, in the time zone %s of the store, is or is not that of a list', async (_case, zone, days, at, applies) => {
    await application.database.query('UPDATE stores SET time_zone = $2 WHERE id = $1', [store.id, zone]);
    await list('OWN', { ...days, groups: ['dealers'] });
    await listed('OWN', 900);
    const expected = applies ? [900, 'OWN'] : CATALOG;

    expect(await priceOne(await byId({ price_list: 'OWN' }), 1, new Date(at))).toEqual(expected);
    expect(await priceOne(await byId({ groups: ['dealers'] }), 1, new Date(at))).toEqual(expected);
  });

  it('is for the customer of the id, else of the e-mail, else of the contact, and for none of several', async () => {
    await list('OWN');
    await list('OTHER');
    await listed('OWN', 900);
    await listed('OTHER', 800);
    const contacts = (...emails: string[]) => JSON.stringify(emails.map((email) => ({ name: 'Buyer', email })));
    const { id } = await byId({
      ...{ email: 'ada@example.com', price_list: 'OWN' },
      contacts: contacts('buyer@example.com', 'info@example.com', 'other@example.com'),
    });
    await byId({ email: 'other@example.com', price_list: 'OTHER', contacts: contacts('info@example.com') });
    const priceFor = (email: string, of: string | null = null) => priceOne({ id: of, email });

    expect(await priceFor('ADA@example.com')).toEqual([900, 'OWN']);
    expect(await priceFor('Buyer@Example.com')).toEqual([900, 'OWN']);
    expect(await priceFor('other@example.com')).toEqual([800, 'OTHER']);
    expect(await priceFor('other@example.com', id)).toEqual([900, 'OWN']);
    expect(await priceFor('info@example.com')).toEqual(CATALOG);
  });

  it("is never that of another store's list, customer or contact", async () => {
    const other = await newStore();
    for (const each of [store, other]) await list('OWN', { groups: ['dealers'] }, each);
    await listed('OWN', 700, 1, null, await other.product(), other);
    const customer = await other.customer({
      ...{ email: 'ada@example.com', price_list: 'OWN', groups: ['dealers'] },
      contacts: JSON.stringify([{ name: 'Buyer', email: 'buyer@example.com' }]),
    });
    await listed('OWN', 900);

    expect(await priceOne({ id: customer, email: '' })).toEqual(CATALOG);
    expect(await priceOne({ id: null, email: 'ada@example.com' })).toEqual(CATALOG);
    expect(await priceOne({ id: null, email: 'buyer@example.com' })).toEqual(CATALOG);
  });
});

describe('The quantity of a unit', () => {
  const notOffered = async (customer: PricedCustomer, lines: readonly Line[], otherLines: readonly Line[] = []) =>
    (await priced(customer, lines, NOON, otherLines)).notOffered;

  it('follows the rule of the catalog, for all lines of the unit together', async () => {
    await rule('', 6, 3);
    const broken = (line: number, requested: number) => ({ line, requested, minQuantity: 6, step: 3 });

    expect(await notOffered(GUEST, [[product, null, 6]])).toEqual([]);
    expect(await notOffered(GUEST, [[product, null, 3]])).toEqual([broken(0, 3)]);
    expect(await notOffered(GUEST, [[product, null, 7]])).toEqual([broken(0, 7)]);
    expect(
      await notOffered(GUEST, [
        [product, null, 4],
        [product, variant, 1],
        [product, null, 5],
      ]),
    ).toEqual([]);
    expect(
      await notOffered(GUEST, [
        [product, null, 4],
        [product, variant, 1],
        [product, null, 4],
      ]),
    ).toEqual([broken(0, 8), broken(2, 8)]);
    expect(await notOffered(GUEST, [[product, null, 4]], [[product, null, 2]])).toEqual([]);
  });

  it('follows the rule of the list that gives the price, without one that of the catalog', async () => {
    await rule('', 6, 1);
    await list('OWN');
    await list('GROUP', { groups: ['dealers'] });
    await listed('OWN', 900);
    await rule('OWN', 2, 2);
    await rule('GROUP', 50, 1);
    const ruleFor = async (values: Record<string, unknown>) => {
      const [item] = (await notOffered(await byId(values), [[product, null, 1]])) ?? [];
      return [item?.minQuantity, item?.step];
    };

    expect(await ruleFor({ price_list: 'OWN', groups: ['dealers'] })).toEqual([2, 2]);
    expect(await ruleFor({ groups: ['dealers'] })).toEqual([6, 1]);
    await listed('GROUP', 800);
    expect(await ruleFor({ groups: ['dealers'] })).toEqual([50, 1]);
    await application.database.query(`DELETE FROM quantity_rules WHERE store_id = $1 AND list = 'GROUP'`, [store.id]);
    expect(await ruleFor({ groups: ['dealers'] })).toEqual([6, 1]);
  });
});

describe('PriceBreaks', () => {
  const find = async (customer: PricedCustomer, at = NOON) => {
    const units = [
      { productId: product, variantId: variant },
      { productId: product, variantId: null },
    ];
    const found = await application.app.get(PriceBreaks).find(store.id, customer.id ?? '', units, at);
    return found.map((breaks) =>
      breaks.map(({ fromQuantity, price, priceSource }) => [fromQuantity, price, priceSource]),
    );
  };

  it('has the price of each quantity from which one of the lists has a line, by the rules of orders', async () => {
    await list('OWN', { to: '2026-11-20' });
    await list('GROUP', { groups: ['dealers'] });
    await listed('OWN', 800, 10);
    for (const [from, minor] of [
      [1, 950],
      [5, 900],
      [50, 700],
    ] as const)
      await listed('GROUP', minor, from);
    await listed('GROUP', 600, 3, variant);
    const customer = await byId({ price_list: 'OWN', groups: ['dealers'] });

    const byGroup = [
      [1, 950, 'GROUP'],
      [5, 900, 'GROUP'],
    ];
    expect(await find(customer)).toEqual([[[3, 600, 'GROUP']], [...byGroup, [10, 800, 'OWN'], [50, 800, 'OWN']]]);
    expect(await find(customer, new Date('2026-11-21T00:00:00Z'))).toEqual([
      [[3, 600, 'GROUP']],
      [...byGroup, [50, 700, 'GROUP']],
    ]);
    expect(await find(await byId({}))).toEqual([[], []]);
  });

  it('has none for a customer of another store', async () => {
    await list('OWN');
    await listed('OWN', 800);
    const other = await newStore();
    await list('OWN', {}, other);

    expect(await find({ id: await other.customer({ price_list: 'OWN' }), email: '' })).toEqual([[], []]);
  });
});
