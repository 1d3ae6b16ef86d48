import { CreateOrderRequest } from './create-order.request.js';

const junk = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, []]));

describe('CreateOrderRequest', () => {
  it('leaves what nobody asked for behind, before anything looks at it', () => {
    const { items, customer, ...rest } = new CreateOrderRequest({ ...junk, items: [junk], customer: junk });

    expect(Object.keys(rest)).toEqual(['payment_method', 'notes']);
    expect(Object.keys(customer)).toEqual(['name', 'email', 'phone', 'address', 'city', 'zip']);
    expect(items.map((item) => Object.keys(item))).toEqual([['product_id', 'variant_id', 'quantity']]);
  });

  it('takes no more items than tell that there are too many', () => {
    expect(new CreateOrderRequest({ items: Array(50_000).fill({}) }).items).toHaveLength(101);
  });
});
