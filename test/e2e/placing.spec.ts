import { withBundleImporter } from '@app/bundles';
import { SESSION_SETTINGS } from '@app/infrastructure';
import pg from 'pg';
import { FlagField } from '../../apps/api/src/body/fields.js';
import { CreateOrderRequest } from '../../apps/api/src/orders/create-order.request.js';
import { anOrderBody } from '../builders/order-body.js';
import { cipher } from '../support/bundle-imports.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { OrdersClient } from '../support/orders-client.js';
import { startApi, type CreatedOrder, type RunningApi } from '../support/start-api.js';
import { nameOf } from '../support/store-predicate/read-statements.js';

let api: RunningApi;
beforeAll(async () => (api = await startApi()));
afterAll(() => api.stop());
const orders = new OrdersClient(() => api);

describe('POST /v1/orders', () => {
  describe('when it prices an order', () => {
    it('returns 201 with the documented fields and the prices of the catalog', async () => {
      const mug = await api.store.product({ name: 'Mug', price: 1099, stock: 10 });
      const tee = await api.store.product({ name: 'Tee', price: 2000, stock: 10 });

      const response = await orders.place({
        items: [
          { product_id: mug, quantity: 3 },
          { product_id: tee, quantity: 1 },
        ],
        customer: { name: 'Ada Lovelace' },
      });

      expect(response.statusCode).toBe(201);
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(response.json()).toEqual({
        success: true,
        data: {
          order_id: expect.stringMatching(
            /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
          ) as string,
          receipt_number: expect.stringMatching(/^WEB-\d{6}-[0-9A-HJKMNP-TV-Z]{6}$/) as string,
          subtotal: 52.97,
          total: 52.97,
          payment_method: 'COD',
          items: [
            { productId: String(mug), name: 'Mug', quantity: 3, price: 10.99 },
            { productId: String(tee), name: 'Tee', quantity: 1, price: 20 },
          ],
        },
      });
    });

    it('places an order that costs its expected_total, and returns 422 with the total and writes nothing otherwise', async () => {
      const { store, post, get } = await api.withStore();
      const mug = await store.product({ price: 1_999, stock: 5 });
      const place = (expected_total: number) => post('/v1/orders', { ...anOrderBody(mug, 3), expected_total });

      const refused = await place(59.96);
      const placed = await place(59.97);

      expect([refused.statusCode, refused.headers['x-error-code'], refused.json()]).toMatchObject([
        ...[422, 'price_changed'],
        { success: false, error: 'The order total is 59.97 USD' },
      ]);
      expect([placed.statusCode, placed.json()]).toMatchObject([201, { data: { total: 59.97 } }]);
      expect((await get('/v1/orders')).json()).toMatchObject({ pagination: { total: 1 } });
      expect(await store.onHand(mug)).toBe(2);
    });

    it.each([
      [10, 0.1 * 3],
      [110, 1.1 + 1.1 + 1.1],
      [110, 3.304],
      [110, 3.296],
    ])('compares the expected_total of 3 units at %d in minor units: %d', async (price, expected_total) => {
      const { store, post } = await api.withStore();
      const body = anOrderBody(await store.product({ price, stock: 5 }), 3, { expected_total });

      expect((await post('/v1/orders/preview', body)).json()).toMatchObject({ data: { problems: [] } });
      expect((await post('/v1/orders', body)).statusCode).toBe(201);
    });

    it('places an order in the currency that it names in any letter case, and returns 422 and writes nothing otherwise', async () => {
      const { store, post, get } = await api.withStore({ currency: 'EUR' });
      const mug = await store.product({ stock: 5 });
      const place = (currency: string | null) => post('/v1/orders', { ...anOrderBody(mug), currency });

      const refused = await place('USD');
      const placed = [await place('eur'), await place('EUR'), await place(null)];

      expect([refused.statusCode, refused.headers['x-error-code'], refused.json()]).toMatchObject([
        ...[422, 'currency_mismatch'],
        { success: false, error: 'currency must be EUR, the currency of the store' },
      ]);
      expect(placed.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201]);
      expect((await get('/v1/orders')).json()).toMatchObject({ pagination: { total: 3 } });
      expect(await store.onHand(mug)).toBe(2);
    });

    it('replays an order whose price has changed since', async () => {
      const { store, database, post } = await api.withStore();
      const mug = await store.product({ price: 1_000, stock: 5 });
      const place = () =>
        post('/v1/orders', { ...anOrderBody(mug), expected_total: 10 }, { 'idempotency-key': 'agreed' });

      const placed = await place();
      await database.query('UPDATE products SET price = 2000 WHERE store_id = $1 AND id = $2', [store.id, mug]);

      expect([placed.statusCode, (await place()).body]).toEqual([201, placed.body]);
    });

    it('sells a variant at its own price and from its own stock, and keeps the order of its options', async () => {
      const attributes = { Color: 'Blue', Size: '42' };
      const shoe = await api.store.product({ name: 'Shoe', price: 7990, stock: 5 });
      const blue = await api.store.variant(shoe, { price: 8200, sku: 'S-B', attributes, stock: 3 });

      const data = await orders.create({
        items: [{ product_id: shoe, variant_id: blue, quantity: 2 }],
        customer: { name: 'Ada' },
      });

      expect(data.items[0]).toEqual({ productId: String(shoe), name: 'Shoe', quantity: 2, price: 82 });
      const stock = await api.database.query(
        'SELECT variant_key > 0 AS variant, quantity FROM stock WHERE product_id = $1 ORDER BY variant_key',
        [shoe],
      );
      expect(stock).toEqual([
        { variant: false, quantity: 5 },
        { variant: true, quantity: 1 },
      ]);
      const order = await orders.read<{ line_items: { attributes: object }[] }>(data.order_id);
      expect(order.line_items[0]).toMatchObject({ variant_id: blue, sku: 'S-B', attributes });
      expect(Object.keys(order.line_items[0]?.attributes ?? {})).toEqual(Object.keys(attributes));
    });

    it('keeps the name and the price of an order line after the product changes and is archived', async () => {
      const mug = await api.store.product({ name: 'Mug', price: 1099, stock: 5 });
      const data = await orders.create(anOrderBody(mug));

      await api.database.query(`UPDATE products SET name = 'Jug', price = 1, status = 'ARCHIVED' WHERE id = $1`, [mug]);

      const order = await orders.read<{ line_items: object[] }>(data.order_id);
      expect(order.line_items[0]).toMatchObject({ name: 'Mug', unit_price: 1099 });
    });

    it.each([
      ['JPY', 1500, 1500],
      ['KWD', 1500, 1.5],
    ])('returns the total in units of %s, from prices in its minor unit', async (currency, price, total) => {
      const { store, post } = await api.withStore({ currency });

      const placed = await post('/v1/orders', anOrderBody(await store.product({ price, stock: 1 })));

      expect(placed.json()).toMatchObject({ data: { total } });
    });
  });

  describe('when it stores an order', () => {
    it('returns the new order by id and by receipt number in any letter case, with the source WEBSITE', async () => {
      const mug = await api.store.product({ name: 'Mug', sku: 'MUG-1', price: 1099, stock: 10 });
      const contact = { name: 'Ada', email: 'Ada@Example.com', phone: '+1 555 0100' };
      const address = {
        ...{ company: 'Engines Ltd', vat_id: 'GB 1', address: '1 Main St', address2: 'Floor 3' },
        ...{ city: 'London', zip: 'N1', region: 'Greater London', country: 'GB' },
      };

      const data = await orders.create({
        ...anOrderBody(mug, 2),
        customer: { ...contact, ...address, country: 'gb' },
        payment_method: 'offline',
        notes: 'Ring twice',
      });

      const byId = await api.get(`/v1/orders/${data.order_id}`);
      const byReceipt = await api.get(`/v1/orders/${data.receipt_number.toLowerCase()}`);
      expect(byReceipt.body).toBe(byId.body);
      expect(byId.json()).toMatchObject({
        success: true,
        data: {
          ...{ id: data.order_id, receipt_number: data.receipt_number, status: 'PENDING' },
          ...{ fulfillment_status: 'PENDING', payment_method: 'OFFLINE', amount: 2198, total_amount: 2198 },
          ...{ currency: 'USD', customer_name: 'Ada', source: 'WEBSITE', is_test: false, notes: 'Ring twice' },
          customer: contact,
          shipping_address: address,
          billing_address: { name: '', ...address },
          line_items: [
            {
              ...{ product_id: mug, variant_id: null, sku: 'MUG-1', name: 'Mug' },
              ...{ unit_price: 1099, quantity: 2, line_total: 2198 },
            },
          ],
          fraud: { verdict: 'ACCEPT', score: 0, reasons: [] },
        },
      });
    });

    it('bills the address of the shipment, unless the order has another one', async () => {
      const mug = await api.store.product({ stock: 10 });
      const customer = { name: 'Ada', address: '1 Main St', country: 'GB' };
      const billed = async (billing?: object | null) => {
        const { order_id } = await orders.create({ ...anOrderBody(mug), customer, billing });
        const { billing_address } = await orders.read<{ billing_address: Record<string, string> }>(order_id);
        return Object.fromEntries(Object.entries(billing_address).filter(([, value]) => value !== ''));
      };
      const shipped = { address: '1 Main St', country: 'GB' };
      const other = { name: 'Accounts', company: 'Engines Ltd', vat_id: 'DE 1', address2: 'Box 7', country: 'DE' };

      expect([await billed(), await billed(null), await billed({ city: '', zip: null })]).toEqual(
        Array(3).fill(shipped),
      );
      expect(await billed({ ...other, country: 'de' })).toEqual(other);
      expect(
        await orders.refusal({
          ...anOrderBody(mug),
          customer,
          billing: { vat_id: '1'.repeat(65), country: 'Germany' },
        }),
      ).toEqual([
        400,
        'billing.vat_id must be text of at most 64 characters, without NUL or lone surrogates; ' +
          'billing.country must be a country code of two letters, such as DE (ISO 3166-1), or empty',
      ]);
    });

    it('links the order to the customer of the store with the same e-mail', async () => {
      const id = await api.store.customer({ email: 'grace@example.com' });
      const mug = await api.store.product({ stock: 5 });

      const data = await orders.create({
        ...anOrderBody(mug),
        customer: { name: 'Grace', email: 'GRACE@example.com' },
      });

      const [row] = await api.database.query('SELECT customer_id FROM orders WHERE id = $1', [data.order_id]);
      expect(row).toEqual({ customer_id: id });
    });

    it('marks an order of a test key as a test order and withdraws its stock', async () => {
      const mug = await api.store.product({ stock: 5 });
      const key = await api.store.createKey('test');

      const response = await orders.place(anOrderBody(mug), { authorization: `Bearer ${key}` });

      expect(response.headers['x-traffic-mode']).toBe('test');
      const { order_id: id } = response.json<{ data: CreatedOrder }>().data;
      expect(await orders.read(id)).toMatchObject({ is_test: true });
      expect(await api.store.onHand(mug)).toBe(4);
    });
  });
});

