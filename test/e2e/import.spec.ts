import { anOrderBody } from '../builders/order-body.js';
import { FeedReader } from '../support/feed-reader.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface Imported {
  readonly line: number;
  readonly kind: string;
  readonly id: string;
  readonly result: string;
  readonly error: string;
}

type Line = Readonly<Record<string, unknown>>;

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const NDJSON = { 'content-type': 'application/x-ndjson' };
const PRODUCT = { kind: 'product', slug: 'mug', name: 'Mug', price: '9.90' };
const VARIANTS = [
  { sku: 'MUG-S', name: 'Small', price: '8.00', attributes: { Size: 'S' }, metadata: { erp_id: '1' } },
  { sku: 'MUG-L', name: 'Large' },
];
const CUSTOMER = { kind: 'customer', name: 'Ada', email: 'ada@example.com', metadata: { erp_id: 'D-1' } };
const ORDER = {
  ...{ kind: 'order', receipt_number: 'POS-1', source: 'POS', status: 'SUCCEEDED', fulfillment_status: 'DELIVERED' },
  ...{ payment_method: 'CASH', currency: 'USD', amount: 990, total_amount: 990 },
  ...{ customer_email: 'ada@example.com', created_at: '2026-01-02T03:04:05.000Z' },
  line_items: [{ product: 'mug', variant: 'MUG-S', name: 'Mug', unit_price: 990, quantity: 1 }],
};
const PRICES: readonly Line[] = [
  { kind: 'price_list', code: 'VIP', name: 'Best customers', priority: 5, customer_groups: ['vip'] },
  {
    ...{ kind: 'list_price', list: 'VIP', product: 'mug', variant: 'MUG-S', min_quantity: 6, step: 6 },
    price_breaks: [
      { from_quantity: 1, price: '7.50' },
      { from_quantity: 24, price: '7.00' },
    ],
  },
  { kind: 'quantity_rule', product: 'mug', min_quantity: 2 },
];
const STORE_LINES: readonly Line[] = [
  { kind: 'warehouse', code: 'EAST', name: 'East' },
  { kind: 'bin', warehouse: 'EAST', code: 'A-1' },
  { kind: 'brand', slug: 'globex', name: 'Globex' },
  { kind: 'category', slug: 'kitchen', name: 'Kitchen' },
  { kind: 'category', slug: 'cups', name: 'Cups', parent: 'kitchen' },
  { ...PRODUCT, sku: 'MUG', brand: 'globex', categories: ['cups'], variants: VARIANTS, status: 'DRAFT' },
  ...PRICES,
  CUSTOMER,
  ORDER,
];

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** Creates a store with the lines above. */
async function aStore(lines: readonly Line[] = STORE_LINES) {
  const of = await api.withStore();
  const send = (body: object | string, headers?: Record<string, string>) => of.post('/v1/import', body, headers);
  const write = async (...given: readonly Line[]): Promise<readonly Imported[]> => {
    const response = await send({ lines: given });
    expect([response.statusCode, response.body]).toEqual([200, expect.any(String)]);
    return response.json<{ data: { lines: readonly Imported[] } }>().data.lines;
  };
  const shown = async (path: string) => (await of.get(path)).json<{ data: Record<string, unknown> }>().data;
  const sql = <Row>(text: string) => of.database.query<Row>(text, [of.store.id]);
  const written = await write(...lines);
  return { ...of, send, write, shown, sql, written };
}

const resultsOf = (lines: readonly Imported[]) => lines.map(({ result }) => result);
const refusalOf = (lines: readonly Imported[]) => lines.map(({ error }) => error);

