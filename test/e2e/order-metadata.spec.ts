import type { BundleLine } from '@app/bundles';
import { bundleImports } from '../support/bundle-imports.js';
import { FeedReader } from '../support/feed-reader.js';
import { outcome, withKey } from '../support/order-changes.js';
import { OrdersClient } from '../support/orders-client.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface Order {
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly line_items: readonly { readonly metadata: Readonly<Record<string, string>> }[];
  readonly pipeline: readonly { readonly stage: string; readonly state: string; readonly attempts: number }[];
}

interface List {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly pagination: { readonly total: number };
}

let api: RunningApi;
let mug: number;
beforeAll(async () => {
  api = await startApi();
  mug = await api.store.product({ stock: 1000 });
});
afterAll(() => api.stop());
const orders = new OrdersClient(() => api);
const { importLines } = bundleImports(() => api.database);

const TOO_MANY = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`key-${n}`, '']));
const RULE =
  'must be an object of at most 50 texts of at most 500 characters, by keys of 1 to 40 characters, such as {"erp": "4711"}';

const body = (metadata?: unknown, ofItem?: unknown) => ({
  items: [
    { product_id: mug, quantity: 1, metadata: ofItem },
    { product_id: mug, quantity: 1 },
  ],
  customer: { name: 'Ada', email: 'ada@example.com' },
  metadata,
});
const place = async (metadata?: unknown, ofItem?: unknown) => (await orders.create(body(metadata, ofItem))).order_id;
const patch = (id: string, payload: object) => api.patch(`/v1/orders/${id}`, payload);
const post = (id: string, path: string, payload: object, headers = {}) =>
  api.post(`/v1/orders/${id}/${path}`, payload, headers);
const metadataOf = async (id: string) => {
  const { metadata, line_items } = await orders.read<Order>(id);
  return [metadata, ...line_items.map((line) => line.metadata)];
};
const historyOf = async (id: string) =>
  (await api.get(`/v1/orders/${id}/history`))
    .json<{ data: { event: string; reference: string; details: object }[] }>()
    .data.slice(1)
    .map(({ event, reference, details }) => ({ event, reference, details }));

