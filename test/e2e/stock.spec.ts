import { anOrderBody } from '../builders/order-body.js';
import { bundleImports } from '../support/bundle-imports.js';
import { eventually } from '../support/eventually.js';
import { FeedReader } from '../support/feed-reader.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let application: RunningApi;
beforeAll(async () => {
  application = await startApi({ DATABASE_POOL_SIZE: '10', THROTTLE_PER_10S: '0' });
});
afterAll(() => application.stop());

interface Line {
  readonly before: number | null;
  readonly after: number | null;
  readonly short: number;
  readonly code: string;
  readonly error: string;
  readonly bin: string;
}

let api: RunningApi;
let product: number;
beforeEach(async () => {
  api = await application.withStore();
  product = await api.store.product({ stock: 12, sku: 'R-1' });
});

async function change(lines: readonly object[], more: object = {}, headers: Record<string, string> = {}) {
  const response = await api.post('/v1/stock', { lines, ...more }, headers);
  const { data, error } = response.json<{ data?: { lines: Line[] }; error?: string }>();
  return {
    status: response.statusCode,
    code: response.headers['x-error-code'],
    lines: data?.lines ?? [],
    error,
    response,
  };
}

async function cursor(): Promise<string> {
  const reader = new FeedReader(api);
  await reader.catchUp();
  return reader.cursor ?? '';
}

const place = async (quantity: number) => (await api.place(anOrderBody(product, quantity))).order_id;
const ship = async (id: string) =>
  expect((await api.post(`/v1/orders/${id}/shipments`, { reference: 'S-1' })).statusCode).toBe(201);

async function makeBins(count: number, prefix: string): Promise<string> {
  const [warehouse] = await sql<{ id: number; code: string }>(
    'SELECT id, code FROM warehouses WHERE store_id = $1',
    api.store.id,
  );
  await sql(
    `INSERT INTO bins (store_id, warehouse_id, code) SELECT $1, $2, $3 || '-' || n FROM generate_series(1, $4::int) AS n`,
    ...[api.store.id, warehouse?.id, prefix, count],
  );
  return warehouse?.code ?? '';
}

async function fillBins(count: number): Promise<string> {
  const warehouse = await makeBins(count - 1, 'L');
  await sql(
    `INSERT INTO stock (store_id, bin_id, product_id, quantity)
     SELECT store_id, id, $2, 0 FROM bins WHERE store_id = $1 AND code LIKE 'L-%'`,
    ...[api.store.id, product],
  );
  return warehouse;
}

const sql = <Row>(text: string, ...values: unknown[]) => application.database.query<Row>(text, values);
const stock = () => api.store.onHand(product);
const counted = (n: number, as_of: string, basis = 'available') => ({ sku: 'R-1', counted: n, as_of, basis });