describe('POST /v1/orders: Idempotency-Key', () => {
  it('repeats the first response byte for byte, even after the product was archived', async () => {
    const mug = await api.store.product({ stock: 5 });
    const headers = { 'idempotency-key': 'order-1' };

    const first = await orders.place(anOrderBody(mug), headers);
    await api.database.query(`UPDATE products SET status = 'ARCHIVED', price = 1 WHERE id = $1`, [mug]);
    const second = await orders.place(anOrderBody(mug), headers);

    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(second.body).toBe(first.body);
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
    expect(await api.store.onHand(mug)).toBe(4);
  });

  it('repeats the first response in a release whose orders have one more field, with a default', async () => {
    const product = await api.store.product({ stock: 5 });
    const headers = { 'idempotency-key': 'before the upgrade' };
    const first = await orders.place(anOrderBody(product), headers);
    FlagField({ description: 'As a gift.', default: false })(CreateOrderRequest.prototype, 'gift');

    const second = await orders.place(anOrderBody(product), headers);
    const other = await orders.place({ ...anOrderBody(product), gift: true }, headers);

    expect([second.headers['idempotent-replayed'], second.body]).toEqual(['true', first.body]);
    expect([other.statusCode, other.headers['x-error-code']]).toEqual([422, 'idempotency_mismatch']);
  });

  it('takes the same body in another notation, and with other ignored fields, for the same request', async () => {
    const product = await api.store.product({ stock: 5 });
    const headers = { 'idempotency-key': 'another notation' };
    const { items, customer, ...more } = anOrderBody(product);
    const first = await orders.place({ items, customer, ...more, total: 1 }, headers);

    const second = await orders.place({ ...more, customer, items, total: 2 }, headers);

    expect([second.headers['idempotent-replayed'], second.body]).toEqual(['true', first.body]);
  });

  it.each([
    ['empty', ''],
    ['longer than 255 characters', 'x'.repeat(256)],
    ['not ASCII', 'schlüssel'],
  ])('returns 400 for a key that is %s', async (_case, key) => {
    expect(await orders.refusal(anOrderBody(1), { 'idempotency-key': key })).toEqual([
      400,
      'Idempotency-Key must be 1 to 255 printable ASCII characters',
    ]);
  });
});

