import { readFileSync } from 'node:fs';
import { encodeCursor } from '@app/application';
import { queryOf } from '../../support/all-requests.js';
import { movedOrders } from '../../support/moved-orders.js';
import type { TestDatabase } from '../../support/test-database.js';

export type Kind =
  | 'first page' // compared with the same request of the smallest store
  | 'deep page' // compared with the first page, in the same store
  | 'search' // compared with the same request of the smallest store; finds little
  | 'one'; // compared with the same request of the smallest store

export interface FlatRequest {
  readonly name: string;
  readonly kind: Kind;
  readonly path: string;
}

/** Labels that are frequent alone but occur together in three orders of a store, after `makeRare`. */
const RARE = [
  { name: 'pair of statuses', query: 'status=FAILED&fulfillment_status=RETURNED' },
  { name: 'labels, all three', query: 'source=WEBSITE&status=REFUNDED&fulfillment_status=SHIPPED' },
];

/** The seeded orders lie in the last 700 days. This range begins and ends within days. */
const YEAR = (() => {
  const daysAgo = (days: number) => encodeURIComponent(new Date(Date.now() - days * 86_400_000).toISOString());
  return `created_from=${daysAgo(400)}&created_to=${daysAgo(35)}`;
})();
const SEVERAL = 'status=PENDING,SUCCEEDED&fulfillment_status=SHIPPED,DELIVERED';
const TO_SHIP =
  '/v1/orders?fulfillment_status=PENDING,CONFIRMED,PROCESSING&held=false&sort=created_at&include=line_items,units';

/** Leaves three old orders for each combination of labels that must be rare, and moves the others to another store. */
export async function makeRare(database: TestDatabase, storeId: number): Promise<void> {
  for (const { query } of RARE) {
    const labels = Object.fromEntries(new URLSearchParams(query));
    const [changed, to] =
      'status' in labels ? (['status', 'SUCCEEDED'] as const) : (['fulfillment_status', 'DELIVERED'] as const);
    const having = Object.entries(labels)
      .map(([column, value]) => `${column} = '${value}'`)
      .join(' AND ');
    await database.query(
      movedOrders(
        { [changed]: to },
        `store_id = $1 AND ${having} AND id NOT IN (
           SELECT id FROM orders WHERE store_id = $1 AND ${having} ORDER BY created_at OFFSET 10 LIMIT 3)`,
      ),
      [storeId],
    );
  }
}

/** Puts five old orders, of different days, under review. */
export async function makeHeld(database: TestDatabase, storeId: number): Promise<void> {
  await database.query(
    `UPDATE orders SET held_reasons = '{amount_over_limit}' WHERE store_id = $1 AND id IN (
       SELECT id FROM orders WHERE store_id = $1 AND source = 'WEBSITE' ORDER BY md5(id::text) LIMIT 5)`,
    [storeId],
  );
}

interface Document {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly parameters?: readonly { in: string; name: string; schema: object }[] } }>
  >;
}

const GROWING = ['/v1/orders', '/v1/products', '/v1/skus', '/v1/stock', '/v1/customers'];

/** A request for each filter of the document that the given requests leave out, by its example. */
export function byExample({ paths }: Document, requests: readonly FlatRequest[]): FlatRequest[] {
  const asked = requests.map(({ path }) => new URL(path, 'http://localhost'));
  return GROWING.flatMap((list) =>
    (paths[list]?.get?.parameters ?? [])
      .filter((parameter) => parameter.in === 'query' && !['limit', 'page'].includes(parameter.name))
      .filter(({ name }) => !asked.some((url) => url.pathname === list && url.searchParams.has(name)))
      .map(({ name, schema }) => {
        const [example] = (schema as { readonly examples: readonly (string | number | boolean | object)[] }).examples;
        return {
          name: `${list} by ${name}`,
          kind: 'first page',
          path: `${list}?${encodeURI(queryOf(name, example ?? ''))}`,
        };
      }),
  );
}