describe('POST /v1/stock', () => {
  it('adds a receipt to the only bin of the product, and names the actor and the reference in the ledger', async () => {
    const { status, lines } = await change([{ sku: 'r-1', adjust: 10 }], { reference: 'GR-1' });

    expect(status).toBe(200);
    expect(lines).toMatchObject([
      { line: 1, sku: 'R-1', product_id: product, before: 12, after: 22, short: 0, code: '' },
    ]);
    expect(await stock()).toBe(22);
    const movements = await sql(
      `SELECT kind, quantity, actor_type, reference FROM stock_movements WHERE store_id = $1 ORDER BY id DESC LIMIT 1`,
      api.store.id,
    );
    expect(movements).toEqual([{ kind: 'ADJUSTMENT', quantity: 10, actor_type: 'key', reference: 'GR-1' }]);
  });

  it('refuses to take more than there is, and says what there is', async () => {
    const { lines } = await change([{ sku: 'R-1', adjust: -13 }]);

    expect(lines).toMatchObject([{ before: 12, after: 12, code: 'below_zero', error: 'The bin holds only 12' }]);
    expect(await stock()).toBe(12);
  });

  it('does not overwrite a sale with a quantity from an old reading', async () => {
    await place(3);

    const { lines } = await change([{ product_id: product, set: 22, expected: 12 }]);

    expect(lines).toMatchObject([{ before: 9, after: 9, code: 'stale' }]);
    expect(await stock()).toBe(9);
  });

  it('sets what the bin holds where the expectation is right, or is null', async () => {
    const { lines } = await change([
      { sku: 'R-1', set: 22, expected: 12 },
      { sku: 'R-1', set: 5, expected: null },
    ]);

    expect(lines).toMatchObject([
      { before: 12, after: 22, code: '' },
      { before: 22, after: 5, code: '' },
    ]);
    expect(await stock()).toBe(5);
  });

  it('says which lines mean nothing, and applies the others', async () => {
    await api.store.product({ sku: 'TWICE', stock: 1 });
    await api.store.product({ sku: 'twice', stock: 1 });

    const { status, lines } = await change([
      { sku: 'NOPE', adjust: 1 },
      { sku: 'Twice', adjust: 1 },
      { sku: 'R-1', warehouse: 'NOPE', adjust: 1 },
      { product_id: product, variant_id: 77, adjust: 1 },
      { sku: 'R-1', adjust: 1 },
    ]);

    expect(status).toBe(200);
    const codes = lines.map(({ code }) => code);
    expect(codes).toEqual(['unknown_sku', 'ambiguous_sku', 'unknown_bin', 'unknown_sku', '']);
    expect(lines.map(({ error }) => error)).toEqual([
      'The store has no product or variant with the SKU NOPE',
      'Several products have this SKU: send product_id and variant_id',
      'The store has no warehouse NOPE',
      `The store has no variant 77 of product ${product}`,
      '',
    ]);
    expect(await stock()).toBe(13);
  });

  it('finds the SKU that is spelled exactly so, and only without one those in another letter case', async () => {
    const upper = await api.store.product({ sku: 'DUP', stock: 1 });
    const lower = await api.store.product({ sku: 'dup', stock: 1 });

    const { lines } = await change([
      { sku: 'DUP', adjust: 1 },
      { sku: 'dup', adjust: 2 },
      { sku: 'Dup', adjust: 4 },
      { sku: 'r-1', adjust: 8 },
    ]);

    expect(lines.map(({ code }) => code)).toEqual(['', '', 'ambiguous_sku', '']);
    expect([await api.store.onHand(upper), await api.store.onHand(lower), await stock()]).toEqual([2, 3, 20]);
    for (const path of ['/v1/stock', '/v1/skus']) {
      const skus = async (sku: string) =>
        (await api.get(`${path}?sku=${sku}`))
          .json<{ data: { sku: string }[] }>()
          .data.map((row) => row.sku)
          .sort();
      expect([await skus('DUP'), await skus('dup'), await skus('Dup'), await skus('DUP,R-1,none')]).toEqual([
        ['DUP'],
        ['dup'],
        ['DUP', 'dup'],
        ['DUP', 'R-1'],
      ]);
    }
  });

  it('changes the stock of everything that the list shows by its SKU, and by its ids', async () => {
    const draft = await api.store.product({ sku: 'NEW', status: 'DRAFT', stock: 1 });
    await api.store.product({ sku: 'OLD', status: 'ARCHIVED', stock: 1 });
    const shirt = await api.store.product({ sku: 'SHIRT', stock: 1 });
    await api.store.variant(shirt, { sku: 'SHIRT-S', stock: 1 });
    const retired = await api.store.variant(shirt, { sku: 'SHIRT-M', status: 'INACTIVE', stock: 1 });
    const shown = (await api.get('/v1/stock')).json<{ data: { sku: string; quantity: number }[] }>().data;

    const bySku = await change(shown.map(({ sku }) => ({ sku, adjust: 1 })));
    const byIds = await change([
      { product_id: draft, adjust: 1 },
      { product_id: shirt, variant_id: retired, adjust: 1 },
    ]);

    expect(shown.map(({ sku }) => sku).sort()).toEqual(['NEW', 'OLD', 'R-1', 'SHIRT', 'SHIRT-M', 'SHIRT-S']);
    expect(bySku.lines.map(({ code, after }) => [code, after])).toEqual(
      shown.map(({ quantity }) => ['', quantity + 1]),
    );
    expect(byIds.lines).toMatchObject([
      { code: '', after: 3 },
      { code: '', after: 3 },
    ]);
    for (const { sku } of shown) {
      expect((await api.get(`/v1/stock?sku=${sku.toLowerCase()}`)).json()).toMatchObject({ data: [{ sku }] });
    }
  });

  it('takes the product that can be ordered for a SKU that an archived or inactive one has, too', async () => {
    await api.store.product({ sku: 'R-1', status: 'ARCHIVED', stock: 1 });
    const shirt = await api.store.product({ sku: 'SHIRT', status: 'DRAFT' });
    const variant = await api.store.variant(shirt, { sku: 'SHIRT', stock: 1 });

    const { lines } = await change([
      { sku: 'R-1', adjust: 1 },
      { sku: 'SHIRT', adjust: 1 },
    ]);

    expect(lines).toMatchObject([
      { code: '', after: 13 },
      { code: '', product_id: shirt, variant_id: variant, after: 2 },
    ]);
  });

  it('applies all lines or none when it is atomic, and names the refused ones', async () => {
    const { status, code, error } = await change(
      [
        { sku: 'R-1', adjust: 5 },
        { sku: 'R-1', set: 1, expected: 2 },
      ],
      { atomic: true, reference: 'ALL-1' },
    );

    expect([status, code]).toEqual([422, 'stock_refused']);
    expect(error).toBe('Nothing was changed: lines[1]: stale: The bin holds 17, not 2');
    expect(await stock()).toBe(12);
    expect((await change([{ sku: 'R-1', adjust: 5 }], { reference: 'ALL-1' })).status).toBe(200);
  });

  it('makes a bin that the first line names when it is asked to', async () => {
    const [warehouse] = await sql<{ code: string }>('SELECT code FROM warehouses WHERE store_id = $1', api.store.id);
    const into = { sku: 'R-1', warehouse: warehouse?.code, bin: 'NEW-1', adjust: 4 };

    expect((await change([into])).lines).toMatchObject([{ code: 'unknown_bin' }]);
    const { lines } = await change([into, into], { create_bins: true });

    expect(lines).toMatchObject([
      { bin: 'NEW-1', before: 0, after: 4 },
      { bin: 'NEW-1', before: 4, after: 8 },
    ]);
  });

  it('gives the ids of the bins of a refused request, which all stores share, to later bins', async () => {
    const [warehouse] = await sql<{ code: string }>('SELECT code FROM warehouses WHERE store_id = $1', api.store.id);
    const into = (n: number) => ({ sku: 'R-1', warehouse: warehouse?.code, bin: `NEW-${n}`, adjust: 1 });
    const good = [into(1), into(2), into(3)];
    const all = (lines: readonly object[]) => change(lines, { create_bins: true, atomic: true });
    const refused = [...good, { sku: 'none', adjust: 1 }];
    const last = async () => (await sql(`SELECT last_value FROM bins_id_seq`))[0];
    expect((await all(refused)).status).toBe(422);
    const before = await last();

    for (let n = 0; n < 3; n++) expect((await all(refused)).status).toBe(422);
    const made = await all(good);

    expect(made.lines.map(({ after }) => after)).toEqual([1, 1, 1]);
    expect(await last()).toEqual(before);
  });

  it('puts a product into up to 250 bins, in the order of the lines', async () => {
    const warehouse = await makeBins(252, 'L');
    const into = (n: number, write: object = { adjust: 1 }) => ({ sku: 'R-1', warehouse, bin: `L-${n}`, ...write });
    const others = Array.from({ length: 251 }, (_, n) => into(n + 2));

    const many = await change([into(252, { adjust: -1 }), ...others, into(1)]);
    const one = await change([into(1), into(2), into(1, { set: 3, expected: null })]);

    const text = 'The product or variant is in 250 bins, the maximum for requests';
    expect(many.lines.map(({ code }) => code)).toEqual([
      'below_zero',
      ...Array.from({ length: 249 }, () => ''),
      ...Array.from({ length: 3 }, () => 'too_many_bins'),
    ]);
    expect(one.lines).toMatchObject([
      { code: 'too_many_bins', error: text, before: null },
      { code: '', before: 1 },
      { code: 'too_many_bins', error: text },
    ]);
    expect(await sql('SELECT FROM stock WHERE store_id = $1', api.store.id)).toHaveLength(250);
  });

  it('makes no bin for a line that is refused', async () => {
    const warehouse = await fillBins(250);
    const into = (bin: string, write: object, sku = 'R-2') => ({ sku, warehouse, bin, ...write });
    await api.store.product({ sku: 'R-2' });
    const { cursor: middle } = await new FeedReader(api, 'limit=1').page();

    const { lines } = await change(
      [
        into('N-1', { adjust: -1 }),
        into('N-2', { set: 4, expected: 3 }),
        into('N-3', { adjust: 1 }, 'R-1'),
        into('N-4', { counted: 1, as_of: middle, basis: 'on_hand' }),
        into('N-5', { adjust: -1 }),
        into('N-5', { adjust: 1 }),
      ],
      { create_bins: true },
    );

    expect(lines.map(({ code }) => code)).toEqual([
      ...['unknown_bin', 'unknown_bin', 'too_many_bins', 'cursor_expired', 'below_zero', ''],
    ]);
    const made = await sql(`SELECT code FROM bins WHERE store_id = $1 AND code LIKE 'N-%'`, api.store.id);
    expect(made).toEqual([{ code: 'N-5' }]);
  });

  it.each([
    ['a product', 249, 'L'],
    ['the store', 100_000 - 1, 'FULL'],
  ])('keeps to the limit of bins of %s when requests come together', async (_, bins, prefix) => {
    const warehouse = prefix === 'L' ? await fillBins(bins) : await makeBins(bins - 1, prefix);
    const into = (bin: string) => change([{ sku: 'R-1', warehouse, bin, adjust: 1 }], { create_bins: true });
    // The requests have read what there is when the first may write.
    const lock = await openTransaction(application.database, 'LOCK TABLE bins IN SHARE ROW EXCLUSIVE MODE');
    const both = Promise.all([into('N-1'), into('N-2')]);
    await eventually(async () => expect(await lockWaits(application.database)).toBe(2));
    await lock.end();

    const codes = (await both).map(({ lines }) => lines[0]?.code).sort();

    expect(codes).toEqual(['', 'too_many_bins']);
  });

  it('makes no bin once the codes of all bins have 2 MB, which each list of warehouses shows', async () => {
    const warehouse = await makeBins(0, 'L');
    await sql(
      `INSERT INTO bins (store_id, warehouse_id, code)
       SELECT $1, id, repeat('😀', 63) || lpad(n::text, 4, '0') FROM warehouses, generate_series(1, 8191) AS n WHERE store_id = $1 AND code = $2`,
      api.store.id,
      warehouse,
    );
    const error = 'The bin codes of the store have 2 MB in total, the maximum for requests';
    const long = '😀'.repeat(64);
    const into = (bin: string) => ({ sku: 'R-1', warehouse, bin, adjust: 1 });

    const { lines } = await change([into('N-1'), into(long), into('N-2')], { create_bins: true });
    const imported = await api.post('/v1/import', { lines: [{ kind: 'bin', warehouse, code: long }] });

    expect(lines).toMatchObject([{ code: '' }, { code: 'too_many_bins', error }, { code: '' }]);
    expect(imported.json()).toMatchObject({ data: { lines: [{ result: 'refused', error }] } });
  });

  it('applies requests with the same reference once, and answers them alike', async () => {
    const twice = () => Promise.all([1, 2].map(() => change([{ sku: 'R-1', adjust: 10 }], { reference: 'GR-7' })));

    const bodies = new Set([...(await twice()), ...(await twice())].map(({ response }) => response.body));

    expect(bodies.size).toBe(1);
    expect(await stock()).toBe(22);
    const other = await change([{ sku: 'R-1', adjust: 11 }], { reference: 'GR-7' });
    expect([other.status, other.code]).toEqual([422, 'reference_taken']);
  });

  it('applies requests with the same idempotency key once, and keeps no personal data with the answer', async () => {
    const key = { 'idempotency-key': 'stock-1' };
    const first = await change([{ sku: 'R-1', adjust: 10 }], {}, key);
    const second = await change([{ sku: 'R-1', adjust: 10 }], {}, key);

    expect(second.response.body).toBe(first.response.body);
    expect(second.response.headers['idempotent-replayed']).toBe('true');
    expect(await stock()).toBe(22);
    const kept = await sql('SELECT kind, order_id FROM idempotency_keys WHERE store_id = $1', api.store.id);
    expect(kept).toEqual([{ kind: 'stock', order_id: null }]);
    expect((await api.post('/v1/orders', anOrderBody(product), key)).headers['x-error-code']).toBe(
      'idempotency_mismatch',
    );
  });

  it.each([
    [{ adjust: 1 }, 'must have either sku or product_id'],
    [{ sku: 'R-1', product_id: 1, adjust: 1 }, 'must have either sku or product_id'],
    [{ sku: 'R-1' }, 'must have one of adjust, set and counted'],
    [{ sku: 'R-1', adjust: 1, set: 1, expected: 1 }, 'must have one of adjust, set and counted'],
    [{ sku: 'R-1', set: 1 }, 'expected is required'],
    [{ sku: 'R-1', counted: 1 }, 'as_of is required; basis is required'],
    [{ sku: 'R-1', variant_id: 5, adjust: 1 }, 'variant_id requires product_id'],
    [{ sku: 'R-1', bin: 'A 1/2', adjust: 1 }, 'bin must be 1 to 64 characters without whitespace or slashes'],
    [{ sku: 'R-1', adjust: 1, expected: 12 }, 'expected requires set'],
    [{ sku: 'R-1', adjust: 1, as_of: 'x', basis: 'on_hand' }, 'as_of requires counted; basis requires counted'],
    [{ sku: 'R-1', ajust: 1, adjust: 1 }, 'ajust is not a field of this request'],
    [{ sku: 'R-1', adjust: 1.5 }, 'adjust must be an integer from -2147483647 to 2147483647'],
    [
      { sku: 'R-1', counted: 1, as_of: 'nonsense', basis: 'on_hand' },
      'The cursor is malformed, or belongs to another store, mode or set of kinds',
    ],
  ])('refuses a line that does not say one thing, and applies the others: %j', async (line, error) => {
    const before = await stock();

    const { status, lines } = await change([line, { sku: 'R-1', adjust: 1 }]);

    expect(status).toBe(200);
    expect(lines).toMatchObject([
      { line: 1, sku: '', before: null, code: 'invalid', error },
      { line: 2, code: '' },
    ]);
    expect(await stock()).toBe(before + 1);
  });

  it('changes nothing when it is atomic and a line does not say one thing', async () => {
    const before = await stock();

    const { status, code, error } = await change([{ sku: 'R-1', adjust: 1 }, { sku: 'R-1' }], { atomic: true });

    expect([status, code]).toEqual([422, 'stock_refused']);
    expect(error).toContain('lines[1]: invalid: must have one of adjust, set and counted');
    expect(await stock()).toBe(before);
  });
});