describe('POST /v1/orders with the Idempotency-Key of an order that would be rejected by now', () => {
  let own: RunningApi;
  beforeEach(async () => (own = await api.withStore()));

  const waiting = (query: string) => eventually(async () => expect(await lockWaits(api.database, query)).toBe(1));
  const setStatus = (product: number, status: string) =>
    api.database.query('UPDATE products SET status = $2 WHERE id = $1', [product, status]);
  const block = () =>
    api.database.query(`UPDATE stores SET fraud_settings = '{"blocked_emails": ["ada@example.com"]}' WHERE id = $1`, [
      own.store.id,
    ]);

  async function race(key: string, change: (product: number) => Promise<unknown>) {
    const product = await own.store.product({ stock: 5 });
    const body = anOrderBody(product, 1, { customer: { name: 'Ada', email: 'ada@example.com' } });
    const send = () => own.post('/v1/orders', body, { 'idempotency-key': key });
    const blocker = await openTransaction(api.database, `SELECT FROM stock WHERE product_id = ${product} FOR UPDATE`);
    const first = send();
    await waiting('%stock%');
    await change(product);
    return { product, first, repeated: send(), blocker };
  }

  it.each([
    ['its product was archived', (product: number) => setStatus(product, 'ARCHIVED')],
    ['its customer was blocked', block],
  ])('waits for the first request and repeats its answer when %s', async (reason, change) => {
    const { product, first, repeated, blocker } = await race(`twin: ${reason}`, change);
    await waiting('%idempotency_keys%');
    await blocker.end();

    expect([(await first).statusCode, (await repeated).statusCode]).toEqual([201, 201]);
    expect((await repeated).rawPayload).toEqual((await first).rawPayload);
    expect((await repeated).headers['idempotent-replayed']).toBe('true');
    expect(await own.store.onHand(product)).toBe(4);
    const rejected = `SELECT FROM fraud_assessments WHERE verdict = 'REJECT' AND store_id = $1`;
    expect(await api.database.query(rejected, [own.store.id])).toEqual([]);
  });

  it('returns 409 before the deadline when the first request is still running', async () => {
    const product = await own.store.product({ stock: 5, status: 'ARCHIVED' });
    const claim = `INSERT INTO idempotency_keys VALUES (${own.store.id}, 'live', 'takes long', 'order', 'hash')`;
    const blocker = await openTransaction(api.database, claim);
    const startedAt = Date.now();

    const { statusCode, headers } = await own.post('/v1/orders', anOrderBody(product), {
      'idempotency-key': 'takes long',
    });

    expect([statusCode, headers['retry-after']]).toEqual([409, '1']);
    expect(Date.now() - startedAt).toBeLessThan(2_900);
    await blocker.end();
  });

  it('rejects the order when there is no earlier request, and does not use up the key', async () => {
    const product = await own.store.product({ stock: 5, status: 'ARCHIVED' });
    const send = () => own.post('/v1/orders', anOrderBody(product), { 'idempotency-key': 'refused' });

    expect((await send()).json()).toMatchObject({ error: `items[0].product_id ${product} is not available` });
    expect(await api.database.query(`SELECT FROM idempotency_keys WHERE key = 'refused'`)).toEqual([]);
    await setStatus(product, 'ACTIVE');
    expect((await send()).statusCode).toBe(201);
  });
});

