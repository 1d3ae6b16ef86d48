import { StoreSearch } from '@app/application';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

describe('StoreSearch', () => {
  let application: RunningApplication;
  let search: StoreSearch;
  let store: StoreFixture;
  beforeAll(async () => {
    application = await startApplication();
    search = application.app.get(StoreSearch, { strict: false });
  });
  afterAll(() => application.stop());
  beforeEach(async () => {
    store = await StoreFixture.create(application.database);
  });

  const find = (term: string, isTest?: boolean) => search.find(store.id, term, { isTest });
  const idsOf = async (term: string, isTest?: boolean) => (await find(term, isTest)).map(({ id }) => id);
  const titlesOf = async (term: string) => (await find(term)).map(({ title }) => title);
  const day = (n: number) => `2026-01-0${n}T00:00:00Z`;

  it('finds nothing of another store', async () => {
    await store.order({ receipt_number: 'WEB-1', external_reference: 'PO-1', customer_email: 'ada@x.example' });
    await store.order({ source: 'WEBSITE', customer_phone: '+1 202 555 0143' });
    await store.order({ source: 'POS', customer_phone: '+1 202 555 0143' });
    await store.customer({ name: 'Ada', email: 'ada@x.example', phone: '+1 202 555 0143' });
    await store.variant(await store.product({ name: 'Ada boot', sku: 'AB' }), { sku: 'AB-1' });
    const other = await StoreFixture.create(application.database);

    for (const term of ['WEB-1', 'PO-1', 'ada', 'ada@x.example', 'ada@', '2025550143', 'boot', 'AB', 'AB-1', 'a']) {
      expect([term, (await find(term)).length]).toEqual([term, expect.any(Number)]);
      expect((await find(term)).length).toBeGreaterThan(0);
      expect([term, await search.find(other.id, term, {})]).toEqual([term, []]);
    }
  });

  it('begins with fields that are the term, then fields that begin with it, then the newest', async () => {
    const named = (customer_name: string, n: number) => store.order({ customer_name, created_at: day(n) });
    const part = await named('Joanna', 9);
    const start = await named('Annabel', 8);
    const old = await named('Anna', 1);
    const whole = await named('ANNA', 2);
    const ofCustomer = await store.customer({ name: 'Anna Smith' });

    expect(await idsOf('anna')).toEqual([whole, old, start, ofCustomer, part]);
  });

  it('finds at most five of each kind, the newest of those that match alike', async () => {
    const orders: string[] = [];
    for (let n = 1; n <= 7; n++) {
      orders.unshift(await store.order({ customer_name: `Bulk ${n}`, created_at: day(n) }));
      await store.customer({ name: `Bulk ${n}` });
      await store.product({ name: `Bulk ${n}`, sku: `BULK-${n}` });
    }

    const found = await find('bulk');

    expect(found.map(({ kind }) => kind)).toEqual(
      ['order', 'customer', 'product', 'sku'].flatMap((kind) => Array<string>(5).fill(kind)),
    );
    expect(found.slice(0, 5).map(({ id }) => id)).toEqual(orders.slice(0, 5));
    expect(found.slice(15).map(({ title }) => title)).toEqual(['BULK-1', 'BULK-2', 'BULK-3', 'BULK-4', 'BULK-5']);
  });

  it('finds a rare text in old orders, and of a common text the newest orders and whole keys', async () => {
    const old = await store.order({
      ...{ receipt_number: 'COMMON', customer_name: 'Rare Zebra', customer_email: 'zed@rare.example' },
      ...{ source: 'WEBSITE', customer_phone: '0151 77777777', external_reference: 'R-77' },
      created_at: '2020-01-01T00:00:00Z',
    });
    await application.database.query(
      `INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
         amount, total_amount, customer_name, created_at)
       SELECT $1, gen_random_uuid(), 'COMMON-' || n, 'WEBSITE', 'SUCCEEDED', 'DELIVERED', 'CASH', 'USD', 1, 1, '',
         timestamptz '2021-01-01' + n * interval '1 minute'
       FROM generate_series(1, 1500) AS n`,
      [store.id],
    );

    for (const term of ['zebra', 'R-77', '+49 151 77777777', 'zed@', 'zed@rare.example', 'common'])
      expect([term, (await idsOf(term))[0]]).toEqual([term, old]);
    expect(await titlesOf('common')).toEqual(['COMMON', 'COMMON-1500', 'COMMON-1499', 'COMMON-1498', 'COMMON-1497']);
  });

  it('begins with the same number, and finds numbers that differ only before the last eight digits', async () => {
    const order = (source: string, customer_phone: string) => store.order({ source, customer_phone });
    const website = await order('WEBSITE', '+49 151 23456789');
    const till = await order('POS', '0151/2345-6789');
    await order('POS', '0151 23456780');

    expect(await idsOf('0151 23456789')).toEqual([till, website]);
    expect(await idsOf('+49 (151) 2345 6789')).toEqual([website, till]);
    expect(await idsOf('6789')).toEqual([]);
    expect(await idsOf('56789')).toEqual([till, website]);
  });

  it('finds orders of one mode', async () => {
    const live = await store.order({ customer_name: 'Mode', created_at: day(1) });
    const test = await store.order({ customer_name: 'Mode', is_test: true, external_reference: 'M-1' });

    expect(await idsOf('mode')).toEqual([test, live]);
    expect(await idsOf('mode', true)).toEqual([test]);
    expect(await idsOf('mode', false)).toEqual([live]);
    expect(await idsOf('M-1', false)).toEqual([]);
  });

  it('finds with one or two characters only the start of a field', async () => {
    const start = await store.customer({ name: 'Bo Li' });
    await store.customer({ name: 'Rabo' });
    await store.product({ name: 'Lamp', sku: 'BO-1' });

    expect(await titlesOf('bo')).toEqual(['Bo Li', 'BO-1']);
    expect((await idsOf('b'))[0]).toBe(start);
  });
});