describe('POST /v1/import', () => {
  it('creates a row of each kind, and names it', async () => {
    const { written, shown, sql } = await aStore();

    const [{ id: customer } = { id: '' }] = await sql<{ id: string }>('SELECT id FROM customers WHERE store_id = $1');
    const [{ id: order } = { id: '' }] = await sql<{ id: string }>('SELECT id FROM orders WHERE store_id = $1');
    const anId = expect.stringMatching(/^\d+$/) as string;
    expect(written.map(({ line, kind, id, result, error }) => [line, kind, id, result, error])).toEqual([
      [1, 'warehouse', 'EAST', 'created', ''],
      [2, 'bin', 'EAST/A-1', 'created', ''],
      [3, 'brand', anId, 'created', ''],
      [4, 'category', anId, 'created', ''],
      [5, 'category', anId, 'created', ''],
      [6, 'product', anId, 'created', ''],
      [7, 'price_list', 'VIP', 'created', ''],
      [8, 'list_price', expect.stringMatching(/^\d+-\d+$/), 'created', ''],
      [9, 'quantity_rule', anId, 'created', ''],
      [10, 'customer', customer, 'created', ''],
      [11, 'order', order, 'created', ''],
    ]);
    expect(await shown('/v1/customers/' + customer)).toMatchObject({ name: 'Ada', metadata: { erp_id: 'D-1' } });
    expect(await shown('/v1/orders/POS-1')).toMatchObject({ amount: 990, customer: { email: 'ada@example.com' } });
  });

  it('finds all lines unchanged when they come again, moves no time and has nothing in the feed', async () => {
    const { write, sql, ...of } = await aStore();
    const times = `SELECT kind, entity, position, changed_at FROM changes WHERE store_id = $1 ORDER BY position`;
    const reader = new FeedReader(of);
    expect(await reader.catchUp()).not.toEqual([]);
    const before = await sql(times);

    const again = await write(...STORE_LINES);

    expect(resultsOf(again)).toEqual(STORE_LINES.map(() => 'unchanged'));
    expect(await reader.catchUp()).toEqual([]);
    expect(await sql(times)).toEqual(before);
  });

  it.each<[string, Line]>([
    ['name', { name: 'Cup' }],
    ['price', { price: '10.00' }],
    ['sku', { sku: 'CUP' }],
    ['status', { status: 'ACTIVE' }],
    ['featured', { featured: true }],
    ['description', { description: 'Holds tea' }],
    ['brand', { brand: null }],
    ['categories', { categories: ['kitchen'] }],
    ['images', { images: [{ url: 'https://img.example/1.jpg' }] }],
    ['specifications', { specifications: [{ name: 'Weight', value: '300 g' }] }],
    ['metadata', { metadata: { erp_id: '4711' } }],
    ['variants', { variants: VARIANTS.slice(0, 1) }],
    ['variants', { variants: [] }],
    ['categories', { categories: [] }],
  ])('changes the %s of a product, and leaves what the line does not give', async (field, given) => {
    const { write, sql } = await aStore();
    const product = `SELECT name, price, sku, status, featured, description, brand_id IS NOT NULL AS brand, images,
        specifications, metadata, (SELECT array_agg(slug) FROM product_categories JOIN categories USING (store_id)
          WHERE product_id = products.id AND category_id = categories.id) AS categories,
        (SELECT array_agg((sku, name, price, attributes, metadata, status)::text ORDER BY position)
          FROM product_variants AS v WHERE v.store_id = products.store_id AND v.product_id = products.id) AS variants
      FROM products WHERE store_id = $1`;
    const [before = {}] = await sql<Record<string, unknown>>(product);

    const changed = await write({ kind: 'product', slug: 'mug', ...given });

    expect([resultsOf(changed), refusalOf(changed)]).toEqual([['updated'], ['']]);
    const [after = {}] = await sql<Record<string, unknown>>(product);
    expect(Object.keys(after).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))).toEqual([
      field,
    ]);
  });

  it.each<[Line, string]>([
    [{ kind: 'product', slug: 'jug', price: '1' }, 'product.name is required'],
    [{ kind: 'product', slug: 'jug', name: 'Jug' }, 'product.price is required'],
    [{ kind: 'brand', slug: 'acme' }, 'brand.name is required'],
    [{ kind: 'category', slug: 'garden' }, 'category.name is required'],
    [{ kind: 'warehouse', code: 'NORTH' }, 'warehouse.name is required'],
    [{ kind: 'customer', email: 'bob@example.com' }, 'customer.name is required'],
    [{ kind: 'bin', warehouse: 'NORTH', code: 'B-1' }, 'warehouse "NORTH" is not known'],
    [{ kind: 'product', slug: 'mug', brand: 'acme' }, 'brand "acme" is not known'],
    [{ kind: 'product', slug: 'mug', categories: ['garden'] }, 'category "garden" is not known'],
    [{ kind: 'product', slug: 'mug', prise: '1' }, 'product has no field "prise"'],
    [
      { kind: 'product', slug: 'mug', price: '1e3' },
      'product.price must be a decimal of at least 0 in major units, such as 79.90',
    ],
    [{ kind: 'category', slug: 'kitchen', parent: 'cups' }, 'category.parent makes the category its own ancestor'],
    [{ kind: 'product', slug: 'mug', store: 'another' }, 'product has no field "store"'],
    [{ ...CUSTOMER, password_hash: 'x' }, 'customer has no field "password_hash"'],
    [{ ...CUSTOMER, verification_token: 'x' }, 'customer has no field "verification_token"'],
    [{ ...CUSTOMER, national_id: 'x' }, 'customer has no field "national_id"'],
    [{ ...ORDER, is_test: true }, 'order has no field "is_test"'],
    [
      { kind: 'stock', bin: 'MAIN/A-1', product: 'mug', quantity: 1 },
      'kind must be one of warehouse, bin, brand, category, product, price_list, list_price, quantity_rule, customer, order',
    ],
  ])('refuses %j alone, and applies the others', async (line, error) => {
    const { write, sql } = await aStore();

    const lines = await write({ ...PRODUCT, slug: 'first' }, line, { ...PRODUCT, slug: 'last' });

    expect(lines.map(({ result }) => result)).toEqual(['created', 'refused', 'created']);
    expect(lines[1]).toEqual({
      line: 2,
      kind: line['kind'] === 'stock' ? '' : line['kind'],
      id: '',
      result: 'refused',
      error,
      warning: '',
    });
    expect(await sql(`SELECT slug FROM products WHERE store_id = $1 AND slug <> 'mug' ORDER BY slug`)).toEqual([
      { slug: 'first' },
      { slug: 'last' },
    ]);
  });

  it('refuses what refers to a refused or a later line', async () => {
    const { write } = await aStore();

    const lines = await write(
      { kind: 'brand', slug: 'acme' },
      { ...PRODUCT, slug: 'jug', brand: 'acme' },
      { ...PRODUCT, slug: 'pot', brand: 'later' },
      { kind: 'brand', slug: 'later', name: 'Later' },
    );

    expect(refusalOf(lines)).toEqual([
      'brand.name is required',
      'brand "acme" is not known',
      'brand "later" is not known',
      '',
    ]);
  });

  it('changes nothing when it is atomic and a line is refused', async () => {
    const { send, sql } = await aStore();
    const bad = { kind: 'product', slug: 'mug', brand: 'acme' };
    const lines = [{ ...PRODUCT, slug: 'first' }, bad, { kind: 'product' }];

    const response = await send({ atomic: true, lines });

    expect([response.statusCode, response.headers['x-error-code'], response.json()]).toMatchObject([
      422,
      'import_refused',
      {
        success: false,
        error: 'Nothing was changed: line 2: brand "acme" is not known; line 3: product.slug is required',
      },
    ]);
    expect(await sql('SELECT slug FROM products WHERE store_id = $1')).toEqual([{ slug: 'mug' }]);
    expect((await send({ atomic: true, lines: lines.slice(0, 1) })).statusCode).toBe(200);
  });

  it.each<[string, unknown, string]>([
    ['of an unknown kind', { kind: 'voucher', code: 'X' }, 'kind must be one of'],
    ['of a kind that no request writes', { kind: 'stock', bin: 'MAIN/A-1', product: 'mug', quantity: 1 }, 'kind must'],
    ['without a kind', { slug: 'first', name: 'First' }, 'kind must be one of'],
    ['that is no object', 7, 'the line must be an object'],
  ])('changes nothing when it is atomic and has a line %s', async (_what, line, error) => {
    const { send, sql } = await aStore();

    const response = await send({ atomic: true, lines: [{ ...PRODUCT, slug: 'first' }, line] });

    expect([response.statusCode, response.headers['x-error-code']]).toEqual([422, 'import_refused']);
    expect(response.json<{ error: string }>().error).toContain(`Nothing was changed: line 2: ${error}`);
    expect(await sql('SELECT slug FROM products WHERE store_id = $1')).toEqual([{ slug: 'mug' }]);
  });

  const circle = (...slugs: readonly string[]) =>
    slugs.map((slug, n) => ({ kind: 'category', slug, name: slug, parent: slugs[(n + 1) % slugs.length] }));

  it.each([2, 3, 5])(
    'refuses a circle of %i categories, new or known, wherever it is among the lines',
    async (size) => {
      const { write, send, sql } = await aStore();
      const slugs = [...Array(size).keys()].map((n) => `c-${n}`);
      const others = [
        { kind: 'category', slug: 'before', name: 'Before', parent: 'kitchen' },
        { kind: 'category', slug: 'after', name: 'After', parent: 'cups' },
      ];
      const inCircles = async () => {
        const circles = await sql(
          `WITH RECURSIVE up AS (
           SELECT id, parent_id FROM categories WHERE store_id = $1
           UNION SELECT up.id, c.parent_id FROM up JOIN categories AS c ON c.store_id = $1 AND c.id = up.parent_id
         ) SELECT id FROM up WHERE parent_id = id`,
        );
        return circles.length;
      };

      const atOnce = await send({ atomic: true, lines: [others[0], ...circle(...slugs), others[1]] });
      const created = await write(...slugs.map((slug) => ({ kind: 'category', slug, name: slug })));
      const moved = await write(...others, ...circle(...slugs));

      expect([atOnce.statusCode, atOnce.headers['x-error-code']]).toEqual([422, 'import_refused']);
      expect(resultsOf(created)).toEqual(slugs.map(() => 'created'));
      expect(resultsOf(moved).filter((result) => result !== 'refused')).toHaveLength(size + 1);
      expect(refusalOf(moved).filter((error) => error !== '')).toEqual([
        'category.parent makes the category its own ancestor',
      ]);
      expect(await inCircles()).toBe(0);
    },
  );

  it('finds a slug in any letter case, and keeps that of the first line', async () => {
    const { write, shown } = await aStore();

    const lines = await write(
      { ...PRODUCT, slug: 'A-B', status: 'ACTIVE' },
      { kind: 'product', slug: 'a-b', name: 'Changed' },
      { kind: 'brand', slug: 'GLOBEX', logo: 'https://img.example/g.png' },
      { kind: 'category', slug: 'Cups', name: 'Mugs' },
      { kind: 'product', slug: 'a-B', brand: 'Globex', categories: ['CUPS'] },
    );

    expect([resultsOf(lines), refusalOf(lines)]).toEqual([
      ['created', ...Array<string>(4).fill('updated')],
      Array(5).fill(''),
    ]);
    expect(await shown('/v1/products?brand_id=' + lines[2]?.id)).toMatchObject([{ slug: 'A-B' }]);
    for (const slug of ['A-B', 'a-b']) {
      expect(await shown(`/v1/products/${slug}`)).toMatchObject({ slug: 'A-B', name: 'Changed' });
      expect(await shown(`/v1/products?slug=${slug}`)).toMatchObject([{ slug: 'A-B' }]);
    }
    expect(await shown('/v1/categories/CUPS')).toMatchObject({ slug: 'cups', name: 'Mugs' });
  });

  it('writes a repeated line after the earlier one', async () => {
    const { write, shown } = await aStore();

    const lines = await write({ ...PRODUCT, slug: 'pan' }, { kind: 'product', slug: 'pan', name: 'Pan' });

    expect(resultsOf(lines)).toEqual(['created', 'updated']);
    expect(await shown('/v1/products/pan')).toMatchObject({ name: 'Pan', price: 9.9 });
  });
});