describe('POST /v1/orders: stock', () => {
  it('returns 422 with the lines that are short, and writes nothing', async () => {
    const { store, database, post } = await api.withStore();
    const [mug, tee] = [await store.product({ stock: [2, 1] }), await store.product({ stock: 9 })];
    const items = [
      { product_id: tee, quantity: 1 },
      { product_id: mug, quantity: 5 },
    ];

    const answer = await post('/v1/orders', { items, customer: { name: 'Ada' } });

    const error = 'items[1]: requested 5, available 3';
    expect([answer.statusCode, answer.json()]).toMatchObject([422, { success: false, error }]);
    expect([await store.onHand(mug), await store.onHand(tee)]).toEqual([3, 9]);
    const written = `SELECT store_id FROM orders WHERE store_id = $1
      UNION ALL SELECT store_id FROM stock_movements WHERE store_id = $1 AND kind = 'ORDER'`;
    expect(await database.query(written, [store.id])).toEqual([]);
  });

  it('does not sell the stock of a variant to a line without a variant', async () => {
    const shoe = await api.store.product();
    await api.store.variant(shoe, { stock: 9 });

    expect(await orders.refusal(anOrderBody(shoe))).toEqual([
      422,
      'items[0]: requested 1, available 0 without variant_id (the product has variants: send variant_id)',
    ]);
  });

  it('sells stock that another transaction returns while the order waits for its lock', async () => {
    const mug = await api.store.product({ stock: 0 });
    const client = await openTransaction(api.database, `UPDATE stock SET quantity = 1 WHERE product_id = ${mug}`);

    const placing = orders.place(anOrderBody(mug));
    await eventually(async () => expect(await lockWaits(api.database)).toBe(1));
    await client.query('COMMIT');
    await client.end();

    expect((await placing).statusCode).toBe(201);
    expect(await api.store.onHand(mug)).toBe(0);
  });

  it('refuses the product of a dry run with 503 while that runs, and sells it afterwards', async () => {
    const mug = await api.store.product({ slug: 'dry', stock: 1 });
    const { subdomain: store } = api.store;
    const line = { kind: 'product', store, slug: 'dry', name: 'Wet', price: '1.00' } as const;
    let refused: Awaited<ReturnType<typeof orders.place>> | undefined;
    async function* batches() {
      yield { lines: [{ number: 1, line, bytes: 0 }], bad: [] };
      refused = await orders.place(anOrderBody(mug));
    }

    await withBundleImporter(api.database.url, cipher, (importer) =>
      importer.importBatches(batches(), { dryRun: true }),
    );

    expect([refused?.statusCode, refused?.headers['x-error-code']]).toEqual([503, 'deadline_exceeded']);
    expect((await orders.place(anOrderBody(mug))).statusCode).toBe(201);
  });
});

