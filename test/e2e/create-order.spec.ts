import { anOrderBody } from '../builders/order-body.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { type CreatedOrder, OrdersClient } from '../support/orders-client.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('POST /v1/orders', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());
  const orders = new OrdersClient(() => api);

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

    it('ignores prices and totals in the request body', async () => {
      const mug = await api.store.product({ price: 1099, stock: 10 });

      const data = await orders.create({
        items: [{ product_id: mug, quantity: 1, price: 0.01, unit_price: 1, total: 1 }],
        customer: { name: 'Ada' },
        subtotal: 0.01,
        total: 0.01,
        amount: 1,
        status: 'SUCCEEDED',
      });

      expect(data).toMatchObject({ subtotal: 10.99, total: 10.99 });
    });

    it('sells a variant at its own price and from its own stock', async () => {
      const shoe = await api.store.product({ name: 'Shoe', price: 7990, stock: 5 });
      const blue = await api.store.variant(shoe, { price: 8200, sku: 'S-B', attributes: { Color: 'Blue' }, stock: 3 });

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
      const order = await orders.read<{ line_items: object[] }>(data.order_id);
      expect(order.line_items[0]).toMatchObject({ variant_id: blue, sku: 'S-B', attributes: { Color: 'Blue' } });
    });

    it('keeps the name and the price of an order line after the product changes and is archived', async () => {
      const mug = await api.store.product({ name: 'Mug', price: 1099, stock: 5 });
      const data = await orders.create(anOrderBody(mug));

      await api.database.query(`UPDATE products SET name = 'Jug', price = 1, status = 'ARCHIVED' WHERE id = $1`, [mug]);

      const order = await orders.read<{ line_items: object[] }>(data.order_id);
      expect(order.line_items[0]).toMatchObject({ name: 'Mug', unit_price: 1099 });
    });

    it('returns an exact total for 100 lines of 999 units at a high price', async () => {
      const yacht = await api.store.product({ price: 1_400_000_000, stock: 100 * 999 });
      const items = Array.from({ length: 100 }, () => ({ product_id: yacht, quantity: 999 }));

      const data = await orders.create({ items, customer: { name: 'Ada' } });

      expect(data.total).toBe(1_398_600_000_000);
    });

    it.each([
      ['JPY', 1500, 1500],
      ['KWD', 1500, 1.5],
    ])('returns the total in units of %s, from prices in its minor unit', async (currency, price, total) => {
      const store = await StoreFixture.create(api.database, { currency });
      const mug = await store.product({ price, stock: 1 });

      const data = await orders.create(anOrderBody(mug), { authorization: `Bearer ${store.key}` });

      expect(data.total).toBe(total);
    });
  });

  describe('when it stores an order', () => {
    it('returns the new order by id and by receipt number in any letter case, with the source WEBSITE', async () => {
      const mug = await api.store.product({ name: 'Mug', sku: 'MUG-1', price: 1099, stock: 10 });
      const customer = { name: 'Ada', email: 'Ada@Example.com', phone: '+1 555 0100', address: '1 Main St' };

      const data = await orders.create({
        ...anOrderBody(mug, 2),
        customer: { ...customer, city: 'London', zip: 'N1' },
        payment_method: 'offline',
        notes: 'Ring twice',
      });

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

    it('stores the options of a variant in the given order', async () => {
      const attributes = { Color: 'Blue', Size: '42' };
      const shoe = await api.store.product();
      const variant = await api.store.variant(shoe, { attributes, stock: 1 });

      const data = await orders.create({
        items: [{ product_id: shoe, variant_id: variant, quantity: 1 }],
        customer: { name: 'Ada' },
      });

      const order = await orders.read<{ line_items: { attributes: object }[] }>(data.order_id);
      expect(Object.entries(order.line_items[0]?.attributes ?? {})).toEqual(Object.entries(attributes));
    });

    it('stores two lines of one product separately, in request order', async () => {
      const mug = await api.store.product({ stock: 5 });

      const data = await orders.create({
        items: [
          { product_id: mug, quantity: 2 },
          { product_id: mug, quantity: 3 },
        ],
        customer: { name: 'Ada' },
      });

      expect(data.items.map(({ quantity }) => quantity)).toEqual([2, 3]);
      expect(await api.store.onHand(mug)).toBe(0);
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

    it.each([
      ['every optional text null', { email: null, phone: null, address: null, city: null, zip: null }],
      ['an empty e-mail', { email: '' }],
      ['text of every script', { address: '12 Ѐ 漢字 🚲 "quoted" \\ %_', city: 'Łódź', zip: "O'1" }],
    ])('accepts %s and returns the text unchanged', async (_case, customer) => {
      const mug = await api.store.product({ stock: 1 });

      const data = await orders.create({ ...anOrderBody(mug), customer: { name: ' Ada ', ...customer } });

      const stored = await orders.read<Record<'customer' | 'shipping_address', object>>(data.order_id);
      const given = Object.fromEntries(Object.entries(customer).map(([key, value]) => [key, value ?? '']));
      expect({ ...stored.customer, ...stored.shipping_address }).toMatchObject({ name: ' Ada ', ...given });
    });

    it('stores the stages of the pipeline with the order: both notifications are due', async () => {
      const mug = await api.store.product({ stock: 5 });

      const data = await orders.create({ ...anOrderBody(mug), customer: { name: 'Ada', email: 'ada@example.com' } });

      const order = await orders.read<{ pipeline: object[] }>(data.order_id);
      expect(order.pipeline).toMatchObject([
        { stage: 'fraud-analysis', state: 'done', attempts: 1 },
        { stage: 'inventory', state: 'done', attempts: 1 },
        { stage: 'notify-customer', state: 'pending', attempts: 0 },
        { stage: 'notify-merchant', state: 'pending', attempts: 0 },
      ]);
      const waiting = await api.database.query(
        `SELECT stage FROM order_stages WHERE order_id = $1 AND state = 'pending' AND run_at <= now() ORDER BY 1`,
        [data.order_id],
      );
      expect(waiting).toEqual([{ stage: 'notify-customer' }, { stage: 'notify-merchant' }]);
    });
  });
});