describe('a count', () => {
  it('does not put units on sale that were sold after its cursor', async () => {
    const at = await cursor();
    await place(3);
    await change([{ sku: 'R-1', adjust: 10 }]);

    const { lines } = await change([counted(12, at)]);

    expect(lines).toMatchObject([{ before: 19, after: 19, short: 0, code: '' }]);
  });

  it('does not put units on sale that were sold before its cursor and lay on the shelf', async () => {
    const id = await place(3);
    const at = await cursor();

    expect((await change([counted(12, at, 'on_hand')])).lines).toMatchObject([{ before: 9, after: 9 }]);
    expect((await change([counted(9, at, 'available')])).lines).toMatchObject([{ after: 9 }]);
    await ship(id);

    expect((await change([counted(12, at, 'on_hand')])).lines).toMatchObject([{ after: 9 }]);
    expect((await change([counted(9, await cursor(), 'on_hand')])).lines).toMatchObject([{ after: 9 }]);
  });

  it('corrects what was wrong, and replaces an earlier count at the same cursor', async () => {
    const at = await cursor();
    await place(2);

    expect((await change([counted(20, at)])).lines).toMatchObject([{ before: 10, after: 18 }]);
    expect((await change([counted(15, at)])).lines).toMatchObject([{ before: 18, after: 13 }]);
  });

  it('is superseded by a count at a later cursor, and by a set', async () => {
    const first = await cursor();
    await place(1);
    const second = await cursor();
    await change([counted(11, second)]);

    expect((await change([counted(12, first)])).lines).toMatchObject([{ code: 'superseded', before: 11, after: 11 }]);
    await change([{ sku: 'R-1', set: 4, expected: 11 }]);
    expect((await change([counted(11, second)])).lines).toMatchObject([{ code: 'superseded', after: 4 }]);
    expect((await change([counted(4, await cursor())])).lines).toMatchObject([{ code: '', after: 4 }]);
  });

  it('is superseded by a later line of the request with a later cursor, so that a request reads each bin at one cursor', async () => {
    const first = await cursor();
    await place(1);
    const second = await cursor();
    await place(1);

    const { lines } = await change([counted(20, first), counted(15, second), counted(14, second), counted(20, first)]);

    expect(lines).toMatchObject([
      { code: 'superseded', before: 10, after: 10 },
      { code: '', before: 10, after: 14 },
      { code: '', before: 14, after: 13 },
      { code: 'superseded', before: 13, after: 13 },
    ]);
  });

  it('is superseded by a stock line of an import, unless the bin held its quantity already', async () => {
    const at = await cursor();
    const [row] = await sql<{ bin: string; product: string }>(
      `SELECT warehouses.code || '/' || bins.code AS bin, products.slug AS product
       FROM stock JOIN bins USING (store_id) JOIN warehouses USING (store_id) JOIN products USING (store_id)
       WHERE stock.store_id = $1 AND bins.id = bin_id AND warehouses.id = warehouse_id AND products.id = product_id`,
      api.store.id,
    );
    const { importLines } = bundleImports(() => application.database);
    const receive = (quantity: number) =>
      importLines({ kind: 'stock', store: api.store.subdomain, bin: '', product: '', ...row, quantity });

    await receive(12);
    expect((await change([counted(11, at)])).lines).toMatchObject([{ code: '', before: 12, after: 11 }]);
    await receive(14);
    expect((await change([counted(14, at)])).lines).toMatchObject([{ code: 'superseded', before: 14, after: 14 }]);
    expect((await change([counted(13, await cursor())])).lines).toMatchObject([{ code: '', after: 13 }]);
  });

  it('leaves 0 when more is sold than it finds, and says how many are short', async () => {
    const at = await cursor();
    await place(5);

    const { lines } = await change([counted(3, at)]);

    expect(lines).toMatchObject([{ before: 7, after: 0, short: 2, code: '' }]);
  });

  it('tells the merchant once what a bin is short of, by its last count', async () => {
    const at = await cursor();
    await place(5);

    await change([counted(3, at), counted(1, at)]);
    await change([counted(1, at), counted(9, at)]);

    const notices = await sql<{ short: { units: number }[] }>(
      'SELECT details AS short FROM merchant_notices WHERE store_id = $1',
      api.store.id,
    );
    expect(notices.map(({ short }) => short.map(({ units }) => units))).toEqual([[4]]);
  });

  it('is refused at a cursor of another history', async () => {
    const at = await cursor();
    await sql('SELECT begin_branch()');

    const { lines } = await change([counted(1, at)]);

    expect(lines).toMatchObject([{ code: 'cursor_expired' }]);
    await place(1);
    expect((await change([counted(11, await cursor())])).lines).toMatchObject([{ code: '', after: 11 }]);
  });

  it('is refused at every cursor that a page with more has, also where a numbering ended', async () => {
    // A shipment changes the order only: the numbering ends with an entry that stays where it is.
    for (let n = 0; n < 4; n++) {
      const id = await place(1);
      await cursor();
      await ship(id);
      await cursor();
    }
    const reader = new FeedReader(api, 'limit=1');
    const pages: { more: boolean; code: string | undefined; after: number | null | undefined }[] = [];
    for (let more = true; more;) {
      more = (await reader.page()).has_more;
      const [line] = (await change([counted(8, reader.cursor ?? '', 'on_hand')])).lines;
      pages.push({ more, code: line?.code, after: line?.after });
    }

    const [last, ...others] = pages.toReversed();
    expect(last).toEqual({ more: false, code: '', after: 8 });
    expect(others.length).toBeGreaterThan(4);
    expect(others).toEqual(others.map(() => ({ more: true, code: 'cursor_expired', after: null })));
  });

  it('is refused where a numbering left committed changes to the next one', async () => {
    const at = await cursor();
    await sql('UPDATE feed_snapshots SET snapshot = NULL WHERE store_id = $1', api.store.id);

    expect((await change([counted(12, at)])).lines).toMatchObject([{ code: 'cursor_expired' }]);
  });

  it('is not superseded by a count of a history that a restore has ended', async () => {
    await change([counted(12, await cursor())]);
    await sql(
      `INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity, counted_at)
       SELECT store_id, bin_id, product_id, variant_key, 'COUNT', 0, 1000000 FROM stock WHERE store_id = $1`,
      api.store.id,
    );
    expect((await change([counted(12, await cursor())])).lines).toMatchObject([{ code: 'superseded' }]);

    // A copy of the database in another cluster looks like this.
    await sql(
      `UPDATE change_branches SET place = 'elsewhere ' || place WHERE number = (SELECT max(number) FROM change_branches)`,
    );
    await place(1);
    expect((await change([counted(11, await cursor())])).lines).toMatchObject([{ code: '', after: 11 }]);
  });
});