describe('external_reference of an order', () => {
  let mug: number;
  let serial = 0;
  beforeAll(async () => {
    mug = await api.store.product({ stock: 1_000 });
  });

  const aReference = () => `PO ${++serial} / Łódź`;
  const bodyOf = (external_reference: unknown, productId = mug) => ({ ...anOrderBody(productId), external_reference });
  const listed = async (query: string) => {
    const answer = await api.get(`/v1/orders?${query}`);
    const { data, pagination } = answer.json<{ data: { id: string }[]; pagination: { total: number } }>();
    expect([answer.statusCode, pagination.total]).toEqual([200, data.length]);
    return data.map(({ id }) => id);
  };
  const by = (reference: string) => `external_reference=${encodeURIComponent(reference)}`;
  const codeOf = ({ statusCode, headers }: Awaited<ReturnType<typeof orders.place>>) => [
    statusCode,
    headers['x-error-code'],
    headers['x-existing-order'],
  ];

  it.each([
    ['absent', anOrderBody],
    ['null', (id: number) => bodyOf(null, id)],
  ] as const)('is empty text in the full record when it is %s', async (_case, body) => {
    const { order_id } = await orders.create(body(mug));

    expect((await orders.read(order_id))['external_reference']).toBe('');
  });

  // `external-reference.spec.ts` has the other texts.
  it.each([[''], ['PO '], ['P\0O'], ['P\u200bO'], ['x'.repeat(65)], [7], [['PO']]])(
    'is refused with 400 when it is %j',
    async (value) => {
      expect(await orders.refusal(bodyOf(value))).toEqual([
        400,
        'external_reference must be 1 to 64 visible characters, with plain spaces only between them',
      ]);
    },
  );

  it('is in the full record as it was sent, and filters the list exactly, together with other filters', async () => {
    const reference = aReference();
    const { order_id } = await orders.create(bodyOf(reference));

    expect((await orders.read(order_id))['external_reference']).toBe(reference);
    expect(await listed(by(reference))).toEqual([order_id]);
    expect(await listed(`${by(reference)}&status=pending&source=website&held=false`)).toEqual([order_id]);
    for (const other of [
      `${by(reference)}&status=FAILED`,
      `${by(reference)}&search=nothing-has-this`,
      by(reference.toUpperCase()),
      by(reference.slice(0, -1)),
      by(`${reference}%`),
      by('\0'),
    ]) {
      expect(await listed(other)).toEqual([]);
    }
  });

  it('is refused with 422 and the id of the order that has it', async () => {
    const reference = aReference();
    const { order_id } = await orders.create(bodyOf(reference));
    const before = await api.store.onHand(mug);

    const refusal = await orders.place(bodyOf(reference), { 'idempotency-key': `other-${reference.length}` });

    expect(codeOf(refusal)).toEqual([422, 'external_reference_taken', order_id]);
    expect(refusal.json()).toEqual({
      success: false,
      error: 'Another order has this external_reference',
      code: 'external_reference_taken',
      faults: [{ path: 'external_reference', message: 'Another order has this external_reference' }],
    });
    expect([await listed(by(reference)), await api.store.onHand(mug)]).toEqual([[order_id], before]);
  });

  it('stays taken when the Idempotency-Key is forgotten', async () => {
    const reference = aReference();
    const headers = { 'idempotency-key': 'forgotten' };
    const { order_id } = await orders.create(bodyOf(reference), headers);
    await api.database.query(`DELETE FROM idempotency_keys WHERE key = 'forgotten'`);

    expect(codeOf(await orders.place(bodyOf(reference), headers))).toEqual([422, 'external_reference_taken', order_id]);
  });

  it.each([
    ['refuses a second order only when the first is committed', 'COMMIT', 422],
    ['places a second order when the first is rolled back', 'ROLLBACK', 201],
  ])('%s', async (_title, end, status) => {
    const reference = aReference();
    const first = await openTransaction(api.database);
    const { rows } = await first.query<{ id: string }>(
      `INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
         amount, total_amount, customer_name, created_at, external_reference)
       VALUES ($1, gen_random_uuid(), $2, 'WEBSITE', 'PENDING', 'PENDING', 'COD', 'USD', 1, 1, 'Ada', now(), $3)
       RETURNING id`,
      [api.store.id, `WEB-HELD-${serial}`, reference],
    );

    const second = orders.place(bodyOf(reference));
    await eventually(async () => expect(await lockWaits(api.database, '%orders.insert%')).toBe(1));
    await first.query(end);
    await first.end();

    const answer = await second;
    expect(answer.statusCode).toBe(status);
    if (status === 422) expect(answer.headers['x-existing-order']).toBe(rows[0]?.id);
  });
});