describe('imported prices', () => {
  const priced = (line: Line) => ({ kind: 'list_price', list: 'VIP', product: 'mug', ...line });
  const one = (price: string) => [{ from_quantity: 1, price }];

  it.each<[Line, string]>([
    [{ kind: 'price_list', code: 'NEW' }, 'price_list.name is required'],
    [
      { kind: 'price_list', code: 'NEW', name: 'x', currency: 'EUR' },
      'price_list.currency must be USD, the currency of the store',
    ],
    [
      { kind: 'price_list', code: 'NEW', name: 'x', valid_from: '2026-02-02', valid_to: '2026-02-01' },
      'price_list.valid_to must not be before valid_from',
    ],
    [{ kind: 'price_list', code: 'NEW', name: 'x', valid_from: '2026-02-30' }, 'price_list.valid_from must be a date'],
    [priced({ list: 'NONE', price_breaks: one('1') }), 'price list "NONE" is not known'],
    [priced({ product: 'none', price_breaks: one('1') }), 'product "none" is not known'],
    [priced({ variant: 'NONE', price_breaks: one('1') }), 'product "mug": variant "NONE" is not known'],
    [priced({ price_breaks: one('1.001') }), 'list_price.price_breaks[0].price must have at most 2 decimals in USD'],
    [
      priced({ price_breaks: [...one('1'), ...one('2')] }),
      'list_price.price_breaks[1].from_quantity "1" is listed twice',
    ],
    [priced({ step: 2 }), 'list_price.price_breaks is required: the list has no price for the unit'],
    [{ kind: 'quantity_rule', product: 'mug' }, 'quantity_rule.min_quantity is required'],
  ])('refuse %j', async (line, error) => {
    const { write } = await aStore();

    expect(refusalOf(await write(line))).toEqual([expect.stringContaining(error)]);
  });

  it('replace those of the unit, and go with their rule by an empty list', async () => {
    const { write, sql } = await aStore();
    const unit = { variant: 'MUG-S' };
    const stored = () => sql('SELECT from_quantity, price::int FROM list_prices WHERE store_id = $1 ORDER BY 1');

    const results = [
      await write(priced({ ...unit, step: 2 })),
      await write(priced({ ...unit, price_breaks: [{ from_quantity: 24, price: '7.00' }, ...one('7.60')] })),
      await write(priced({ ...unit, price_breaks: one('7.60') })),
    ];
    const kept = await stored();
    results.push(
      await write(priced({ ...unit, price_breaks: [] })),
      await write(priced({ ...unit, price_breaks: [] })),
    );

    expect(results.flatMap(resultsOf)).toEqual(['updated', 'updated', 'updated', 'updated', 'unchanged']);
    expect([kept, await stored()]).toEqual([[{ from_quantity: 1, price: 760 }], []]);
    expect(await sql(`SELECT list FROM quantity_rules WHERE store_id = $1`)).toEqual([{ list: '' }]);
  });

  it('keep a store within its 1,000 lists', async () => {
    const { write, sql } = await aStore();
    await sql(`INSERT INTO price_lists (store_id, code, name) SELECT $1, n, 'x' FROM generate_series(1, 998) AS n`);
    const list = (code: string) => ({ kind: 'price_list', code, name: 'y' });

    const written = await write(list('7'), list('ONE'), list('TWO'), list('8'));

    expect(resultsOf(written)).toEqual(['updated', 'created', 'refused', 'updated']);
    expect(refusalOf(written)[2]).toBe('price_list exceeds the 1000 price lists that a store can have');
  });

  it('keep a store within its 1,000 warehouses', async () => {
    const { write, sql } = await aStore();
    await sql(
      `INSERT INTO warehouses (store_id, code, name)
       SELECT $1, n, 'x' FROM generate_series(1, 999 - (SELECT count(*) FROM warehouses WHERE store_id = $1)) AS n`,
    );
    const warehouse = (code: string) => ({ kind: 'warehouse', code, name: 'y' });

    const written = await write(warehouse('7'), warehouse('ONE'), warehouse('TWO'), warehouse('8'));

    expect(resultsOf(written)).toEqual(['updated', 'created', 'refused', 'updated']);
    expect(refusalOf(written)[2]).toBe('warehouse must be one of at most 1000 of the store');
  });
});