describe('metadata of an order', () => {
  it('is the same request with its keys in another order', async () => {
    const placeWith = (metadata: object) =>
      api.post('/v1/orders', body(metadata, metadata), { 'idempotency-key': 'ordered-keys' });

    const first = await placeWith({ a: '1', b: '2' });
    const again = await placeWith({ b: '2', a: '1' });

    expect([again.statusCode, again.body]).toEqual([201, first.body]);
  });

  it('is in the full order, and in lists that include it', async () => {
    const metadata = { erp_id: 'list-1', ' a "key" [0]': '', é: '👨‍👩‍👧' };
    const id = await place(metadata, { erp_line: '10' });

    const { data } = (await api.get(`/v1/orders?ids=${id}&include=metadata,line_items`)).json<List>();
    const plain = (await api.get(`/v1/orders?ids=${id}`)).json<List>();

    expect(await metadataOf(id)).toEqual([metadata, { erp_line: '10' }, {}]);
    expect(data).toMatchObject([{ metadata, line_items: [{ metadata: { erp_line: '10' } }, { metadata: {} }] }]);
    expect(plain.data[0]).not.toHaveProperty('metadata');
    expect(await metadataOf(await place(null, null))).toEqual([{}, {}, {}]);
  });

  it('is that of its item for each line, with a SKU and added as well, and none of its keys is an ignored field', async () => {
    const sku = 'METADATA-1';
    await api.store.product({ sku, stock: 10 });
    const item = (n: number) => ({ quantity: 1, metadata: { line: `${n}` } });
    const items = [
      { sku, ...item(1) },
      { product_id: mug, quantity: 1 },
      { sku, ...item(3) },
    ];

    const placed = await orders.place({ ...body({ line: '0' }), items });
    const { order_id: id } = placed.json<{ data: { order_id: string } }>().data;
    const added = await post(id, 'lines', {
      add: [
        { product_id: mug, ...item(4) },
        { sku, ...item(5) },
      ],
    });

    expect([placed.statusCode, placed.headers['x-ignored-fields'], added.statusCode]).toEqual([201, undefined, 200]);
    const expected = [{ line: '0' }, { line: '1' }, {}, { line: '3' }, { line: '4' }, { line: '5' }];
    expect(await metadataOf(id)).toEqual(expected);
  });

  it('takes the longest keys and texts, counted in characters', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`${String(n).padStart(39, '0')}😀`, '😀'.repeat(n === 0 ? 500 : 1)]),
    );

    expect(await metadataOf(await place(metadata))).toEqual([metadata, {}, {}]);
  });

  it.each<[string, unknown]>([
    ['a list', ['x']],
    ['a text', 'x'],
    ['a number as a text', { erp_id: 4711 }],
    ['null as a text', { erp_id: null }],
    ['a text that is too long', { erp_id: 'x'.repeat(501) }],
    ['a key that is too long', { ['x'.repeat(41)]: '' }],
    ['an empty key', { '': 'x' }],
    ['a key with NUL', { 'a\0': 'x' }],
    ['half a surrogate pair', { erp_id: '\ud800' }],
    ['51 keys', TOO_MANY],
  ])('is refused with %s, of a line as well', async (_what, metadata) => {
    expect(await orders.refusal(body(metadata))).toEqual([400, `metadata ${RULE}`]);
    expect(await orders.refusal(body({}, metadata))).toEqual([400, `items[0].metadata ${RULE}`]);
  });

  it('is merged by PATCH: named keys are set or removed, others stay, and the history has neither keys nor texts', async () => {
    const id = await place({ a: '1', b: '2' }, { c: '3' });
    const reader = new FeedReader(api, 'kinds=orders');
    await reader.catchUp();
    const lines = [
      { line: 1, metadata: { c: null } },
      { line: 2, metadata: { d: '4' } },
    ];

    const changed = await patch(id, { metadata: { a: null, b: '3', e: '5', never: null }, lines });

    expect([changed.statusCode, changed.json()]).toEqual([200, { success: true, data: await orders.read(id) }]);
    expect(await metadataOf(id)).toEqual([{ b: '3', e: '5' }, {}, { d: '4' }]);
    expect(await historyOf(id)).toEqual([{ event: 'metadata_changed', reference: '', details: {} }]);
    expect(await reader.catchUp()).toEqual([`orders ${id}`]);
    for (const same of [{ metadata: {} }, { metadata: { b: '3' } }, { lines }])
      expect((await patch(id, same)).statusCode).toBe(200);
    expect(await historyOf(id)).toHaveLength(1);
    expect(await reader.catchUp()).toEqual([]);
  });

  it('keeps the keys of every program that patches at the same moment', async () => {
    const id = await place();

    await Promise.all(Array.from({ length: 8 }, (_, n) => patch(id, { metadata: { [`key-${n}`]: `${n}` } })));

    expect(Object.keys((await metadataOf(id))[0] ?? {})).toHaveLength(8);
  });

  it('has at most 50 keys, and 64 kB with its lines, whatever the requests are', async () => {
    const id = await place();
    const keys = (from: number) => Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`key-${from + n}`, 'x']));
    const large = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key-${n}`, '界'.repeat(125)]));
    await patch(id, { metadata: keys(0) });

    expect(await outcome(patch(id, { metadata: keys(30) }))).toEqual([422, 'metadata_too_large']);
    expect((await patch(id, { metadata: { ...keys(30), ...TOO_MANY, 'key-0': null } })).statusCode).toBe(400);
    expect(await outcome(patch(id, { metadata: large }))).toEqual([200, undefined]);
    for (const line of [1, 2]) expect((await patch(id, { lines: [{ line, metadata: large }] })).statusCode).toBe(200);
    const many = Array.from({ length: 3 }, () => ({ product_id: mug, quantity: 1 }));
    const { order_id: other } = await orders.create({ items: many, customer: { name: 'Ada' } });
    const fill = async (line: number) => outcome(patch(other, { lines: [{ line, metadata: large }] }));
    expect(await fill(1)).toEqual([200, undefined]);
    expect(await fill(2)).toEqual([200, undefined]);
    expect(await fill(3)).toEqual([200, undefined]);
    expect(await outcome(patch(other, { metadata: large }))).toEqual([422, 'metadata_too_large']);
    const add = [{ product_id: mug, quantity: 1, metadata: large }];
    expect(await outcome(post(other, 'lines', { add }))).toEqual([422, 'metadata_too_large']);
  });

  it('of more than 64 kB is refused when the order is placed, previewed or imported, and with a product', async () => {
    const large = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key-${n}`, 'x'.repeat(500)]));
    const items = Array.from({ length: 3 }, () => ({ product_id: mug, quantity: 1, metadata: large }));
    const order = { items, customer: { name: 'Ada' } };
    const variants = [1, 2, 3].map((n) => ({ sku: `LARGE-${n}`, name: `${n}`, metadata: large }));
    const product = { kind: 'product', slug: 'large', name: 'Large', price: '1.00', variants };

    for (const path of ['/v1/orders', '/v1/orders/preview'])
      expect(await outcome(api.post(path, order))).toEqual([422, 'metadata_too_large']);
    const imported = await api.post('/v1/import', { lines: [product] });
    expect(imported.json()).toMatchObject({
      data: {
        lines: [
          {
            result: 'refused',
            error: 'product must have at most 64 kB of metadata, including that of its lines, payments or variants',
          },
        ],
      },
    });
    expect(await outcome(api.post('/v1/orders', { ...order, items: items.slice(0, 2) }))).toEqual([201, undefined]);
  });

  it('is patched together with the contact, with an event for each, or not at all', async () => {
    const id = await place({ a: '0' });
    const patchBoth = (a: string, name: string) => outcome(patch(id, { metadata: { a }, customer: { name } }));

    expect(await patchBoth('1', 'Eve')).toEqual([200, undefined]);
    expect((await historyOf(id)).map(({ event }) => event)).toEqual(['metadata_changed', 'contact_changed']);
    const noLine = { lines: [{ line: 3 }], customer: { name: 'Bob' } };
    expect(await outcome(patch(id, noLine))).toEqual([404, 'not_found']);
    await post(id, 'shipments', { reference: 'S-1' });
    expect(await patchBoth('2', 'Bob')).toEqual([422, 'already_shipped']);
    expect(await orders.read(id)).toMatchObject({ metadata: { a: '1' }, customer: { name: 'Eve' } });
    expect(await outcome(patch(id, { metadata: { a: '3' } }))).toEqual([200, undefined]);
  });

  it.each([{}, { metadata: null, lines: null, customer: null, shipping_address: null, billing_address: null }])(
    'is not patched by %j, which has no part',
    async (payload) => {
      const response = await patch(await place(), payload);

      const error = 'metadata, lines, customer, shipping_address or billing_address is required';
      expect([response.statusCode, response.json()]).toMatchObject([400, { success: false, error }]);
    },
  );

  it.each<[object, number, string]>([
    [{ lines: [{ line: 3, metadata: { a: '1' } }] }, 404, 'Line 3 not found'],
    [{ lines: [{ line: 1, note: 'x' }] }, 400, 'lines[0].note is not a field of this request'],
    [{ notes: 'x' }, 400, 'notes is not a field of this request'],
    [{ metadata: { a: 1 } }, 400, `metadata ${RULE}; null removes a key`],
  ])('refuses the patch %j, and changes nothing', async (payload, status, error) => {
    const id = await place({ a: '0' });

    const response = await patch(id, { metadata: { a: '1' }, ...payload });

    expect([response.statusCode, response.json()]).toMatchObject([status, { success: false, error }]);
    expect(await metadataOf(id)).toEqual([{ a: '0' }, {}, {}]);
  });
});

