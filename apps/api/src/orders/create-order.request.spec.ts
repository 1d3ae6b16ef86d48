import { readFields, schemaOf } from './body-field.js';
import {
  CREATE_ORDER_REQUEST,
  CreateOrderRequest,
  OrderCustomerRequest,
  OrderItemRequest,
} from './create-order.request.js';

const junk = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, []]));

describe('CreateOrderRequest', () => {
  it('copies declared fields only, in the body, the customer and the items', () => {
    const { items, customer, ...rest } = readFields(CreateOrderRequest, { ...junk, items: [junk], customer: junk });

    expect(Object.keys(rest)).toEqual(['payment_method', 'notes', 'external_reference']);
    expect(Object.keys(customer)).toEqual(['name', 'email', 'phone', 'address', 'city', 'zip']);
    expect(items.map((item) => Object.keys(item))).toEqual([['product_id', 'variant_id', 'quantity']]);
  });

  it('never reads a member that it does not declare', () => {
    const read: unknown[] = [];
    const spy = (target: object) =>
      new Proxy(target, {
        get: (object, name) => (read.push(name), Reflect.get(object, name) as unknown),
        ownKeys: () => {
          throw new Error('The members were listed');
        },
      });

    readFields(CreateOrderRequest, spy({ items: [spy({ price: 1 })], customer: spy({}), total: 1 }) as never);

    expect(read.sort()).toEqual(
      [CreateOrderRequest, OrderCustomerRequest, OrderItemRequest]
        .flatMap((Body) => Object.keys(schemaOf(Body).properties ?? {}))
        .sort(),
    );
  });

  it('reads one item more than the limit and no further', () => {
    expect(readFields(CreateOrderRequest, { items: Array(50_000).fill({}) }).items).toHaveLength(101);
  });

  it('describes the same fields as it reads', () => {
    const fields = Object.keys(readFields(CreateOrderRequest, {}));

    expect(Object.keys(CREATE_ORDER_REQUEST.properties ?? {})).toEqual(fields);
    expect(CREATE_ORDER_REQUEST.required).toEqual(['items', 'customer']);
  });
});
