import { OrderRepository, type OrderFilter, type Page, type Position } from '@app/application';
import { parse } from 'csv-parse/sync';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { anOrderBody } from '../builders/order-body.js';
import { committedDocument } from '../support/documented-answers.js';
import { listen } from '../support/listen.js';
import { startApi, type RunningApi } from '../support/start-api.js';

type Json = Readonly<Record<string, unknown>>;
type Cells = Readonly<Record<string, string>>;

/** Enough rows for a second page. */
const MANY = 130;
/** A table has one row less. */
const TOO_MANY = 100_001;

let api: RunningApi;
let orderId: string;
beforeAll(async () => {
  api = await startApi();
  const { store, database } = api;
  const [categoryId, brandId] = [await store.category(), await store.brand()];
  const product = await store.product({ categoryIds: [categoryId], brandId, stock: 1_000, sku: 'R-1' });
  await store.variant(product, { sku: 'R-1-42', stock: 5, attributes: { Size: '42' } });
  await store.priceList({ code: 'VIP', groups: ['vip', 'staff'] });
  await store.customer({ name: 'Ada', email: 'ada@example.com' });
  await store.webhook();
  ({ order_id: orderId } = await api.place(anOrderBody(product, 2)));
  const values = [store.id, MANY];
  const columns = `store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency, amount,
    total_amount, customer_name, created_at`;
  await database.query(
    `INSERT INTO orders (${columns})
     SELECT $1, gen_random_uuid(), 'POS-' || n, 'POS', CASE WHEN n % 2 = 0 THEN 'SUCCEEDED' ELSE 'PENDING' END, 'DELIVERED',
       'CASH', 'USD', n, n, 'Ada', now() - n / 7 * interval '1 day' FROM generate_series(1, $2::int) AS n`,
    values,
  );
  await database.query(
    `INSERT INTO customers (store_id, id, name, email, status) SELECT $1, gen_random_uuid(), 'Customer ' || n, '', 'ACTIVE'
     FROM generate_series(1, $2::int) AS n`,
    values,
  );
  for (let n = 0; n < MANY; n++) await store.product({ sku: `P-${n}`, stock: n % 3 });
  await database.query('SELECT number_changes($1)', [store.id]);
});
afterAll(() => api.stop());

const table = (body: string): Cells[] => parse(body, { bom: true, columns: true, record_delimiter: '\r\n' });
const headerOf = (body: string) => body.slice(0, body.indexOf('\r\n')).replace('\ufeff', '').split(',');