describe('the variants of an imported product', () => {
  const stock = async ({ post }: Pick<RunningApi, 'post'>, sku: string, more: object = {}) => {
    const lines = [{ sku, adjust: 5, warehouse: 'EAST', bin: 'A-1', ...more }];
    return (await post('/v1/stock', { lines })).json<{ data: { lines: { after: number; code: string }[] } }>().data
      .lines;
  };

  it('stay when the line has none, and follow the price of the product when they have none', async () => {
    const { write, shown, post, ...of } = await aStore();
    await write({ kind: 'product', slug: 'mug', status: 'ACTIVE', variants: VARIANTS });
    await stock({ post }, 'MUG-L');
    const reader = new FeedReader(of, 'kinds=skus');
    await reader.catchUp();

    await write({ kind: 'product', slug: 'mug', price: '20.00' });

    expect(await shown('/v1/products/mug')).toMatchObject({
      price: 20,
      variants: [
        { sku: 'MUG-S', price: 8 },
        { sku: 'MUG-L', price: 20 },
      ],
    });
    expect(await shown('/v1/skus')).toMatchObject([
      { sku: 'MUG-L', price: 20 },
      { sku: 'MUG-S', price: 8 },
    ]);
    const changed = await reader.catchUp();
    expect(changed.map((entry) => reader.copy.get(entry)?.data)).toMatchObject([{ sku: 'MUG-L', price: 20 }]);
    const order = { items: [{ sku: 'MUG-L', quantity: 1 }], customer: { name: 'Ada', email: 'ada@example.com' } };
    expect((await post('/v1/orders/preview', order)).json()).toMatchObject({ data: { total: 20 } });
  });

  it('have their own price from a change of prices on, also when it is that of the product', async () => {
    const { write, shown, post } = await aStore();
    await write({ kind: 'product', slug: 'mug', status: 'ACTIVE' });

    const changed = await post('/v1/prices', { lines: [{ sku: 'MUG-L', price: '9.90', expected: '9.90' }] });
    await write({ kind: 'product', slug: 'mug', price: '20.00' });

    expect(changed.json()).toMatchObject({ data: { lines: [{ before: 9.9, after: 9.9, code: '' }] } });
    expect(await shown('/v1/products/mug')).toMatchObject({ price: 20, variants: [{ price: 8 }, { price: 9.9 }] });
    await write({ kind: 'product', slug: 'mug', variants: VARIANTS });
    expect(await shown('/v1/products/mug')).toMatchObject({ variants: [{ price: 8 }, { price: 20 }] });
  });

  it.each<[string, readonly object[], string]>([
    [
      'leave the list',
      VARIANTS.slice(0, 1),
      'product.variants omits variants with stock, which become INACTIVE: "MUG-L" (units: 5)',
    ],
    [
      'get another SKU',
      [VARIANTS[0] ?? {}, { sku: 'MUG-XL', name: 'Large' }],
      'product.variants omits variants with stock, which become INACTIVE: "MUG-L" (units: 5)',
    ],
    [
      'become inactive',
      [VARIANTS[0] ?? {}, { ...VARIANTS[1], status: 'INACTIVE' }],
      'product.variants are now INACTIVE, so these units are not for sale: "MUG-L" (units: 5)',
    ],
    ['stay', VARIANTS, ''],
  ])('warn of their units when they %s', async (_what, variants, warning) => {
    const { write, ...of } = await aStore();
    await write({ kind: 'product', slug: 'mug', status: 'ACTIVE' });
    await stock(of, 'MUG-L');

    expect(await write({ kind: 'product', slug: 'mug', variants })).toMatchObject([{ warning }]);
  });

  it.each(['DRAFT', 'ARCHIVED'])('warn of their units when the product becomes %s, once', async (status) => {
    const { write, ...of } = await aStore();
    await write(
      { kind: 'product', slug: 'mug', status: 'ACTIVE' },
      { kind: 'bin', warehouse: 'EAST', code: 'A-2' },
      { kind: 'warehouse', code: 'SHUT', name: 'Shut', active: false },
      { kind: 'bin', warehouse: 'SHUT', code: 'A-1' },
    );
    await stock(of, 'MUG-L');
    await stock(of, 'MUG-L', { bin: 'A-2' });
    await stock(of, 'MUG-S', { warehouse: 'SHUT' });
    const line = { kind: 'product', slug: 'mug', status };

    const [first, again] = [await write(line), await write(line)];

    const warning = `product is now ${status}, so these units are not for sale: "MUG-L" (units: 10)`;
    expect(first).toMatchObject([{ result: 'updated', warning }]);
    expect(again).toMatchObject([{ result: 'unchanged', warning: '' }]);
  });

  it('warn of the units of a product that had none, which an order without a variant takes', async () => {
    const { write, shown, post, ...of } = await aStore([...STORE_LINES.slice(0, 2), { ...PRODUCT, sku: 'MUG' }]);
    const [{ id = '' } = {}] = await of.sql<{ id: string }>('SELECT id FROM products WHERE store_id = $1');
    await stock({ post }, 'MUG');

    const lines = await write({ kind: 'product', slug: 'mug', variants: VARIANTS });

    const warning = 'product now has variants: only orders that name no variant can use the stock of "MUG" (units: 5)';
    expect(lines).toMatchObject([{ result: 'updated', warning }]);
    expect(await shown('/v1/products/mug')).toMatchObject({ quantity: 5 });
    expect(await shown('/v1/products?in_stock=true')).toMatchObject([{ slug: 'mug' }]);
    expect((await post('/v1/orders', anOrderBody(Number(id), 2))).statusCode).toBe(201);
    const bySku = await post('/v1/orders', { ...anOrderBody(0), items: [{ sku: 'MUG', quantity: 3 }] });
    expect([bySku.statusCode, bySku.body]).toEqual([201, expect.any(String)]);
    expect(await shown('/v1/products/mug')).toMatchObject({ quantity: 0 });
    expect(await shown('/v1/products?in_stock=true')).toEqual([]);
  });

  it('keep the status that their line does not give, and say that they are not for sale', async () => {
    const { write, shown } = await aStore();
    const [small, large] = VARIANTS;
    await write({
      kind: 'product',
      slug: 'mug',
      status: 'ACTIVE',
      variants: [small, { ...large, status: 'INACTIVE' }],
    });

    const again = await write({ kind: 'product', slug: 'mug', variants: VARIANTS });

    expect(again).toMatchObject([
      {
        result: 'unchanged',
        warning: 'product.variants without a status stay INACTIVE and are not for sale: "MUG-L"',
      },
    ]);
    expect(await shown('/v1/products/mug')).toMatchObject({ variants: [{ status: 'ACTIVE' }, { status: 'INACTIVE' }] });
    const sold = await write({ kind: 'product', slug: 'mug', variants: [small, { ...large, status: 'ACTIVE' }] });
    expect(sold).toMatchObject([{ result: 'updated', warning: '' }]);
  });

  it('become inactive when they are missing: their units count no more, but stay in their bins', async () => {
    const { write, shown, ...of } = await aStore();
    await write({ kind: 'product', slug: 'mug', status: 'ACTIVE', sku: '' });
    await stock(of, 'MUG-S');
    expect(await shown('/v1/products/mug')).toMatchObject({ quantity: 5 });

    await write({ kind: 'product', slug: 'mug', variants: VARIANTS.slice(1) });

    expect(await shown('/v1/products/mug')).toMatchObject({
      quantity: 0,
      variants: [{ sku: 'MUG-S', status: 'INACTIVE', quantity: 0 }, { sku: 'MUG-L' }],
    });
    expect(await shown('/v1/products?in_stock=true')).toEqual([]);
    expect(await shown('/v1/skus?sku=MUG-S')).toEqual([]);
    for (const list of ['/v1/stock', '/v1/stock?sku=MUG-S']) {
      expect(await shown(list)).toMatchObject([{ sku: 'MUG-S', bin: 'A-1', quantity: 5 }]);
    }
    expect(await stock(of, 'MUG-S', { adjust: -5 })).toMatchObject([{ after: 0, code: '' }]);
  });

  it('all become inactive by an empty list, those of other products stay, and they return with their status', async () => {
    const { write, sql } = await aStore();
    await write({ ...PRODUCT, slug: 'jug', variants: [{ sku: 'JUG-S', name: 'Small' }] });
    const statuses = () =>
      sql<{ sku: string; status: string }>(
        'SELECT sku, status FROM product_variants WHERE store_id = $1 ORDER BY product_id, position, sku',
      );
    const [small, large, jug] = [{ sku: 'MUG-S' }, { sku: 'MUG-L' }, { sku: 'JUG-S', status: 'ACTIVE' }];

    const emptied = await write({ kind: 'product', slug: 'mug', variants: [] });

    expect(resultsOf(emptied)).toEqual(['updated']);
    expect(await statuses()).toEqual([{ ...small, status: 'INACTIVE' }, { ...large, status: 'INACTIVE' }, jug]);
    expect(resultsOf(await write({ kind: 'product', slug: 'mug', variants: [] }))).toEqual(['unchanged']);
    const [back, front] = VARIANTS.map((variant) => ({ ...variant, status: 'ACTIVE' }));
    await write({ kind: 'product', slug: 'mug', variants: [back, front] });
    expect(await statuses()).toEqual([{ ...small, status: 'ACTIVE' }, { ...large, status: 'ACTIVE' }, jug]);
  });

  it.each(['DRAFT', 'ARCHIVED'])('of a product that is %s are found by their SKU in the stock', async (status) => {
    const { write, shown, ...of } = await aStore();
    await write({ kind: 'product', slug: 'mug', status });

    expect(await stock(of, 'MUG-L')).toMatchObject([{ after: 5, code: '' }]);
    expect(await shown('/v1/stock?sku=MUG-L')).toMatchObject([{ sku: 'MUG-L', quantity: 5 }]);
  });
});