describe('the filter by metadata', () => {
  const find = async (query: string) => (await api.get(`/v1/orders?${query}`)).json<List>();

  it('finds, counts and pages the orders with exactly this text under this key', async () => {
    const ids: string[] = [];
    for (const erp_id of ['4711', '4711', '4711', '47', '4711 ']) ids.push(await place({ erp_id, other: '4711' }));

    const { data, pagination } = await find('metadata[erp_id]=4711&limit=2&page=2');

    expect([data.map(({ id }) => id), pagination.total]).toEqual([[ids[0]], 3]);
    expect((await find('metadata%5Berp_id%5D=4711&status=PENDING&is_test=false')).pagination.total).toBe(3);
    expect((await find('metadata[erp_id]=4711&status=FAILED,REFUNDED')).pagination.total).toBe(0);
    expect((await find('metadata[erp_id]=4711+')).data.map(({ id }) => id)).toEqual([ids[4]]);
    expect((await find('metadata[erp_id]=&sort=-updated_at')).data).toEqual([]);
    const strict = await api.get('/v1/orders?metadata[erp_id]=4711', { prefer: 'handling=strict' });
    expect([strict.statusCode, strict.headers['x-ignored-parameters']]).toEqual([200, undefined]);
    await patch(ids[0] ?? '', { metadata: { erp_id: '4712' } });
    expect((await find('metadata[erp_id]=4711')).pagination.total).toBe(2);
  });

  it.each(['metadata=4711', 'metadata[]=4711', 'metadata[a]=1&metadata[b]=2', 'metadata[a]=1&metadata=2'])(
    'refuses %s',
    async (query) => {
      const response = await api.get(`/v1/orders?${query}`);

      const error = 'metadata must name one key and its text, as in metadata[erp_id]=4711';
      expect([response.statusCode, response.json()]).toMatchObject([400, { success: false, error }]);
    },
  );
});