export async function requestsOf(database: Pick<TestDatabase, 'query'>, storeId: number): Promise<FlatRequest[]> {
  const text = async (sql: string) => (await database.query<{ text: string }>(sql, [storeId]))[0]?.text ?? '';
  const orders = Number(await text('SELECT count(*) AS text FROM orders WHERE store_id = $1'));
  const last = Math.ceil(orders / 50);
  // The row is from the middle, so that it is not cached by chance.
  const of = (column: string, table: string, where = '') =>
    text(`SELECT ${column}::text AS text FROM ${table} WHERE store_id = $1 ${where} ORDER BY md5(id::text) LIMIT 1`);
  const [order, product, customer] = [
    await of('id', 'orders'),
    await of('id', 'products', `AND status = 'ACTIVE'`),
    await of('id', 'customers'),
  ];
  const [receipt, email] = [
    await of('receipt_number', 'orders', `AND source = 'WEBSITE'`),
    await of('customer_email', 'orders', `AND customer_email <> ''`),
  ];
  const lastStock = Math.ceil(Number(await text('SELECT count(*) AS text FROM stock WHERE store_id = $1')) / 50);
  const sku = await text('SELECT sku AS text FROM sellable_units WHERE store_id = $1 ORDER BY md5(sku) LIMIT 1');
  const reference = await of('external_reference', 'orders', 'AND external_reference IS NOT NULL');
  const productName = await of('name', 'products', `AND status = 'ACTIVE'`);
  const customerEmail = await of('email', 'customers', `AND email <> ''`);
  const category = (order: string) =>
    text(
      `SELECT category_id AS text FROM product_categories WHERE store_id = $1 GROUP BY 1 ORDER BY count(*) ${order} LIMIT 1`,
    );
  const [large, small] = [await category('DESC'), await category('ASC')];
  const searchFor = (value: string) => `search=${encodeURIComponent(value)}`;

  const first = (name: string, path: string): FlatRequest => ({ name, kind: 'first page', path });
  const requests: FlatRequest[] = [
    first('orders', '/v1/orders'),
    first('orders by status', '/v1/orders?status=PENDING'),
    first('orders by fulfillment', '/v1/orders?fulfillment_status=SHIPPED'),
    first('orders by source', '/v1/orders?source=WEBSITE'),
    first('orders by all three', '/v1/orders?source=WEBSITE&status=SUCCEEDED&fulfillment_status=DELIVERED'),
    ...RARE.map(({ name, query }) => first(`orders, rare ${name}`, `/v1/orders?${query}`)),
    first('orders by external reference', `/v1/orders?external_reference=${encodeURIComponent(reference)}`),
    first('orders under review', '/v1/orders?held=true'),
    first('orders not under review', '/v1/orders?held=false'),
    first('orders of a year', `/v1/orders?${YEAR}`),
    first('orders, oldest first', '/v1/orders?sort=created_at'),
    first('orders, last changed first', '/v1/orders?sort=-updated_at'),
    first('orders of several statuses', `/v1/orders?${SEVERAL}`),
    first('orders to ship, oldest first, with lines', TO_SHIP),
    {
      name: 'orders of a year, middle page',
      kind: 'deep page',
      path: `/v1/orders?${YEAR}&page=${Math.ceil(last / 4)}`,
    },
    {
      name: 'orders of several statuses, middle page',
      kind: 'deep page',
      path: `/v1/orders?${SEVERAL}&page=${Math.ceil(last / 4)}`,
    },
    { name: 'orders, middle page', kind: 'deep page', path: `/v1/orders?page=${Math.ceil(last / 2)}` },
    { name: 'orders, last page', kind: 'deep page', path: `/v1/orders?page=${last}` },
    {
      name: 'orders not under review, middle page',
      kind: 'deep page',
      path: `/v1/orders?held=false&page=${Math.ceil(last / 2)}`,
    },
    { name: 'one order', kind: 'one', path: `/v1/orders/${order}` },
    { name: 'orders, search for a receipt number', kind: 'search', path: `/v1/orders?${searchFor(receipt)}` },
    { name: 'orders, search for an e-mail', kind: 'search', path: `/v1/orders?${searchFor(email)}` },
    first('products', '/v1/products'),
    // The pages are shorter, because the smallest store has fewer such products than a page.
    first('products of a small category', `/v1/products?category_id=${small}&limit=10`),
    first('products, featured', '/v1/products?featured=true'),
    first('products, in stock', '/v1/products?in_stock=true'),
    first('products, all filters', `/v1/products?category_id=${large}&featured=true&in_stock=true&limit=10`),
    { name: 'products, search for a name', kind: 'search', path: `/v1/products?${searchFor(productName)}` },
    { name: 'one product', kind: 'one', path: `/v1/products/${product}` },
    first('SKUs', '/v1/skus'),
    first('SKUs, in stock', '/v1/skus?in_stock=true'),
    first('SKUs, by SKU', `/v1/skus?sku=${encodeURIComponent(sku)}`),
    first('SKUs of a product', `/v1/skus?product_id=${product}`),
    first('stock', '/v1/stock'),
    first('stock of a warehouse', '/v1/stock?warehouse=MAIN'),
    { name: 'stock, last page', kind: 'deep page', path: `/v1/stock?page=${lastStock}` },
    { name: 'SKUs, search for a SKU', kind: 'search', path: `/v1/skus?${searchFor(sku)}` },
    first('customers', '/v1/customers'),
    first('customers by status', '/v1/customers?status=Inactive'),
    { name: 'customers, search for an e-mail', kind: 'search', path: `/v1/customers?${searchFor(customerEmail)}` },
    { name: 'one customer', kind: 'one', path: `/v1/customers/${customer}` },
    ...(await feedRequests(database, storeId)),
  ];
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;
  return [...requests, ...byExample(document, requests)];
}

async function feedRequests(database: Pick<TestDatabase, 'query'>, storeId: number): Promise<FlatRequest[]> {
  const [feed] = await database.query<{ branch: string; orders: number }>(
    `SELECT (SELECT id FROM change_branches ORDER BY number DESC LIMIT 1) AS branch, count(*)::int AS orders
     FROM changes WHERE store_id = $1 AND kind = 'orders'`,
    [storeId],
  );
  const { branch = '', orders = 0 } = feed ?? {};
  const pageAfter = async (count: number) => {
    const [last] = await database.query<{ position: string }>(
      `SELECT position FROM changes WHERE store_id = $1 AND kind = 'orders' ORDER BY position LIMIT 1 OFFSET $2`,
      [storeId, Math.max(0, count - 1)],
    );
    const place = { branch, position: Number(last?.position ?? 0), base: 0 };
    const cursor = encodeCursor({ storeId, mode: 'live' }, { ...place, kinds: ['orders'], hasMore: true });
    return `/v1/changes?limit=50&cursor=${cursor}`;
  };
  const middle = await pageAfter(Math.floor(orders / 2));
  const end = await pageAfter(orders - 50);
  return [
    { name: 'feed of orders', kind: 'first page', path: `/v1/changes?kinds=orders&limit=50` },
    { name: 'feed of orders, middle', kind: 'first page', path: middle },
    { name: 'feed of orders, end', kind: 'first page', path: end },
  ];
}