describe('GET /v1/stock', () => {
  const list = async (query = '') => {
    const response = await api.get(`/v1/stock?${query}`);
    return response.json<{ data: Record<string, string | number | null>[]; pagination: { total: number } }>();
  };

  it('filters by SKU, product, warehouse and bin', async () => {
    const other = await api.store.product({ sku: 'O-1', stock: [1, 2] });
    const [, first] = (await list()).data;

    expect((await list('sku=o-1')).pagination.total).toBe(2);
    expect((await list(`product_id=${other}`)).pagination.total).toBe(2);
    expect((await list(`warehouse=${first?.['warehouse']}`)).pagination.total).toBe(3);
    expect((await list(`warehouse=${first?.['warehouse']}&bin=${first?.['bin']}`)).data).toEqual([first]);
    expect((await list('bin=nope')).data).toEqual([]);
  });
});

describe('GET /v1/stock/movements', () => {
  const list = async (query = '') => {
    const response = await api.get(`/v1/stock/movements?${query}`);
    expect([query, response.statusCode]).toEqual([query, 200]);
    return response.json<{ data: Record<string, unknown>[]; pagination: { total: number } }>();
  };
  const quantities = async (query: string) => (await list(query)).data.map(({ quantity }) => quantity);

  it('lists what orders and changes of stock moved, newest first, with who did it', async () => {
    const order = await place(2);
    await change([{ sku: 'R-1', adjust: 5 }], { reference: 'GR-1' });

    const { data, pagination } = await list();

    const unit = {
      sku: 'R-1',
      product_id: product,
      variant_id: null,
      warehouse: 'MAIN',
      bin: expect.any(String) as string,
    };
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/) as string;
    const times = { at, booked_at: at };
    const actor = { type: 'key', id: expect.any(String) as string, name: '' };
    expect(data).toEqual([
      { ...times, ...unit, quantity: 5, kind: 'ADJUSTMENT', reference: 'GR-1', order_id: null, actor },
      { ...times, ...unit, quantity: -2, kind: 'ORDER', reference: '', order_id: order, actor: null },
      { ...times, ...unit, quantity: 12, kind: 'OPENING', reference: '', order_id: null, actor: null },
    ]);
    expect(pagination).toEqual({ total: 3, page: 1, limit: 50 });
    expect(await quantities('limit=2&page=2')).toEqual([12]);
    expect((await list('page=9')).pagination.total).toBe(3);
  });

  it('filters by SKU, product, warehouse and bin', async () => {
    const other = await api.store.product({ sku: 'O-1', stock: [1, 2] });
    const [last] = (await list()).data;

    expect(await quantities('sku=o-1')).toEqual([2, 1]);
    expect(await quantities(`product_id=${other}`)).toEqual([2, 1]);
    expect(await quantities('warehouse=MAIN')).toEqual([2, 1, 12]);
    expect(await quantities(`bin=${String(last?.['bin'])}`)).toEqual([2]);
    expect(await quantities(`warehouse=MAIN&sku=R-1,O-1&bin=${String(last?.['bin'])}`)).toEqual([2]);
    for (const none of ['sku=', 'sku=%00', 'product_id=x', 'warehouse=main', 'bin=%00'])
      expect([none, (await list(none)).pagination.total]).toEqual([none, 0]);
  });

  it('lists units at the time at which they moved, at most 60 days ago, and says when that was reported', async () => {
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const at = ago(59);
    const line = { sku: 'R-1', adjust: 5 };
    await change([line], { at, reference: 'GR-1' });

    const refused = await api.post('/v1/stock', { lines: [line], at: ago(61) });

    expect([refused.statusCode, refused.headers['x-error-code']]).toEqual([422, 'dated_too_early']);
    expect((await api.post('/v1/stock', { lines: [line], at: ago(-2) })).statusCode).toBe(400);
    const { data } = await list(`to=${ago(58)}&sku=R-1`);
    expect(data).toMatchObject([{ at, quantity: 5, reference: 'GR-1' }]);
    expect(Date.parse(String(data[0]?.['booked_at']))).toBeGreaterThan(Date.parse(ago(1)));
    expect(await quantities('')).toEqual([12, 5]);
    expect(await stock()).toBe(17);
  });

  it('covers the given times, or without a beginning and a product the last 90 days', async () => {
    const times = ['2020-03-28T22:59:59.999Z', '2020-03-28T23:00:00.000Z', '2020-03-29T22:00:00.000Z'];
    await sql(
      `INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity, created_at)
       SELECT store_id, bin_id, product_id, variant_key, 'ADJUSTMENT', n, time
       FROM stock, unnest($2::int[], $3::timestamptz[]) AS moved (n, time) WHERE store_id = $1`,
      ...[api.store.id, [1, 2, 3], times],
    );
    const day = 'from=2020-03-29T00:00:00+01:00&to=2020-03-30T00:00:00+02:00';

    expect(await quantities(day)).toEqual([2]);
    expect(await quantities(`${day}&sku=R-1&warehouse=MAIN`)).toEqual([2]);
    expect(await quantities('from=2020-03-28T22:59:59.999Z&limit=3')).toEqual([12, 3, 2]);
    expect(await quantities('to=2020-03-29T22:00:00Z')).toEqual([2, 1]);
    for (const recent of ['', 'warehouse=MAIN', 'to=2999-01-01T00:00:00Z'])
      expect(await quantities(recent)).toEqual([12]);
    for (const all of ['sku=R-1', `product_id=${product}`]) expect(await quantities(all)).toEqual([12, 3, 2, 1]);
    const refused = await api.get('/v1/stock/movements?to=2020-03-29');
    expect([refused.statusCode, refused.json<{ error: string }>().error]).toEqual([
      400,
      expect.stringContaining('to must be a time with a zone'),
    ]);
  });
});