/** Returns the text of a cell for a value of the answer in JSON. */
function textOf(row: Json, column: string): string {
  const value = column.split('.').reduce<unknown>((at, name) => (at as Json | null)?.[name], row);
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function allRows(url: string, headers?: Record<string, string>): Promise<Json[]> {
  const rows: Json[] = [];
  const join = url.includes('?') ? '&' : '?';
  let [page, cursor] = [1, ''];
  for (;;) {
    const next = cursor ? `cursor=${cursor}` : `page=${page++}`;
    const answer = await api.get(`${url}${join}limit=100&${next}`, headers);
    expect([url, answer.statusCode]).toEqual([url, 200]);
    const body = answer.json<{ data: Json[]; cursor?: string; has_more?: boolean; pagination?: { total: number } }>();
    rows.push(...body.data);
    cursor = body.cursor ?? '';
    if (!(body.has_more ?? rows.length < (body.pagination?.total ?? 0))) return rows;
  }
}

async function csv(url: string, headers?: Record<string, string>) {
  const answer = await api.get(url, { accept: 'text/csv', ...headers });
  expect([url, answer.statusCode, answer.headers['content-type']]).toEqual([url, 200, 'text/csv; charset=utf-8']);
  return answer;
}

const pathsWith = (parameter: string) =>
  Object.entries(committedDocument().paths).flatMap(([path, { get }]) => {
    const { parameters = [] } = (get ?? {}) as { parameters?: { name: string }[] };
    return parameters.some(({ name }) => name === parameter) ? [path] : [];
  });
const lists = pathsWith('format');
/** Only sessions of people reach these. */
const OF_SESSIONS = ['/v1/people', '/v1/people/{id}/sessions'];

describe('the tables of lists', () => {
  it('are all lists of the document and the statistics, but not the feed of changes', () => {
    const paged = pathsWith('limit').filter((path) => !['/v1/changes', '/v1/audit'].includes(path));
    expect(lists).toEqual(expect.arrayContaining([...paged, '/v1/statistics/orders']));
  });

  it.each(lists.filter((path) => !OF_SESSIONS.includes(path)))('have the rows of %s', async (path) => {
    const headers = { authorization: `Bearer ${await api.store.createKey('live', 'read,orders,webhooks,keys')}` };
    const url = path.replace('{id}', orderId);

    const answer = await csv(url, headers);
    const rows = await allRows(url, headers);

    const cells = table(answer.body);
    const header = headerOf(answer.body);
    expect(cells).toEqual(rows.map((row) => Object.fromEntries(header.map((name) => [name, textOf(row, name)]))));
    const missing = rows
      .flatMap((row) => Object.keys(row))
      .filter((key) => !header.some((n) => n.split('.')[0] === key));
    expect(missing).toEqual([]);
  });

  it.each([
    'orders?sort=created_at',
    'orders?status=PENDING,SUCCEEDED&source=POS',
    'orders?is_test=false',
    'orders?search=POS-1',
    'orders?include=amounts,units,line_items,metadata,updated_at',
    `orders?created_from=2020-01-01T00:00:00Z`,
    'orders?sort=updated_at',
    'orders?sort=-updated_at',
    'orders?sort=updated_at&status=PENDING',
    'orders?updated_from=2020-01-01T00:00:00Z&sort=updated_at',
    'customers?search=Customer',
    'customers?include=addresses,updated_at',
    'products?include=sku,updated_at',
    'skus?search=P-',
    'skus?sort=updated_at',
    'skus?sort=-updated_at&in_stock=1',
    'skus?warehouses=true',
    'stock?warehouse=MAIN',
    'journal?kind=order',
    'prices?list=VIP',
  ])('have all rows of /v1/%s, in the order of its pages', async (list) => {
    const { body } = await csv(`/v1/${list}`);
    const rows = await allRows(`/v1/${list}`);

    const header = headerOf(body);
    expect(table(body)).toEqual(rows.map((row) => Object.fromEntries(header.map((name) => [name, textOf(row, name)]))));
  });

  it('have the same columns for an empty list, with those that the request asks for', async () => {
    const empty = await csv('/v1/orders?include=units,amounts&ids=none');
    const full = await csv('/v1/orders?include=units,amounts');
    const [prices, plain] = [await csv('/v1/skus?customer_id=none'), await csv('/v1/skus')];

    expect(empty.body).toBe(`\ufeff${headerOf(full.body).join(',')}\r\n`);
    expect(headerOf(full.body)).toEqual(expect.arrayContaining(['units', 'amount_open', 'amount_owed']));
    expect(headerOf(prices.body)).toEqual(expect.arrayContaining(['price_source', 'price_breaks']));
    expect(headerOf(plain.body)).not.toContain('price_source');
  });

  it('have a row for each line with rows=lines, after the fields of its order', async () => {
    const { body } = await csv(`/v1/orders?rows=lines&ids=${orderId}`);

    const [line, ...others] = table(body);
    expect(others).toEqual([]);
    expect(line).toMatchObject({ id: orderId, 'line_items.line': '1', 'line_items.quantity': '2' });
    expect(headerOf(body)).not.toContain('line_items');
  });
});

describe('a table', () => {
  it('is UTF-8 with a byte order mark and lines of RFC 4180', async () => {
    const other = await api.withStore();
    const name = 'مرحبا "Ada", Ltd.\nSecond';
    await other.store.customer({ name, company: 'Line\rfeed' });

    const answer = await other.get('/v1/customers?format=csv');

    expect([...answer.rawPayload.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(answer.body).toContain('"مرحبا ""Ada"", Ltd.\nSecond"');
    expect(answer.body.endsWith('\r\n')).toBe(true);
    expect(table(answer.body)).toEqual([expect.objectContaining({ name, company: 'Line\rfeed' })]);
    expect(answer.headers['content-disposition']).toBe('attachment; filename="customers.csv"');
    expect([answer.headers.etag, answer.headers.vary]).toEqual([undefined, 'Accept']);
  });

  it.each(['=HYPERLINK("x")', '+1 555 0100', '+15550100', '-2+3', '@SUM(A1)', '\tx', '\r=1'])(
    'does not let a spreadsheet run %j',
    async (name) => {
      const other = await api.withStore();
      await other.store.customer({ name });

      const [row] = table((await other.get('/v1/customers?format=csv')).body);

      expect(row?.name).toBe(`'${name}`);
    },
  );

  it.each(['-12.50', '-1e3', 'a=b'])('leaves %j as it is', async (name) => {
    const other = await api.withStore();
    await other.store.customer({ name });

    expect(table((await other.get('/v1/customers?format=csv')).body)[0]?.name).toBe(name);
  });

  it.each([
    ['format=csv', { accept: 'application/json' }, 'text/csv; charset=utf-8'],
    ['format=CSV', {}, 'text/csv; charset=utf-8'],
    ['format=json', { accept: 'text/csv' }, 'application/json; charset=utf-8'],
    ['', { accept: 'Text/CSV, */*;q=0.1' }, 'text/csv; charset=utf-8'],
    ['', { accept: 'text/csv;q=0.5, application/json' }, 'application/json; charset=utf-8'],
    ['', { accept: 'text/csv;q=0' }, 'application/json; charset=utf-8'],
  ])('is the answer to ?%s with %j: %s', async (query, headers, type) => {
    expect((await api.get(`/v1/brands?${query}`, headers)).headers['content-type']).toBe(type);
  });

  it.each(['format=xml', 'format='])('is refused for %s, by name', async (query) => {
    const answer = await api.get(`/v1/brands?${query}`);

    expect([answer.statusCode, answer.json<Json>()]).toEqual([
      400,
      expect.objectContaining({ error: 'format must be one of json, csv' }),
    ]);
  });

  it('has all pages, and names limit and page as ignored', async () => {
    const answer = await csv('/v1/orders?limit=1&page=7');

    expect(table(answer.body)).toHaveLength(MANY + 1);
    expect(answer.headers['x-ignored-parameters']).toBe('limit, page');
    expect((await api.get('/v1/orders?format=csv&limit=1', { prefer: 'handling=strict' })).statusCode).toBe(400);
    expect((await api.get('/v1/orders?rows=lines')).headers['x-ignored-parameters']).toBe('rows');
  });

  it('has no row of another store', async () => {
    const other = await api.withStore();
    for (const list of ['orders', 'customers', 'stock', 'journal', 'prices', 'skus'])
      expect(table((await other.get(`/v1/${list}?format=csv`)).body)).toEqual([]);
  });

  it('has no body for HEAD, and leaves the place of the store free', async () => {
    const headers = { authorization: `Bearer ${api.store.key}`, accept: 'text/csv' };
    for (let n = 0; n < 3; n++) {
      const answer = await api.inject({ method: 'HEAD', url: '/v1/orders', headers });
      expect([answer.statusCode, answer.body]).toEqual([200, '']);
    }
  });

  it('reads a page with large rows in smaller parts', async () => {
    const other = await api.withStore();
    await other.database.query(
      `INSERT INTO customers (store_id, id, name, email, status, metadata)
       SELECT $1, gen_random_uuid(), 'Ada', '', 'ACTIVE', jsonb_build_object('note', repeat('x', 30000)) FROM generate_series(1, 60)`,
      [other.store.id],
    );

    const rows = table((await other.get('/v1/customers?format=csv&include=metadata')).body);

    expect(new Set(rows.map((row) => row['id'])).size).toBe(60);
  });
});

describe('the reader of all pages', () => {
  const FILTERS: [string, OrderFilter, Page['sort']][] = [
    ['of all orders', {}, undefined],
    ['by status', { status: ['PENDING', 'SUCCEEDED'] }, undefined],
    ['of live orders', { isTest: false }, undefined],
    ['of found orders', { search: 'KEPT' }, undefined],
    ['oldest first', {}, { by: 'createdAt', isDescending: false }],
  ];

  it.each(FILTERS)('sees each row once while others come and go, %s', async (_name, filter, sort) => {
    const { store, database } = await api.withStore();
    const orders = api.app.get(OrderRepository, { strict: false });
    const add = (day: number, receipt = crypto.randomUUID()) =>
      store.order({ created_at: `2026-03-${day}T00:00:00Z`, status: 'PENDING', receipt_number: `KEPT-${receipt}` });
    const kept = [];
    for (let day = 11; day < 17; day++) kept.push(await add(day));
    const position: Position = { after: null };
    const page = { page: 1, limit: 2, position, ...(sort && { sort }) };

    const read = [...(await orders.list(store.id, filter, page)).rows];
    const [first] = read;
    await database.query('DELETE FROM orders WHERE store_id = $1 AND id = $2', [store.id, first?.id]);
    await add(sort ? 10 : 28);
    for (;;) {
      const { rows } = await orders.list(store.id, filter, page);
      if (rows.length === 0) break;
      read.push(...rows);
    }

    expect(read.map(({ id }) => id)).toEqual(sort ? kept : kept.reverse());
  });
});

describe('a table with too many rows', () => {
  let large: RunningApi;
  let port: number;
  beforeAll(async () => {
    large = await api.withStore();
    await large.database.query(
      `INSERT INTO customers (store_id, id, name, email, status, created_at)
       SELECT $1, gen_random_uuid(), 'Customer ' || n, n || '@example.com', 'ACTIVE', now() - n % 1000 * interval '1 hour'
       FROM generate_series(1, $2::int) AS n`,
      [large.store.id, TOO_MANY],
    );
    await large.database.query('ANALYZE customers');
    port = await listen(api.app);
  });

  const open = (path: string, headers = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const authorization = `Bearer ${large.store.key}`;
      httpRequest({ port, host: '127.0.0.1', path, headers: { authorization, ...headers } }, resolve)
        .on('error', reject)
        .end();
    });

  it('ends after 100,000 rows and says so before the first', async () => {
    const answer = await open('/v1/customers?format=csv');
    expect([answer.statusCode, answer.headers['x-truncated']]).toEqual([200, 'true']);
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const rows = table(Buffer.concat(chunks).toString());

    expect(rows).toHaveLength(TOO_MANY - 1);
    expect(new Set(rows.map((row) => row['id'])).size).toBe(TOO_MANY - 1);
    const times = rows.map((row) => row['created_at'] ?? '');
    expect(times).toEqual([...times].sort().reverse());
  });

  it('is refused while the store has another one, until its client has left', async () => {
    const first = await open('/v1/customers?format=csv');
    expect(first.statusCode).toBe(200);

    const second = await open('/v1/customers?format=csv&search=Customer%207');
    expect([second.statusCode, second.headers['x-error-code']]).toEqual([503, 'overloaded']);
    second.resume();
    first.destroy();
    await vi.waitFor(async () => {
      const third = await open('/v1/brands', { accept: 'text/csv' });
      third.resume();
      expect(third.statusCode).toBe(200);
    });
  });
});
