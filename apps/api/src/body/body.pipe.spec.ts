import { BadRequestException } from '@nestjs/common';
import { CreateOrderRequest, OrderCustomerRequest, OrderItemRequest } from '../orders/create-order.request.js';
import { BodyPipe } from './body.pipe.js';

const junk = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, []]));
const item = { product_id: 70, quantity: 1 };
const customer = { name: 'Ada' };

describe('BodyPipe', () => {
  const read = (body: object) =>
    new BodyPipe().transform(body, { type: 'body', metatype: CreateOrderRequest }) as Promise<CreateOrderRequest>;
  const refusalOf = (body: object) => read(body).catch((error: BadRequestException) => error.message);

  it('copies declared fields only, in the body, the customer and the items', async () => {
    const body = await read({ ...junk, items: [{ ...junk, ...item }], customer: { ...junk, ...customer } });

    expect(body).toBeInstanceOf(CreateOrderRequest);
    expect(body.customer).toBeInstanceOf(OrderCustomerRequest);
    expect(body.items?.[0]).toBeInstanceOf(OrderItemRequest);
    const ofOrder = [
      'items',
      'line_items',
      'customer_id',
      'customer',
      'shipping_address',
      'billing',
      'billing_address',
      'payment_method',
      'notes',
      'notify',
      'metadata',
      'external_reference',
      'payment_terms_days',
      'expected_total',
      'currency',
    ];
    expect(Object.keys(body)).toEqual(ofOrder);
    const ofAddress = ['company', 'vat_id', 'address', 'address2', 'city', 'zip', 'region', 'country'];
    expect(Object.keys(body.customer)).toEqual(['name', 'email', 'phone', ...ofAddress]);
    const ofItem = ['product_id', 'sku', 'variant_id', 'quantity', 'metadata'];
    expect(Object.keys(body.items?.[0] ?? {})).toEqual(ofItem);
  });

  it('returns the faults of the other items beside items that are no objects', async () => {
    expect(await refusalOf({ items: [null, [item], { ...item, quantity: 0 }, 'mug', item], customer })).toBe(
      [
        'items[0] must be an object',
        'items[1] must be an object',
        'items[2].quantity must be an integer from 1 to 999',
        'items[3] must be an object',
      ].join('; '),
    );
  });

  it.each<[unknown]>([
    [{ constructor: 5 }],
    [{ then: 5 }],
    [{ toString: 5 }],
    [{ length: 1 }],
    [[]],
    [[{ constructor: 5 }]],
  ])('refuses %j in the place of a text', async (value) => {
    expect(await refusalOf({ items: [item], customer, notes: value })).toMatch(/^notes must be text/);
    expect(await refusalOf({ items: [item], customer: { name: value } })).toMatch(/^customer\.name must be text/);
    expect(await refusalOf({ items: [{ ...item, quantity: value }], customer })).toMatch(
      /^items\[0\]\.quantity must be/,
    );
  });
});