it('GET /v1/warehouses lists the warehouses with their bins, for every key', async () => {
  await api.store.warehouse({ active: false });
  const key = await api.store.createKey('live', 'read');

  const { statusCode, body } = await api.get('/v1/warehouses?limit=1', { authorization: `Bearer ${key}` });

  expect([statusCode, JSON.parse(body)]).toEqual([
    200,
    {
      success: true,
      data: [{ code: 'MAIN', name: 'Main', active: true, bins: [expect.any(String)] }],
      pagination: { total: 2, page: 1, limit: 1 },
    },
  ]);
});

it('shows the stock of a moved bin in the feed, also of an order', async () => {
  const reader = new FeedReader(api, 'kinds=stock');
  await reader.catchUp();

  await place(2);

  const seen = await reader.catchUp();
  expect(seen).toHaveLength(1);
  expect([...reader.copy.values()]).toMatchObject([{ kind: 'stock', data: { sku: 'R-1', quantity: 10 } }]);
});

it('begins a branch of the feed beside a transaction that has moved stock: a fail-over waits for nobody', async () => {
  const mover = await openTransaction(
    application.database,
    `INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity)
     SELECT store_id, bin_id, product_id, variant_key, 'ADJUSTMENT', 0 FROM stock WHERE store_id = ${api.store.id}`,
  );

  await sql(`SELECT begin_branch() FROM (SELECT set_config('lock_timeout', '100ms', true)) AS quickly`);

  await mover.end();
  await place(1);
  expect((await change([counted(11, await cursor())])).lines).toMatchObject([{ code: '', after: 11 }]);
});