it('is imported with products, variants and customers, kept where a later line has none, and shown in full records and by include', async () => {
  const store = api.store.subdomain;
  const metadata = { erp_id: '7' };
  const product = { kind: 'product', store, slug: 'with-metadata', name: 'Tee', price: '1' } as const;
  const variant = { sku: 'T-1', name: 'One' };
  const customer = { kind: 'customer', store, name: 'Eve', email: 'eve@example.com' } as const;
  const lines: BundleLine[] = [
    { ...product, metadata, variants: [{ ...variant, metadata }] },
    { ...customer, metadata },
    { ...product, variants: [variant] },
    customer,
  ];
  for (const line of lines) await importLines(line);

  const read = async (path: string) => (await api.get(path)).json<{ data: unknown }>().data;

  expect(await read('/v1/products/with-metadata')).toMatchObject({ metadata, variants: [{ metadata }] });
  expect(await read('/v1/products?slug=with-metadata&include=metadata')).toMatchObject([{ metadata }]);
  const [listed] = (await read('/v1/customers?email=eve@example.com&include=metadata')) as { id: string }[];
  expect(listed).toMatchObject({ metadata });
  expect(await read(`/v1/customers/${listed?.id}`)).toMatchObject({ metadata });
  for (const plain of ['/v1/products?slug=with-metadata&include=sku', '/v1/customers?email=eve@example.com'])
    expect(JSON.stringify(await read(plain))).not.toContain('"metadata"');
});

describe('a note', () => {
  it('is in the history, and changes nothing else', async () => {
    const id = await place();
    const before = await orders.read(id);
    const text = 'Ring twice 😀'.padEnd(2000, '.');

    const noted = await post(id, 'notes', { text });

    expect([noted.statusCode, noted.json()]).toEqual([201, { success: true, data: before }]);
    expect(await historyOf(id)).toEqual([{ event: 'noted', reference: '', details: { reason: text } }]);
  });

  it('has the metadata that came with it, and none where that is null', async () => {
    const id = await place();
    const metadata = { erp_case: '4711', ' a "key" [0]': '', é: '👨‍👩‍👧' };

    for (const payload of [{ metadata }, { metadata: null }])
      expect((await post(id, 'notes', { text: 'Ring twice', ...payload })).statusCode).toBe(201);

    const details = (await historyOf(id)).map((event) => event.details);
    expect(details).toEqual([{ reason: 'Ring twice', metadata }, { reason: 'Ring twice' }]);
    expect(await metadataOf(id)).toEqual([{}, {}, {}]);
  });

  it('with other metadata is no replay of one with its key', async () => {
    const id = await place();
    const note = (metadata: object) => post(id, 'notes', { text: 'Ring twice', metadata }, withKey(`note-${id}`));
    expect((await note({ erp_case: '4711' })).statusCode).toBe(201);

    expect((await note({ erp_case: '4712' })).headers['x-error-code']).toBe('idempotency_mismatch');
    expect((await note({ erp_case: '4711' })).headers['idempotent-replayed']).toBe('true');
    expect(await historyOf(id)).toHaveLength(1);
  });

  it.each([
    [{}, 'text is required'],
    [{ text: ' ' }, 'text is required'],
    [{ text: 'x'.repeat(2001) }, 'text must be text of at most 2000 characters, without NUL or lone surrogates'],
    [{ text: 'x', metadata: TOO_MANY }, `metadata ${RULE}`],
    [{ text: 'x', metadata: { erp: null } }, `metadata ${RULE}`],
  ])('is refused as %j', async (payload, error) => {
    const response = await post(await place(), 'notes', payload);

    expect([response.statusCode, response.json()]).toMatchObject([400, { success: false, error }]);
  });
});

