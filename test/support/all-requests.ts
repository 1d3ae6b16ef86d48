import { readFileSync } from 'node:fs';
import { anOrderBody } from '../builders/order-body.js';
import { ROWS, type Row } from '../proof/isolation/rows.js';
import type { RunningApi } from './start-api.js';

/** With this offset, a page is deep in a list. */
const DEEP = 'limit=100&page=12';

const IMPORTED = [
  { kind: 'warehouse', code: 'EAST', name: 'East' },
  { kind: 'bin', warehouse: 'EAST', code: 'A-1' },
  { kind: 'brand', slug: 'globex', name: 'Globex' },
  { kind: 'category', slug: 'cups', name: 'Cups' },
  { kind: 'category', slug: 'mugs', name: 'Mugs', parent: 'cups' },
  {
    ...{ kind: 'product', slug: 'mug', name: 'Mug', price: '9.90', brand: 'globex', categories: ['mugs'] },
    variants: [{ sku: 'MUG-S', name: 'Small' }],
  },
  { kind: 'product', slug: 'mug', name: 'Cup', variants: [] },
  { kind: 'product', slug: 'none' },
  { kind: 'price_list', code: 'VIP', name: 'VIP' },
  { kind: 'list_price', list: 'VIP', product: 'mug', price_breaks: [{ from_quantity: 1, price: '9.00' }], step: 2 },
  { kind: 'list_price', list: 'VIP', product: 'cup', price_breaks: [] },
  { kind: 'quantity_rule', product: 'mug', min_quantity: 2 },
  { kind: 'quantity_rule', product: 'mug', min_quantity: null },
  { kind: 'customer', name: 'Ada', email: 'imported@example.com' },
  {
    ...{ kind: 'order', receipt_number: 'POS-1', source: 'POS', status: 'SUCCEEDED', fulfillment_status: 'SHIPPED' },
    ...{ payment_method: 'CASH', currency: 'USD', amount: 1, total_amount: 1, created_at: '2026-01-02T03:04:05Z' },
    line_items: [{ product: 'mug', variant: 'MUG-S', name: 'Mug', unit_price: 1, quantity: 1 }],
    payments: [{ reference: 'P', amount: 1, at: '2026-01-02T03:04:05Z' }],
    shipments: [{ reference: 'S', status: 'shipped', items: [{ line: 1, quantity: 1 }] }],
  },
];

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema: { readonly examples?: readonly (string | number | boolean | object)[] };
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;
}

/** Sends every read, also with each of its filters and deep in each list, and every write to a new order or webhook. */
export async function sendAllRequests(api: RunningApi): Promise<void> {
  const { store, get, post } = api;
  const categories = [await store.category()];
  const product = await store.product({ categoryIds: categories, brandId: await store.brand(), stock: 1_000 });
  const order = anOrderBody(product, 2);
  const aWebhook = () => store.webhook({ position: 1_000_000 });
  const aKey = async () => {
    const key = await store.createKey('live', 'read');
    const sql = 'SELECT id FROM api_keys WHERE store_id = $1 AND last_four = $2 ORDER BY id DESC';
    return (await api.database.query<{ id: string }>(sql, [store.id, key.slice(-4)]))[0]?.id ?? '';
  };
  const placed = async () =>
    (await post('/v1/orders', order, { 'idempotency-key': crypto.randomUUID() })).json<{ data: { order_id: string } }>()
      .data.order_id;
  const ids: Readonly<Record<string, string | number | undefined>> = {
    orders: await placed(),
    products: product,
    customers: await store.customer(),
    categories: categories[0],
    brands: await store.brand(),
    'price-lists': await store.priceList({ code: 'RESELLER' }),
    webhooks: await aWebhook(),
  };
  // Only a key with the scope for keys reaches them.
  const keeper = { authorization: `Bearer ${await store.createKey('live', 'read,orders,keys')}` };
  const asker = (path: string) => (path.startsWith('/v1/keys') ? keeper : undefined);
  const idFor = (path: string) => {
    if (path.startsWith('/v1/webhooks')) return aWebhook();
    if (path.startsWith('/v1/keys')) return aKey();
    if (path.startsWith('/v1/price-lists')) return store.priceList();
    return path.startsWith('/v1/customers')
      ? store.customer({ email: `${crypto.randomUUID()}@example.com` })
      : placed();
  };
  for (const [path, parameters] of reads()) {
    const url = path.replace(/\{\w+\}/, String(ids[path.split('/')[2] ?? '']));
    const filters = ['', ...parameters.map(({ name, schema }) => queryOf(name, schema.examples?.[0] ?? ''))];
    const isList = parameters.some(({ name }) => name === 'page');
    for (const filter of filters) {
      for (const page of isList ? ['', 'page=2', DEEP] : [''])
        await get(encodeURI(`${url}?${filter}&${page}`), asker(path));
    }
  }
  const writer = { authorization: `Bearer ${await store.createKey('live', 'read,catalog')}` };
  for (const more of [`/${product}`, '/no-slug', '?status=DRAFT', '?status=DRAFT&sku=P-1']) {
    await get(`/v1/products${more}`, writer);
  }
  const listed = { product_id: product, expected: null, min_quantity: 2 };
  for (const price of [9, null]) await post('/v1/prices', { list: 'RESELLER', lines: [{ ...listed, price }] });
  for (const step of [2, null]) await post('/v1/prices', { lines: [{ product_id: product, step }] });
  await post('/v1/orders/preview', { ...order, items: [{ sku: 'NONE', quantity: 1 }] });
  const headers = { authorization: `Bearer ${store.key}`, 'content-type': 'application/json' };
  const owner = await store.session('owner');
  const ofOwner = { host: 'localhost', 'x-dashboard': 'live', cookie: `store-live=${owner.secret}` };
  for (const [route, row] of Object.entries(ROWS)) {
    const [method = '', path = ''] = route.split(' ');
    if (row.as === 'team') {
      const url = path.replace(':id', (await store.session('owner')).id).replace(':session_id', crypto.randomUUID());
      await api.inject({ method, url, headers: ofOwner, ...(row.body && { payload: row.body }) });
      continue;
    }
    if (method === 'GET') continue;
    const id = await idFor(path);
    const payload = JSON.stringify(bodyOf(row, order, product));
    await api.inject({
      method: method,
      url: path.replace(/:\w+/, id),
      headers: { ...headers, ...asker(path) },
      payload,
    });
  }
}

/** A parameter of a URL with its example, of metadata by its key. */
export function queryOf(name: string, example: unknown): string {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return `${name}=${String(example)}`;
  return Object.entries(example)
    .map(([key, value]) => `${name}[${key}]=${value}`)
    .join('&');
}

function reads(): [path: string, parameters: readonly Parameter[]][] {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;
  return Object.entries(paths).flatMap(([path, { get }]) =>
    get
      ? // A wait is no filter.
        [[path, (get.parameters ?? []).filter((parameter) => parameter.in === 'query' && parameter.name !== 'wait')]]
      : [],
  );
}

function bodyOf(row: Row, order: object, product: number): object {
  if (row.as === 'order') return order;
  if (row.as === 'lines') return { lines: [{ product_id: product, ...row.line }] };
  if (row.as === 'import') return { lines: IMPORTED };
  if (row.as === 'key') return { name: 'ERP', scope: ['read'] };
  return ((row.as === 'change' || row.as === 'put') && row.body) || {};
}
