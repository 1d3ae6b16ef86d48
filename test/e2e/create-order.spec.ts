import pg from 'pg';
import { startApi, type RunningApi } from '../support/start-api.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { eventually } from '../support/eventually.js';

interface Created {
  order_id: string;
  receipt_number: string;
  subtotal: number;
  total: number;
  payment_method: string;
  items: { productId: string; name: string; quantity: number; price: number }[];
}

describe('POST /v1/orders', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  const body = (productId: number, quantity = 1, more: object = {}) => ({
    items: [{ product_id: productId, quantity }],
    customer: { name: 'Ada Lovelace' },
    ...more,
  });
  const place = (payload: unknown, headers?: Record<string, string>) => api.post('/v1/orders', payload, headers);
  const errorOf = async (payload: unknown, headers?: Record<string, string>) => {
    const response = await place(payload, headers);
    return [response.statusCode, response.json<{ error: string }>().error];
  };
  const ordersInStore = async () => {
    const [row] = await api.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM orders WHERE store_id = $1',
      [api.store.id],
    );
    return row?.count;
  };

  describe('a good order', () => {
    it('answers 201 in the exact shape, priced from the catalog', async () => {
      const mug = await api.store.product({ name: 'Mug', price: 1099, stock: 10 });
      const tee = await api.store.product({ name: 'Tee', price: 2000, stock: 10 });

      const response = await place({
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

    it('ignores prices and totals in the body', async () => {
      const mug = await api.store.product({ price: 1099, stock: 10 });

      const response = await place({
        items: [{ product_id: mug, quantity: 1, price: 0.01, unit_price: 1, total: 1 }],
        customer: { name: 'Ada' },
        subtotal: 0.01,
        total: 0.01,
        amount: 1,
        status: 'SUCCEEDED',
      });

      expect(response.json<{ data: Created }>().data).toMatchObject({ subtotal: 10.99, total: 10.99 });
    });

    it('is a WEBSITE order at once, by id and by receipt number in any letter case', async () => {
      const mug = await api.store.product({ name: 'Mug', sku: 'MUG-1', price: 1099, stock: 10 });
      const customer = { name: 'Ada', email: 'Ada@Example.com', phone: '+1 555 0100', address: '1 Main St' };

      const { data } = (
        await place({
          ...body(mug, 2),
          customer: { ...customer, city: 'London', zip: 'N1' },
          payment_method: 'offline',
          notes: 'Ring twice',
        })
      ).json<{ data: Created }>();

      const byId = await api.get(`/v1/orders/${data.order_id}`);
      const byReceipt = await api.get(`/v1/orders/${data.receipt_number.toLowerCase()}`);
      expect(byReceipt.body).toBe(byId.body);
      const address = { address: '1 Main St', city: 'London', zip: 'N1' };
      expect(byId.json()).toMatchObject({
        success: true,
        data: {
          id: data.order_id,
          receipt_number: data.receipt_number,
          status: 'PENDING',
          fulfillment_status: 'PENDING',
          payment_method: 'OFFLINE',
          amount: 2198,
          total_amount: 2198,
          currency: 'USD',
          customer_name: 'Ada',
          source: 'WEBSITE',
          is_test: false,
          notes: 'Ring twice',
          customer: { name: 'Ada', email: 'Ada@Example.com', phone: '+1 555 0100' },
          shipping_address: address,
          billing_address: address,
          line_items: [
            {
              product_id: mug,
              variant_id: null,
              sku: 'MUG-1',
              name: 'Mug',
              unit_price: 1099,
              quantity: 2,
              line_total: 2198,
            },
          ],
          fraud: { verdict: 'ACCEPT', score: 0, reasons: [] },
        },
      });
    });

    it('prices a variant by its own price and takes its own stock', async () => {
      const shoe = await api.store.product({ name: 'Shoe', price: 7990, stock: 5 });
      const blue = await api.store.variant(shoe, { price: 8200, sku: 'S-B', attributes: { Color: 'Blue' }, stock: 3 });

      const response = await place({
        items: [{ product_id: shoe, variant_id: blue, quantity: 2 }],
        customer: { name: 'Ada' },
      });

      const { data } = response.json<{ data: Created }>();
      expect(data.items[0]).toEqual({ productId: String(shoe), name: 'Shoe', quantity: 2, price: 82 });
      const stock = await api.database.query(
        'SELECT variant_key > 0 AS variant, quantity FROM stock WHERE product_id = $1 ORDER BY variant_key',
        [shoe],
      );
      expect(stock).toEqual([
        { variant: false, quantity: 5 },
        { variant: true, quantity: 1 },
      ]);
      const order = (await api.get(`/v1/orders/${data.order_id}`)).json<{ data: { line_items: object[] } }>();
      expect(order.data.line_items[0]).toMatchObject({ variant_id: blue, sku: 'S-B', attributes: { Color: 'Blue' } });
    });

    it('keeps the options of a variant in their order', async () => {
      const attributes = { Color: 'Blue', Size: '42' };
      const shoe = await api.store.product();
      const variant = await api.store.variant(shoe, { attributes, stock: 1 });

      const response = await place({
        items: [{ product_id: shoe, variant_id: variant, quantity: 1 }],
        customer: { name: 'Ada' },
      });

      const { order_id: id } = response.json<{ data: Created }>().data;
      const order = (await api.get(`/v1/orders/${id}`)).json<{ data: { line_items: { attributes: object }[] } }>();
      expect(Object.entries(order.data.line_items[0]?.attributes ?? {})).toEqual(Object.entries(attributes));
    });

    it('keeps two lines of one product, in request order', async () => {
      const mug = await api.store.product({ stock: 5 });

      const response = await place({
        items: [
          { product_id: mug, quantity: 2 },
          { product_id: mug, quantity: 3 },
        ],
        customer: { name: 'Ada' },
      });

      expect(response.json<{ data: Created }>().data.items.map(({ quantity }) => quantity)).toEqual([2, 3]);
      expect(await api.store.onHand(mug)).toBe(0);
    });

    it('keeps its lines as they were sold when the product changes or goes', async () => {
      const mug = await api.store.product({ name: 'Mug', price: 1099, stock: 5 });
      const { data } = (await place(body(mug))).json<{ data: Created }>();

      await api.database.query(`UPDATE products SET name = 'Jug', price = 1, status = 'ARCHIVED' WHERE id = $1`, [mug]);

      const order = (await api.get(`/v1/orders/${data.order_id}`)).json<{ data: { line_items: object[] } }>();
      expect(order.data.line_items[0]).toMatchObject({ name: 'Mug', unit_price: 1099 });
    });

    it('is linked to the customer of the store with the same e-mail', async () => {
      const id = await api.store.customer({ email: 'grace@example.com' });
      const mug = await api.store.product({ stock: 5 });

      const { data } = (await place({ ...body(mug), customer: { name: 'Grace', email: 'GRACE@example.com' } })).json<{
        data: Created;
      }>();

      const [row] = await api.database.query('SELECT customer_id FROM orders WHERE id = $1', [data.order_id]);
      expect(row).toEqual({ customer_id: id });
    });

    it('takes 100 lines of 999 of a high price without losing a cent', async () => {
      const yacht = await api.store.product({ price: 1_400_000_000, stock: 100 * 999 });
      const items = Array.from({ length: 100 }, () => ({ product_id: yacht, quantity: 999 }));

      const response = await place({ items, customer: { name: 'Ada' } });

      expect(response.json<{ data: Created }>().data.total).toBe(1_398_600_000_000);
    });

    it('makes an order of a test key test traffic, stock included', async () => {
      const mug = await api.store.product({ stock: 5 });
      const key = await api.store.createKey('test');

      const response = await place(body(mug), { authorization: `Bearer ${key}` });

      expect(response.headers['x-traffic-mode']).toBe('test');
      const order = await api.get(`/v1/orders/${response.json<{ data: Created }>().data.order_id}`);
      expect(order.json()).toMatchObject({ data: { is_test: true } });
      expect(await api.store.onHand(mug)).toBe(4);
    });

    it.each([
      ['JPY', 1500, 1500],
      ['KWD', 1500, 1.5],
    ])('counts in the minor unit of %s', async (currency, price, total) => {
      const store = await StoreFixture.create(api.database, { currency });
      const mug = await store.product({ price, stock: 1 });

      const response = await place(body(mug), { authorization: `Bearer ${store.key}` });

      expect(response.json<{ data: Created }>().data.total).toBe(total);
    });

    it.each([
      ['every optional text null', { email: null, phone: null, address: null, city: null, zip: null }],
      ['an empty e-mail', { email: '' }],
      ['text of every script', { address: '12 Ѐ 漢字 🚲 "quoted" \\ %_', city: 'Łódź', zip: "O'1" }],
    ])('accepts %s and gives the text back as it was', async (_case, customer) => {
      const mug = await api.store.product({ stock: 1 });

      const response = await place({ ...body(mug), customer: { name: ' Ada ', ...customer } });

      expect(response.statusCode).toBe(201);
      const { data } = (await api.get(`/v1/orders/${response.json<{ data: Created }>().data.order_id}`)).json<{
        data: { customer: Record<string, string>; shipping_address: Record<string, string> };
      }>();
      const given = Object.fromEntries(Object.entries(customer).map(([key, value]) => [key, value ?? '']));
      expect({ ...data.customer, ...data.shipping_address }).toMatchObject({ name: ' Ada ', ...given });
    });
  });

  describe('stock', () => {
    it('is taken from the fullest bins first, with a row in the ledger for each', async () => {
      const mug = await api.store.product({ stock: [2, 5, 1] });

      const { data } = (await place(body(mug, 6))).json<{ data: Created }>();

      const bins = await api.database.query('SELECT quantity FROM stock WHERE product_id = $1 ORDER BY bin_id', [mug]);
      expect(bins).toEqual([{ quantity: 1 }, { quantity: 0 }, { quantity: 1 }]);
      const moves = await api.database.query(
        `SELECT kind, quantity FROM stock_movements WHERE order_id = $1 ORDER BY quantity`,
        [data.order_id],
      );
      expect(moves).toEqual([
        { kind: 'ORDER', quantity: -5 },
        { kind: 'ORDER', quantity: -1 },
      ]);
    });

    it('that is short is 422 naming the lines, and nothing is written', async () => {
      const mug = await api.store.product({ stock: [2, 1] });
      const tee = await api.store.product({ stock: 9 });
      const before = await ordersInStore();

      const answer = await errorOf({
        items: [
          { product_id: tee, quantity: 1 },
          { product_id: mug, quantity: 5 },
        ],
        customer: { name: 'Ada' },
      });

      expect(answer).toEqual([422, 'items[1]: requested 5, available 3']);
      expect([await ordersInStore(), await api.store.onHand(mug), await api.store.onHand(tee)]).toEqual([before, 3, 9]);
      expect(
        await api.database.query(`SELECT 1 FROM stock_movements WHERE kind = 'ORDER' AND product_id = $1`, [tee]),
      ).toEqual([]);
    });

    it('is summed over the lines of one product', async () => {
      const mug = await api.store.product({ stock: 4 });
      const item = (quantity: number) => ({ product_id: mug, quantity });

      const answer = await errorOf({ items: [item(2), item(3)], customer: { name: 'Ada' } });

      expect(answer).toEqual([422, 'items[0]: requested 5, available 4; items[1]: requested 5, available 4']);
    });

    it('of variants does not serve a line without a variant', async () => {
      const shoe = await api.store.product();
      await api.store.variant(shoe, { stock: 9 });

      expect(await errorOf(body(shoe))).toEqual([422, 'items[0]: requested 1, available 0']);
    });

    it('in an inactive warehouse does not count', async () => {
      const mug = await api.store.product({ stock: 1 });
      await api.store.stock(mug, null, 9, await api.store.warehouse({ active: false }));

      expect(await errorOf(body(mug, 2))).toEqual([422, 'items[0]: requested 2, available 1']);
    });

    it('that comes back while an order waits for it is sold to that order', async () => {
      const mug = await api.store.product({ stock: 0 });
      const client = new pg.Client({ connectionString: api.database.url });
      await client.connect();
      await client.query('BEGIN');
      await client.query('UPDATE stock SET quantity = 1 WHERE product_id = $1', [mug]);

      const placing = place(body(mug));
      await eventually(async () => {
        const waiting = await api.database.query(`SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`);
        expect(waiting).toHaveLength(1);
      });
      await client.query('COMMIT');
      await client.end();

      expect((await placing).statusCode).toBe(201);
      expect(await api.store.onHand(mug)).toBe(0);
    });

    it('is never oversold by buyers at the same moment', async () => {
      const mug = await api.store.product({ stock: [3, 3, 4] });

      const answers = await Promise.all(Array.from({ length: 30 }, () => place(body(mug))));

      const statuses = answers.map(({ statusCode }) => statusCode);
      expect([statuses.filter((s) => s === 201).length, statuses.filter((s) => s === 422).length]).toEqual([10, 20]);
      expect(await api.store.onHand(mug)).toBe(0);
      const [ledger] = await api.database.query(
        'SELECT sum(quantity)::int AS sum FROM stock_movements WHERE product_id = $1',
        [mug],
      );
      expect(ledger).toEqual({ sum: 0 });
    });
  });

  describe('the pipeline', () => {
    it('begins with the order: two notifications wait to be queued', async () => {
      const mug = await api.store.product({ stock: 5 });

      const { data } = (await place({ ...body(mug), customer: { name: 'Ada', email: 'ada@example.com' } })).json<{
        data: Created;
      }>();

      const order = (await api.get(`/v1/orders/${data.order_id}`)).json<{ data: { pipeline: object[] } }>();
      expect(order.data.pipeline).toMatchObject([
        { stage: 'fraud-analysis', state: 'done', attempts: 1 },
        { stage: 'inventory', state: 'done', attempts: 1 },
        { stage: 'notify-customer', state: 'pending', attempts: 0 },
        { stage: 'notify-merchant', state: 'pending', attempts: 0 },
      ]);
      const waiting = await api.database.query(
        `SELECT stage FROM order_stages WHERE order_id = $1 AND state = 'pending' AND NOT queued ORDER BY 1`,
        [data.order_id],
      );
      expect(waiting).toEqual([{ stage: 'notify-customer' }, { stage: 'notify-merchant' }]);
    });
  });

  describe('fraud rules of the store', () => {
    const settings = {
      blocked_emails: ['Thief@Example.com'],
      blocked_phones: ['+1 (555) 0199'],
      review_amount: 50_000,
    };

    it.each([
      ['a blocked e-mail', { email: 'thief@example.COM' }],
      ['a blocked phone', { phone: '15550199' }],
    ])('refuse %s with 422 and keep only the assessment', async (_case, customer) => {
      const store = await StoreFixture.create(api.database);
      await api.database.query('UPDATE stores SET fraud_settings = $2 WHERE id = $1', [store.id, settings]);
      const mug = await store.product({ stock: 5 });

      const answer = await errorOf(
        { ...body(mug), customer: { name: 'Eve', ...customer } },
        { authorization: `Bearer ${store.key}` },
      );

      expect(answer).toEqual([422, 'The order cannot be accepted']);
      expect(await api.database.query('SELECT 1 FROM orders WHERE store_id = $1', [store.id])).toEqual([]);
      expect(await api.database.query('SELECT verdict FROM fraud_assessments WHERE store_id = $1', [store.id])).toEqual(
        [{ verdict: 'REJECT' }],
      );
      expect(await store.onHand(mug)).toBe(5);
    });

    it('hold the confirmation of an order that a person must look at', async () => {
      const store = await StoreFixture.create(api.database);
      await api.database.query('UPDATE stores SET fraud_settings = $2 WHERE id = $1', [store.id, settings]);
      const ring = await store.product({ price: 50_000, stock: 5 });
      const headers = { authorization: `Bearer ${store.key}` };

      const created = await place(body(ring), headers);

      const order = await api.get(`/v1/orders/${created.json<{ data: Created }>().data.order_id}`, headers);
      expect(order.json()).toMatchObject({
        data: {
          fulfillment_status: 'PENDING',
          fraud: { verdict: 'REVIEW', score: 50, reasons: [{ rule: 'amount_over_limit', score: 50 }] },
          pipeline: [
            {},
            {},
            { stage: 'notify-customer', state: 'held' },
            { stage: 'notify-merchant', state: 'pending' },
          ],
        },
      });
    });
  });

  describe('items that cannot be ordered', () => {
    it('are 400, worded alike whether unknown, inactive or of another store', async () => {
      const stranger = await StoreFixture.create(api.database);
      const foreign = await stranger.product({ stock: 5 });
      const draft = await api.store.product({ status: 'DRAFT', stock: 5 });
      const unknown = 2_000_000_000;

      for (const id of [foreign, draft, unknown]) {
        expect(await errorOf(body(id))).toEqual([400, `items[0].product_id ${id} is not available`]);
      }
    });

    it('are 400 for a variant of another product, an inactive one and an unknown one', async () => {
      const shoe = await api.store.product({ stock: 5 });
      const other = await api.store.variant(await api.store.product(), { stock: 5 });
      const inactive = await api.store.variant(shoe, { status: 'INACTIVE', stock: 5 });

      for (const variant_id of [other, inactive, 2_000_000_000]) {
        const answer = await errorOf({ ...body(shoe), items: [{ product_id: shoe, variant_id, quantity: 1 }] });
        expect(answer).toEqual([400, `items[0].variant_id ${variant_id} is not available`]);
      }
    });

    it('are all named', async () => {
      const mug = await api.store.product({ stock: 5 });
      const item = (product_id: number) => ({ product_id, quantity: 1 });

      expect(
        await errorOf({ items: [item(1_999_999_999), item(mug), item(1_999_999_998)], customer: { name: 'A' } }),
      ).toEqual([
        400,
        'items[0].product_id 1999999999 is not available; items[2].product_id 1999999998 is not available',
      ]);
    });
  });

  describe('a body that is wrong', () => {
    const ok = { product_id: 1, quantity: 1 };
    const customer = { name: 'Ada' };
    const integer = (path: string, max: number) => `${path} must be an integer from 1 to ${max}`;
    const text = (path: string, max: number) =>
      `${path} must be text of at most ${max} characters, without NUL or lone surrogates`;

    it.each<[string, unknown, string]>([
      ['an array', [], 'The request body must be a JSON object'],
      ['no items', { customer }, 'items is required'],
      ['nothing at all', {}, 'items is required; customer.name is required'],
      ['null items', { items: null, customer }, 'items is required'],
      ['items that are text', { items: 'two mugs', customer }, 'items must be an array'],
      ['items that are an object', { items: { length: 1 }, customer }, 'items must be an array'],
      ['empty items', { items: [], customer }, 'items must have 1 to 100 entries'],
      ['101 items', { items: Array(101).fill(ok), customer }, 'items must have 1 to 100 entries'],
      ['an item that is an array', { items: [[]], customer }, 'items[0] must be an object'],
      ['an item that is null', { items: [null], customer }, 'items[0] must be an object'],
      ['an item that is a number', { items: [7], customer }, 'items[0] must be an object'],
      ['no product_id', { items: [{ quantity: 1 }], customer }, integer('items[0].product_id', 2147483647)],
      [
        'a product_id of text',
        { items: [{ product_id: '1', quantity: 1 }], customer },
        integer('items[0].product_id', 2147483647),
      ],
      [
        'a product_id over int4',
        { items: [{ product_id: 2147483648, quantity: 1 }], customer },
        integer('items[0].product_id', 2147483647),
      ],
      [
        'a product_id of 0',
        { items: [{ product_id: 0, quantity: 1 }], customer },
        integer('items[0].product_id', 2147483647),
      ],
      [
        'a null variant_id',
        { items: [{ ...ok, variant_id: null }], customer },
        integer('items[0].variant_id', 2147483647),
      ],
      [
        'a variant_id of text',
        { items: [{ ...ok, variant_id: '5' }], customer },
        integer('items[0].variant_id', 2147483647),
      ],
      ['a quantity of 0', { items: [{ ...ok, quantity: 0 }], customer }, integer('items[0].quantity', 999)],
      [
        'a quantity of 1000',
        { items: [ok, ok, { ...ok, quantity: 1000 }], customer },
        integer('items[2].quantity', 999),
      ],
      ['a quantity of 2.5', { items: [{ ...ok, quantity: 2.5 }], customer }, integer('items[0].quantity', 999)],
      ['a quantity of true', { items: [{ ...ok, quantity: true }], customer }, integer('items[0].quantity', 999)],
      ['a quantity of null', { items: [{ ...ok, quantity: null }], customer }, integer('items[0].quantity', 999)],
      ['no customer', { items: [ok] }, 'customer.name is required'],
      ['a null customer', { items: [ok], customer: null }, 'customer.name is required'],
      ['a customer without a name', { items: [ok], customer: {} }, 'customer.name is required'],
      ['a null name', { items: [ok], customer: { name: null } }, 'customer.name is required'],
      ['a blank name', { items: [ok], customer: { name: ' \t ' } }, 'customer.name is required'],
      ['a customer that is an array', { items: [ok], customer: [] }, 'customer must be an object'],
      ['a customer that is text', { items: [ok], customer: 'Ada' }, 'customer must be an object'],
      ['a name that is a number', { items: [ok], customer: { name: 5 } }, text('customer.name', 200)],
      ['a long name', { items: [ok], customer: { name: '🚲'.repeat(201) } }, text('customer.name', 200)],
      ['a NUL in the name', { items: [ok], customer: { name: 'A\0da' } }, text('customer.name', 200)],
      ['a lone surrogate', { items: [ok], customer, notes: '\ud800' }, text('notes', 2000)],
      ['long notes', { items: [ok], customer, notes: 'x'.repeat(2001) }, text('notes', 2000)],
      [
        'a long address',
        { items: [ok], customer: { ...customer, address: 'x'.repeat(501) } },
        text('customer.address', 500),
      ],
      ['a long city', { items: [ok], customer: { ...customer, city: 'x'.repeat(201) } }, text('customer.city', 200)],
      ['a long zip', { items: [ok], customer: { ...customer, zip: 'x'.repeat(33) } }, text('customer.zip', 32)],
      ['a long phone', { items: [ok], customer: { ...customer, phone: 'x'.repeat(41) } }, text('customer.phone', 40)],
      [
        'an e-mail without @',
        { items: [ok], customer: { ...customer, email: 'ada' } },
        'customer.email must be an e-mail address of at most 254 characters',
      ],
      [
        'an e-mail with two @',
        { items: [ok], customer: { ...customer, email: 'a@b@c' } },
        'customer.email must be an e-mail address of at most 254 characters',
      ],
      [
        'an e-mail with a line break',
        { items: [ok], customer: { ...customer, email: 'a@b\r\nBcc:x@y' } },
        'customer.email must be an e-mail address of at most 254 characters',
      ],
      [
        'a long e-mail',
        { items: [ok], customer: { ...customer, email: `${'x'.repeat(253)}@b` } },
        'customer.email must be an e-mail address of at most 254 characters',
      ],
      [
        'a gateway',
        { items: [ok], customer, payment_method: 'CARD' },
        'payment_method must be COD or OFFLINE; card and gateway payments go through the hosted storefront checkout',
      ],
      [
        'a payment method with a ligature, which has capitals like OFFLINE',
        { items: [ok], customer, payment_method: 'o\ufb04ine' },
        'payment_method must be COD or OFFLINE; card and gateway payments go through the hosted storefront checkout',
      ],
      [
        'a payment method that is a number',
        { items: [ok], customer, payment_method: 1 },
        'payment_method must be COD or OFFLINE; card and gateway payments go through the hosted storefront checkout',
      ],
    ])('is 400 for %s', async (_case, payload, error) => {
      expect(await errorOf(payload)).toEqual([400, error]);
    });

    it('has all its faults named, each with its path', async () => {
      const answer = await errorOf({
        items: [{ product_id: 'x' }],
        customer: { email: 'x' },
        payment_method: 'stripe',
      });

      expect(answer[1]).toBe(
        [
          integer('items[0].product_id', 2147483647),
          integer('items[0].quantity', 999),
          'customer.name is required',
          'customer.email must be an e-mail address of at most 254 characters',
          'payment_method must be COD or OFFLINE; card and gateway payments go through the hosted storefront checkout',
        ].join('; '),
      );
    });

    it('names what is wrong beside an item that is no object', async () => {
      expect(await errorOf({ items: [{ product_id: 'x', quantity: 1 }, 5], customer })).toEqual([
        400,
        `${integer('items[0].product_id', 2147483647)}; items[1] must be an object`,
      ]);
    });

    it('may have an e-mail of 254 characters of any script', async () => {
      const mug = await api.store.product({ stock: 9 });
      const email = `${'🚲'.repeat(249)}@b.de`;

      expect((await place({ ...body(mug), customer: { name: 'Ada', email } })).statusCode).toBe(201);
    });

    it('has at most 20 faults named', async () => {
      const [status, error] = await errorOf({ items: Array(100).fill({}), customer });

      expect([status, String(error).split('; ').length]).toEqual([400, 20]);
    });

    it('takes 2.0 for 2', async () => {
      const mug = await api.store.product({ stock: 5 });

      const response = await api.inject({
        method: 'POST',
        url: '/v1/orders',
        headers: { authorization: `Bearer ${api.store.key}`, 'content-type': 'application/json' },
        payload: `{"items":[{"product_id":${mug},"quantity":2.0}],"customer":{"name":"Ada"}}`,
      });

      expect(response.statusCode).toBe(201);
    });
  });

  describe('with an Idempotency-Key', () => {
    it('replays the first answer byte for byte, even after the catalog changed', async () => {
      const mug = await api.store.product({ stock: 5 });
      const headers = { 'idempotency-key': 'order-1' };

      const first = await place(body(mug), headers);
      await api.database.query(`UPDATE products SET status = 'ARCHIVED', price = 1 WHERE id = $1`, [mug]);
      const second = await place(body(mug), headers);

      expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
      expect(second.body).toBe(first.body);
      expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([
        undefined,
        'true',
      ]);
      expect(await api.store.onHand(mug)).toBe(4);
    });

    it('makes one order of twins at the same moment', async () => {
      const mug = await api.store.product({ stock: 50 });

      const twins = await Promise.all(
        Array.from({ length: 12 }, () => place(body(mug), { 'idempotency-key': 'twins' })),
      );

      expect(new Set(twins.map(({ statusCode, body: text }) => `${statusCode} ${text}`)).size).toBe(1);
      expect(await api.store.onHand(mug)).toBe(49);
    });

    it('refuses another request with the same key', async () => {
      const mug = await api.store.product({ stock: 5 });
      await place(body(mug), { 'idempotency-key': 'changed' });

      expect(await errorOf(body(mug, 2), { 'idempotency-key': 'changed' })).toEqual([
        422,
        'This Idempotency-Key was used with a different request',
      ]);
    });

    it('is free again after a request that failed', async () => {
      const mug = await api.store.product({ stock: 0 });
      const headers = { 'idempotency-key': 'failed-first' };
      expect((await place(body(mug), headers)).statusCode).toBe(422);

      await api.store.stock(mug, null, 1);

      expect((await place(body(mug), headers)).statusCode).toBe(201);
    });

    it('is apart for live and test keys', async () => {
      const mug = await api.store.product({ stock: 5 });
      const testKey = await api.store.createKey('test');

      const live = await place(body(mug), { 'idempotency-key': 'both' });
      const test = await place(body(mug), { 'idempotency-key': 'both', authorization: `Bearer ${testKey}` });

      expect(test.statusCode).toBe(201);
      expect(test.body).not.toBe(live.body);
    });

    it('answers 409 while the first request is still running', async () => {
      const mug = await api.store.product({ stock: 5 });
      const other = new pg.Client({ connectionString: api.database.url });
      await other.connect();
      await other.query('BEGIN');
      await other.query(`INSERT INTO idempotency_keys VALUES ($1, 'live', 'slow', 'hash')`, [api.store.id]);

      const response = await place(body(mug), { 'idempotency-key': 'slow' });
      await other.end();

      expect([response.statusCode, response.headers['retry-after']]).toEqual([409, '1']);
      expect(await api.store.onHand(mug)).toBe(5);
    });

    it.each([
      ['empty', ''],
      ['256 characters', 'x'.repeat(256)],
      ['not ASCII', 'schlüssel'],
    ])('that is %s is 400', async (_case, key) => {
      expect(await errorOf(body(1), { 'idempotency-key': key })).toEqual([
        400,
        'Idempotency-Key must be 1 to 255 printable ASCII characters',
      ]);
    });
  });
});