describe('a mail of an order', () => {
  const MERCHANT = { stage: 'notify-merchant' };
  const setState = (id: string, state: string) =>
    api.database.query(
      `WITH held AS (UPDATE orders SET held_reasons = '{amount_over_limit}' WHERE id = $1 AND $2::text = 'held')
       UPDATE order_stages SET state = $2::text, attempts = 12, dismissed = true, notified = '{mail}',
         outcome = CASE $2::text WHEN 'done' THEN 'sent' WHEN 'dead' THEN 'failed' END WHERE order_id = $1`,
      [id, state],
    );

  it.each([
    ['done', '{}'],
    ['dead', '{mail}'],
  ])('that is %s is due again with all its attempts, and no other', async (state, notified) => {
    const id = await place();
    await setState(id, state);

    const { pipeline } = (await post(id, 'mails', MERCHANT)).json<{ data: Order }>().data;

    expect(pipeline.filter((stage) => stage.state === 'pending')).toMatchObject([{ ...MERCHANT, attempts: 0 }]);
    const [row] = await api.database.query(
      `SELECT notified::text, dismissed, outcome, run_at <= now() AS due FROM order_stages
       WHERE order_id = $1 AND stage = 'notify-merchant'`,
      [id],
    );
    expect(row).toEqual({ notified, dismissed: false, outcome: null, due: true });
    expect(await historyOf(id)).toEqual([{ event: 'mail_requested', reference: '', details: MERCHANT }]);
    expect(await outcome(post(id, 'mails', MERCHANT))).toEqual([422, 'mail_pending']);
  });

  it('that the client had switched off is sent once it is requested', async () => {
    const { order_id: id } = await orders.create({
      ...body(),
      customer: { name: 'Eve', email: 'eve@example.com' },
      notify: false,
    });

    const { pipeline } = (await post(id, 'mails', { stage: 'notify-customer' })).json<{ data: Order }>().data;

    const confirmation = { stage: 'notify-customer', state: 'pending', last_error: '' };
    expect(pipeline).toContainEqual(expect.objectContaining(confirmation));
  });

  it.each<[string, string, object, (string | number)[]]>([
    ['that is held', 'held', { stage: 'notify-customer' }, [422, 'order_held']],
    ['that waits for its first attempt', 'pending', MERCHANT, [422, 'mail_pending']],
    ['that the order does not have', 'done', { stage: 'notify-shipment', reference: 'S-1' }, [404, 'not_found']],
    ['about a shipment that it is not about', 'done', { ...MERCHANT, reference: 'S-1' }, [404, 'not_found']],
    ['that is no mail', 'done', { stage: 'inventory' }, [400, 'invalid_request']],
  ])('%s is refused', async (_what, state, mail, expected) => {
    const id = await place();
    await setState(id, state);

    expect(await outcome(post(id, 'mails', mail))).toEqual(expected);
    expect(await historyOf(id)).toEqual([]);
  });

  it('of an order without an e-mail is refused', async () => {
    const id = await place();
    await setState(id, 'done');
    await patch(id, { customer: { email: '' } });

    expect(await outcome(post(id, 'mails', { stage: 'notify-customer' }))).toEqual([422, 'no_email']);
  });

  it('that confirms a cancelled order is refused', async () => {
    const id = await place();
    await post(id, 'cancel', { notify: false });
    await setState(id, 'dead');

    expect(await outcome(post(id, 'mails', { stage: 'notify-customer' }))).toEqual([422, 'order_cancelled']);
  });
});