describe('imported customers', () => {
  it('are changed by their id or their e-mail, and an e-mail belongs to one only', async () => {
    const { write, written, shown } = await aStore();
    const ada = written[9]?.id ?? '';
    const bob = '01890a5d-ac96-774b-bcce-b302099a8057';

    const lines = await write(
      { kind: 'customer', id: bob, name: 'Bob', email: 'bob@example.com' },
      { kind: 'customer', id: ada, email: 'ada@example.org' },
      { kind: 'customer', email: 'ADA@example.org', city: 'Turin' },
      { kind: 'customer', id: bob, email: 'ada@example.org' },
    );

    expect(lines.map(({ id, result }) => [id, result])).toEqual([
      [bob, 'created'],
      [ada, 'updated'],
      [ada, 'updated'],
      ['', 'refused'],
    ]);
    expect(lines[3]?.error).toBe(`customer.email is already the e-mail of customer ${ada}`);
    expect(await shown(`/v1/customers/${ada}`)).toMatchObject({ name: 'Ada', email: 'ADA@example.org', city: 'Turin' });
  });

  it('have the imported orders of their only contacts with the e-mail, as they have placed ones', async () => {
    const { write, shown } = await aStore(STORE_LINES.slice(0, 10));
    const contacts = (...emails: string[]) => ({ contacts: emails.map((email) => ({ email })) });
    const [acme] = await write(
      {
        kind: 'customer',
        name: 'Acme',
        email: 'acme@example.com',
        ...contacts('buyer@acme.example', 'info@shared.example'),
      },
      { kind: 'customer', name: 'Globex', email: 'globex@example.com', ...contacts('info@shared.example') },
    );

    const orders = await write(
      { ...ORDER, receipt_number: 'POS-2', customer_email: 'Buyer@ACME.example' },
      { ...ORDER, receipt_number: 'POS-3', customer_email: 'info@shared.example' },
      { ...ORDER, receipt_number: 'POS-4', customer_email: 'buyer@acme.example', customer_id: null },
    );

    const shownOrders = await Promise.all(orders.map(({ id }) => shown(`/v1/orders/${id}`)));
    expect(shownOrders.map(({ customer }) => (customer as { id: string | null }).id)).toEqual([acme?.id, null, null]);
  });

  it('do not get the id of the customer who once had their e-mail', async () => {
    const { write, written, shown } = await aStore();
    const ada = written[9]?.id ?? '';
    const another = { ...CUSTOMER, name: 'Another' };
    await write({ kind: 'customer', id: ada, email: 'ada@example.org' });

    const [created] = await write(another);

    expect(created).toMatchObject({ result: 'created', id: expect.not.stringMatching(ada) as string });
    expect(resultsOf(await write(another))).toEqual(['unchanged']);
    expect(await shown(`/v1/customers/${ada}`)).toMatchObject({ name: 'Ada', email: 'ada@example.org' });
  });
});