/** Fake timers leave all of these unchanged, so that they change only the date. */
const STATEMENTS = [
  'keys.look_up',
  'idempotency.look_up',
  'products.price',
  'clock.now',
  'fraud.facts', // sent with the prices
  'transactions.begin',
  'idempotency.claim',
  'orders.insert',
  'stock.withdraw_from_fullest_or_fail',
  'COMMIT',
];

describe('the statements of an order', () => {
  async function statementsOf(headers: Record<string, string>, productId?: number, more = {}): Promise<string[]> {
    productId ??= await api.store.product({ stock: 5 });
    const order = anOrderBody(productId, 1, more);
    // What is read once per second is read for at most the first order: for the second, no time has passed.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    await api.post('/v1/orders', order); // fills the cache of the store's history, which the fraud analysis keeps for a minute

    const query = vi.spyOn(pg.Client.prototype, 'query');
    const response = await api.post('/v1/orders', order, headers);
    const texts = query.mock.calls.map(([statement]: unknown[]) =>
      (typeof statement === 'string' ? statement : (statement as { text: string }).text).trim(),
    );
    query.mockRestore();
    clock.mockRestore();

    expect(response.statusCode).toBe(201);
    // The readiness check runs on a timer and is not part of an order, nor is the connection that it makes the pool open.
    return texts
      .filter((text) => text !== SESSION_SETTINGS.trim())
      .map((text) => nameOf(text) ?? /^[A-Z ]+/.exec(text)?.[0].trim() ?? text)
      .filter((name) => !/^(health|migrations)\./.test(name));
  }

  it('are exactly the expected ones', async () => {
    const withKeyOnly = ['idempotency.look_up', 'idempotency.claim'];

    expect(await statementsOf({})).toEqual(STATEMENTS.filter((name) => !withKeyOnly.includes(name)));
  });

  it('are two more with an Idempotency-Key', async () => {
    expect(await statementsOf({ 'idempotency-key': 'counted' })).toEqual(STATEMENTS);
  });

  it('are one more with SKUs', async () => {
    const skus = ['COUNTED-1', 'COUNTED-2'];
    for (const sku of skus) await api.store.product({ sku, stock: 9 });
    const items = skus.map((sku) => ({ sku, quantity: 1 }));

    const sent = await statementsOf({ 'idempotency-key': 'by SKU' }, undefined, { items });

    expect(sent.sort()).toEqual([...STATEMENTS, 'skus.resolve'].sort());
  });

  it('are two when it is replayed and no commit waits for a standby', async () => {
    const key = { 'idempotency-key': 'replayed' };
    const productId = await api.store.product({ stock: 5 });
    await statementsOf(key, productId);

    expect(await statementsOf(key, productId)).toEqual(['keys.look_up', 'idempotency.look_up']);
  });
});

