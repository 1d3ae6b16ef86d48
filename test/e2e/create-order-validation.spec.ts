import { anOrderBody } from '../builders/order-body.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { OrdersClient } from '../support/orders-client.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('POST /v1/orders: validation', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());
  const orders = new OrdersClient(() => api);

  describe('of the body', () => {
    const ok = { product_id: 1, quantity: 1 };
    const customer = { name: 'Ada' };
    const integer = (path: string, max: number) => `${path} must be an integer from 1 to ${max}`;
    const text = (path: string, max: number) =>
      `${path} must be text of at most ${max} characters, without NUL or lone surrogates`;

    it.each<[string, unknown, string]>([
      ['an array', [], 'The request body must be a JSON object'],
      ['no items', { customer }, 'items is required'],
      ['an empty object', {}, 'items is required; customer.name is required'],
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
        'a gateway payment method',
        { items: [ok], customer, payment_method: 'CARD' },
        'payment_method must be COD or OFFLINE; card and gateway payments go through the hosted storefront checkout',
      ],
      [
        'a payment method with a ligature, whose upper case is OFFLINE',
        { items: [ok], customer, payment_method: 'o\ufb04ine' },
        'payment_method must be COD or OFFLINE; card and gateway payments go through the hosted storefront checkout',
      ],
      [
        'a payment method that is a number',
        { items: [ok], customer, payment_method: 1 },
        'payment_method must be COD or OFFLINE; card and gateway payments go through the hosted storefront checkout',
      ],
    ])('returns 400 for %s', async (_case, payload, error) => {
      expect(await orders.refusal(payload)).toEqual([400, error]);
    });

    it('names all invalid fields, each with its path', async () => {
      const answer = await orders.refusal({
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

    it('names the invalid fields of the other items when one item is not an object', async () => {
      expect(await orders.refusal({ items: [{ product_id: 'x', quantity: 1 }, 5], customer })).toEqual([
        400,
        `${integer('items[0].product_id', 2147483647)}; items[1] must be an object`,
      ]);
    });

    it('accepts an e-mail of 254 characters of any script', async () => {
      const mug = await api.store.product({ stock: 9 });
      const email = `${'🚲'.repeat(249)}@b.de`;

      expect((await orders.place({ ...anOrderBody(mug), customer: { name: 'Ada', email } })).statusCode).toBe(201);
    });

    it('names at most 20 invalid fields', async () => {
      const [status, error] = await orders.refusal({ items: Array(100).fill({}), customer });

      expect([status, String(error).split('; ').length]).toEqual([400, 20]);
    });

    it('accepts 2.0 as the quantity 2', async () => {
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

  describe('of unavailable items', () => {
    it('returns 400 with the same text for an unknown product, a draft and a product of another store', async () => {
      const stranger = await StoreFixture.create(api.database);
      const foreign = await stranger.product({ stock: 5 });
      const draft = await api.store.product({ status: 'DRAFT', stock: 5 });
      const unknown = 2_000_000_000;

      for (const id of [foreign, draft, unknown]) {
        expect(await orders.refusal(anOrderBody(id))).toEqual([400, `items[0].product_id ${id} is not available`]);
      }
    });

    it('returns 400 with the same text for an unknown variant, an inactive one and one of another product', async () => {
      const shoe = await api.store.product({ stock: 5 });
      const other = await api.store.variant(await api.store.product(), { stock: 5 });
      const inactive = await api.store.variant(shoe, { status: 'INACTIVE', stock: 5 });

      for (const variant_id of [other, inactive, 2_000_000_000]) {
        const answer = await orders.refusal({
          ...anOrderBody(shoe),
          items: [{ product_id: shoe, variant_id, quantity: 1 }],
        });
        expect(answer).toEqual([400, `items[0].variant_id ${variant_id} is not available`]);
      }
    });

    it('names all items with an unavailable product', async () => {
      const mug = await api.store.product({ stock: 5 });
      const item = (product_id: number) => ({ product_id, quantity: 1 });

      expect(
        await orders.refusal({ items: [item(1_999_999_999), item(mug), item(1_999_999_998)], customer: { name: 'A' } }),
      ).toEqual([
        400,
        'items[0].product_id 1999999999 is not available; items[2].product_id 1999999998 is not available',
      ]);
    });
  });
});