describe('imported orders', () => {
  it.each(['live', 'test'] as const)('are those of the mode of the key: %s', async (mode) => {
    const { send, store, shown } = await aStore();
    const key = await store.createKey(mode, 'read,sales');

    await send({ lines: [{ ...ORDER, receipt_number: 'POS-9' }] }, bearer(key));

    expect(await shown('/v1/orders/POS-9')).toMatchObject({ is_test: mode === 'test' });
  });
});

describe('the body of an import', () => {
  it('may be NDJSON, of which blank lines count and a line that is no JSON is refused alone', async () => {
    const { send } = await aStore();
    const text = ['\ufeff' + JSON.stringify(PRODUCT), '', '{"kind":', '7', JSON.stringify({ ...PRODUCT, slug: 'b' })];

    const response = await send(text.join('\r\n'), NDJSON);

    const { lines } = response.json<{ data: { lines: readonly Imported[] } }>().data;
    expect(lines.map(({ line, result, error }) => [line, result, error])).toEqual([
      [1, 'unchanged', ''],
      [3, 'refused', expect.stringContaining('the line is not valid JSON') as string],
      [4, 'refused', 'the line must be an object'],
      [5, 'created', ''],
    ]);
  });

  const few = (count: number) => Array.from({ length: count }, () => ({ kind: 'bin', warehouse: 'M', code: '1' }));
  const long = (bytes: number) => [{ ...PRODUCT, description: 'x'.repeat(100_000), name: 'y'.repeat(bytes - 100_000) }];

  it.each<[string, object | string, Record<string, string>, string]>([
    ['nothing', '', NDJSON, 'Request body is empty'],
    ['a list', [], {}, 'The request body must be a JSON object'],
    ['no lines', {}, {}, 'lines is required'],
    ['other lines', { lines: 'x', atomic: 1 }, {}, 'lines must be an array; atomic must be true or false'],
    ['an empty list', { lines: [] }, {}, 'lines must have 1 to 500 entries'],
    ['501 lines', { lines: few(501) }, {}, 'lines must have 1 to 500 entries'],
    [
      '501 lines of NDJSON',
      few(501)
        .map((each) => JSON.stringify(each))
        .join('\n'),
      NDJSON,
      'The request body must have 1 to 500 lines',
    ],
    ['blank lines only', '\n \n', NDJSON, 'The request body must have 1 to 500 lines'],
    [
      'a line after 5,000 blank ones',
      `${'\n'.repeat(5_000)}${JSON.stringify(few(1)[0])}`,
      NDJSON,
      'The request body must have 1 to 500 lines',
    ],
    ['another field', { lines: few(1), store: 'a' }, {}, 'store is not a field of this request'],
    ['more than 2 MB', { lines: long(2_100_000) }, {}, 'Request body exceeds 2 MB'],
    ['deep nesting', { lines: [[[[[[[[[[[]]]]]]]]]]] }, {}, 'Request body is nested deeper than 10 levels'],
    ['too many values', { lines: [Array(100_000).fill(1)] }, {}, 'Request body has too many values'],
  ])('with %s is refused', async (_what, body, headers, error) => {
    const { post } = api;

    const response = await post('/v1/import', body, headers);

    expect([response.statusCode, response.json()]).toMatchObject([400, { success: false, error }]);
  });

  it('may have more than other requests, which have no NDJSON', async () => {
    const { send, post } = await aStore();

    const large = await send({ lines: Array(10).fill(long(180_000)[0]) });
    const elsewhere = await post('/v1/orders/preview', JSON.stringify(PRODUCT), NDJSON);

    expect(large.statusCode).toBe(200);
    expect([elsewhere.statusCode, elsewhere.json()]).toMatchObject([
      400,
      { success: false, error: 'Content-Type must be application/json' },
    ]);
  });
});