describe('the transaction of an order', () => {
  it('keys the contact of an order as every other writer does', async () => {
    const product = await api.store.product({ stock: 5 });
    const contact = { email: 'Ada.L@Example.com', phone: '0049 (30) 123', address: '12, Harbor St.', zip: '04 101' };
    const company = { company: 'A\u030a & Co', vat_id: 'SE 55' };
    const customer = { name: 'Ada', ...contact, ...company };
    const { order_id } = await orders.create({ ...anOrderBody(product), customer, billing: { company: 'Z AB' } });
    const keys = (id: string) =>
      api.database.query(
        `SELECT email_key, phone_key, address_key, email_key = email_key(customer_email)
           AND phone_key = phone_key(customer_phone) AND address_key = comparable_address(shipping_address) AS fits,
           search_text = search_text_of(orders) AS is_searched
         FROM orders WHERE id = $1`,
        [id],
      );
    const [placed] = await keys(order_id);
    await api.database.query(
      `INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
         amount, total_amount, customer_name, customer_email, customer_phone, shipping_address, billing_address, created_at)
       SELECT store_id, gen_random_uuid(), 'POS-KEYS', source, status, fulfillment_status, payment_method, currency,
         amount, total_amount, customer_name, customer_email, customer_phone, shipping_address, billing_address, created_at
       FROM orders WHERE id = $1`,
      [order_id],
    );
    const [{ id = '' } = {}] = await api.database.query<{ id: string }>(
      `SELECT id FROM orders WHERE store_id = $1 AND receipt_number = 'POS-KEYS'`,
      [api.store.id],
    );
    const inserted = await keys(id);
    await api.database.query(
      `UPDATE orders SET customer_email = '', customer_phone = '', shipping_address = '{}' WHERE id = $1`,
      [id],
    );

    expect(placed).toMatchObject({
      email_key: 'l.ada@example.com',
      phone_key: '3210394',
      fits: true,
      is_searched: true,
    });
    expect(inserted).toEqual([placed]);
    expect(await keys(id)).toMatchObject([{ email_key: '@', phone_key: null, address_key: null, is_searched: true }]);
  });
});

it('dates orders by the clock of the database, and lists them in the order of placing, while the clock of the process is slow', async () => {
  const { store, place, get } = await api.withStore();
  const mug = await store.product({ stock: 100 });
  const now = async () =>
    (await api.database.query<{ now: Date }>('SELECT clock_timestamp() AS now'))[0]?.now.getTime() ?? 0;
  const placed: { id: string; from: number; to: number }[] = [];

  for (const slowness of [0, 5 * 60_000, 0, 5 * 60_000]) {
    const from = await now();
    vi.useFakeTimers({ now: Date.now() - slowness, toFake: ['Date'] });
    const { order_id: id } = await place(anOrderBody(mug)).finally(() => vi.useRealTimers());
    placed.push({ id, from, to: await now() });
  }

  const listed = (await get('/v1/orders')).json<{ data: { id: string; created_at: string }[] }>().data;
  expect(listed.map(({ id }) => id)).toEqual(placed.map(({ id }) => id).reverse());
  for (const { id, from, to } of placed) {
    const at = Date.parse(listed.find((order) => order.id === id)?.created_at ?? '');
    expect(at).toBeGreaterThanOrEqual(from - 1); // created_at has milliseconds
    expect(at).toBeLessThanOrEqual(to + 1);
    // A UUID v7 begins with its time: held orders are listed by id.
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at);
  }
});