it('neither deadlocks nor loses a unit when large changes and orders meet', async () => {
  const products = await Promise.all(
    Array.from({ length: 20 }, (_, n) => api.store.product({ sku: `M-${n}`, stock: 100 })),
  );
  const lines = products.map((id) => ({ product_id: id, adjust: 1 }));
  const orders = Array.from({ length: 20 }, (_, n) => {
    const picked = [products[n], products[(n * 7 + 3) % 20], products[(n * 13 + 5) % 20]];
    return api.place({ items: picked.map((id) => ({ product_id: id, quantity: 1 })), customer: { name: 'Ada' } });
  });
  const changes = [lines, lines.toReversed()].map((each) => change(each));

  const [changed] = await Promise.all([Promise.all(changes), Promise.all(orders)]);

  expect(changed.map(({ status }) => status)).toEqual([200, 200]);
  const [left] = await sql<{ units: number }>(
    'SELECT sum(quantity)::int AS units FROM stock WHERE store_id = $1 AND product_id = ANY ($2)',
    api.store.id,
    products,
  );
  expect(left?.units).toBe(20 * 100 + 2 * 20 - 3 * 20);
});

it('leaves connections to other stores while a store changes as much stock as it can', async () => {
  const other = await application.withStore();
  const mug = await other.store.product({ stock: 5 });
  const lock = `SELECT FROM stock WHERE store_id = ${api.store.id} FOR UPDATE`;
  const holder = await openTransaction(application.database, lock);

  const changes = Array.from({ length: 12 }, () => change([{ sku: 'R-1', adjust: 1 }]));
  const refused = await Promise.race(changes);
  const others = [
    await other.get('/v1/products'),
    await other.post('/v1/orders', anOrderBody(mug, 1)),
    await other.post('/v1/stock', { lines: [{ product_id: mug, adjust: 1 }] }),
  ];
  await holder.end();

  expect(others.map(({ statusCode }) => statusCode)).toEqual([200, 201, 200]);
  expect([refused.code, refused.response.headers['retry-after']]).toEqual(['overloaded', '1']);
  const codes = (await Promise.all(changes)).map(({ code }) => code);
  expect(codes.filter((code) => code === undefined)).toHaveLength(2);
  expect(await stock()).toBe(14);
});