describe('what a key may import', () => {
  it.each([
    ['catalog', ['warehouse', 'bin', 'brand', 'category', 'product', 'price_list', 'list_price', 'quantity_rule']],
    ['customers', ['customer']],
    ['sales', ['order']],
  ] as const)('with the scope %s are lines of the kinds %j', async (scope, kinds) => {
    const { store, send, sql } = await aStore();
    const key = await store.createKey('live', `read,${scope}`);

    for (const line of STORE_LINES) {
      const response = await send({ lines: [{ ...line }] }, bearer(key));
      const isPermitted = (kinds as readonly unknown[]).includes(line['kind']);
      expect([line['kind'], response.statusCode]).toEqual([line['kind'], isPermitted ? 200 : 403]);
    }
    const mixed = await send({ lines: [{ ...PRODUCT, slug: 'new' }, CUSTOMER, ORDER] }, bearer(key));
    expect([mixed.statusCode, mixed.headers['x-error-code']]).toEqual([403, 'insufficient_scope']);
    expect(await sql(`SELECT slug FROM products WHERE store_id = $1`)).toEqual([{ slug: 'mug' }]);
  });

  it('are rows of its own store only', async () => {
    const mine = await aStore();
    const other = await aStore();
    const rows = `SELECT xmin::text, * FROM products WHERE store_id = $1`;
    const before = await other.sql(rows);

    const lines = await mine.write({ kind: 'product', slug: 'mug', name: 'Mine' }, { ...CUSTOMER, name: 'Mine' });

    expect(resultsOf(lines)).toEqual(['updated', 'updated']);
    expect(await other.sql(rows)).toEqual(before);
    expect(await other.sql('SELECT name FROM customers WHERE store_id = $1')).toEqual([{ name: 'Ada' }]);
  });

  it('are rows in any order of the lines, also in two requests at a time', async () => {
    const { write } = await aStore();
    const lines = [...Array(40).keys()].map((n) => ({ ...PRODUCT, slug: `p-${n}`, name: `P ${n}` }));

    const both = await Promise.all([write(...lines), write(...lines.toReversed()), write(...lines)]);

    expect(both.flatMap(resultsOf).filter((result) => result === 'created')).toHaveLength(40);
    expect(both.flatMap(resultsOf).filter((result) => result === 'unchanged')).toHaveLength(80);
  });
});

