import { BadRequestException } from '@nestjs/common';
import { CreateOrderRequest, OrderCustomerRequest, OrderItemRequest } from '../orders/create-order.request.js';
import { BodyPipe } from './body.pipe.js';

const junk = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, []]));
const item = { product_id: 70, quantity: 1 };
const customer = { name: 'Ada' };

describe('BodyPipe', () => {
  const read = (body: object) =>
    new BodyPipe().transform(body, { type: 'body', metatype: CreateOrderRequest }) as CreateOrderRequest;
  const refusalOf = (body: object) => {
    try {
      return read(body);
    } catch (error) {
      return (error as BadRequestException).message;
    }
  };

  it('copies declared fields only, in the body, the customer and the items', () => {
    const body = read({ ...junk, items: [{ ...junk, ...item }], customer: { ...junk, ...customer } });

    expect(body).toBeInstanceOf(CreateOrderRequest);
    expect(body.customer).toBeInstanceOf(OrderCustomerRequest);
    expect(body.items[0]).toBeInstanceOf(OrderItemRequest);
    const ofOrder = [
      'items',
      'customer',
      'payment_method',
      'notes',
      'external_reference',
      'expected_total',
      'currency',
    ];
    expect(Object.keys(body)).toEqual(ofOrder);
    const ofCustomer = ['name', 'email', 'phone', 'address', 'city', 'zip', 'region', 'country'];
    expect(Object.keys(body.customer)).toEqual(ofCustomer);
    expect(Object.keys(body.items[0] ?? {})).toEqual(['product_id', 'variant_id', 'quantity']);
  });

  it('never reads or lists members that no field declares', () => {
    const names = new Set<unknown>();
    const spy = (target: object) =>
      new Proxy(target, {
        get: (object, name) => (names.add(name), Reflect.get(object, name) as unknown),
        ownKeys: () => {
          throw new Error('The members were listed');
        },
      });

    const body = read(spy({ items: [spy({ ...item, price: 1 })], customer: spy({ ...customer, id: 1 }), total: 1 }));

    // class-transformer asks each value whether it is a promise.
    names.delete('then');
    const declared = [body, body.customer, body.items[0] ?? {}].flatMap((object) => Object.keys(object));
    expect([...names].sort()).toEqual(declared.sort());
  });

  it('reads one item more than the limit and no further', () => {
    let reads = 0;
    const counted = Object.defineProperty({}, 'product_id', { get: () => reads++ });

    expect(refusalOf({ items: Array(50_000).fill(counted), customer })).toBe('items must have 1 to 100 entries');
    // class-transformer reads each member twice.
    expect(reads).toBe(2 * 101);
  });

  it('returns the faults of the other items beside items that are no objects', () => {
    expect(refusalOf({ items: [null, [item], { ...item, quantity: 0 }, 'mug', item], customer })).toBe(
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
  ])('refuses %j in the place of a text', (value) => {
    expect(refusalOf({ items: [item], customer, notes: value })).toMatch(/^notes must be text/);
    expect(refusalOf({ items: [item], customer: { name: value } })).toMatch(/^customer\.name must be text/);
    expect(refusalOf({ items: [{ ...item, quantity: value }], customer })).toMatch(/^items\[0\]\.quantity must be/);
  });
});