describe('a warehouse that opens or closes by a request', () => {
  const line = (code: string, active: boolean) => ({ kind: 'warehouse', code, name: code, active });
  const resultsOf = async (lines: readonly Line[]) =>
    (await api.post('/v1/import', { lines })).json<{ data: { lines: Imported[] } }>().data.lines;

  it('does so once in a request', async () => {
    expect(await resultsOf([line('ONCE', true), line('ONCE', false), line('OTHER', true)])).toMatchObject([
      { result: 'created' },
      { result: 'refused', error: 'warehouse.active must be given once in a request' },
      { result: 'created' },
    ]);
  });

  it('is refused when more than 2,000 bins with a product open or close with it', async () => {
    await resultsOf([line('HALL', true), { kind: 'bin', warehouse: 'HALL', code: 'A' }]);
    const product = await api.store.product();
    const fill = (first: number, last: number) =>
      api.database.query(
        `WITH made AS (
           INSERT INTO product_variants (store_id, product_id, sku, name, price, attributes, attribute_names)
           SELECT $1, $2, 'H-' || n, 'H', 1, jsonb_build_object('n', n), '{n}' FROM generate_series($3::int, $4::int) AS n
           RETURNING id)
         INSERT INTO stock (store_id, bin_id, product_id, variant_id, quantity)
         SELECT $1, (SELECT id FROM bins WHERE store_id = $1 AND code = 'A' AND warehouse_id =
           (SELECT id FROM warehouses WHERE store_id = $1 AND code = 'HALL')), $2, id, 1 FROM made`,
        [api.store.id, product, first, last],
      );
    await fill(1, 2_000);
    expect(await resultsOf([line('HALL', false)])).toMatchObject([{ result: 'updated' }]);
    await fill(2_001, 2_001);

    const [opened, same] = [await resultsOf([line('HALL', true)]), await resultsOf([line('HALL', false)])];

    expect(opened[0]?.error).toBe(
      'warehouse.active cannot be changed by a request that affects more than 2000 bins with a product: ask the operator to run `store-commerce import`',
    );
    expect(same).toMatchObject([{ result: 'unchanged' }]);
  });
});

describe('the variants of a request', () => {
  const product = (slug: string, variants?: number) => ({
    kind: 'product',
    slug,
    name: slug,
    price: '1.00',
    ...(variants !== undefined && {
      variants: Array.from({ length: variants }, (_, n) => ({
        sku: `${slug}-${n}`,
        name: 'V',
        attributes: { n: `${n}` },
      })),
    }),
  });
  const resultsOf = async (lines: readonly Line[]) =>
    (await api.post('/v1/import', { lines })).json<{ data: { lines: Imported[] } }>().data.lines;

  it('are at most 6,000, with those that the products have, and the lines beyond are refused', async () => {
    const slugs = ['m-1', 'm-2', 'm-3', 'm-4', 'm-5', 'm-6'];
    for (const slug of slugs) await resultsOf([product(slug, 1_000)]);

    const results = await resultsOf([
      ...slugs.map((slug) => ({ ...product(slug), status: 'DRAFT' })),
      product('m-7', 1),
      product('m-8'),
    ]);

    expect(results.map(({ result }) => result)).toEqual([...Array<string>(6).fill('updated'), 'refused', 'created']);
    expect(results[6]?.error).toBe(
      'product exceeds the 6000 variants, including stored ones, that the products of one request can have: send the product in another request, or ask the operator to run `store-commerce import`',
    );
  });
});
