import { MAX_UNIT_PRICE, Money } from '../money/money.js';
import { InvalidOrderItems, OrderRejected, OutOfStock } from '../errors.js';
import { orderLineOf, type OrderLine } from './order-line.js';
import { newOrder, type OrderDraft } from './order.js';

function aLine(minor: number, quantity = 1, currency = 'USD'): OrderLine {
  const unitPrice = Money.ofMinor(minor, currency);
  return orderLineOf({ productId: 1, variantId: null, sku: 'A', name: 'A', attributes: {}, unitPrice, quantity });
}

function aDraft(overrides: Partial<OrderDraft> = {}): OrderDraft {
  return {
    id: '6f2b1c7e-0000-4000-8000-000000000001',
    storeId: 7,
    receiptNumber: 'WEB-261120-7K3M9Q',
    currency: 'USD',
    paymentMethod: 'COD',
    customer: { name: 'Ada', email: 'ada@example.test', phone: '' },
    address: { address: '1 Road', city: 'Town', zip: '12345', region: '', country: '' },
    notes: 'ring twice',
    externalReference: '',
    isTest: false,
    lines: [aLine(1099)],
    placedAt: new Date('2026-11-20T10:00:00Z'),
    placedBy: null,
    ...overrides,
  };
}

describe('newOrder', () => {
  it.each(['COD', 'OFFLINE'] as const)('starts a %s order as a pending website order', (paymentMethod) => {
    expect(newOrder(aDraft({ paymentMethod }))).toMatchObject({
      source: 'WEBSITE',
      status: 'PENDING',
      fulfillmentStatus: 'PENDING',
      paymentMethod,
    });
  });

  it.each([1, 100])('accepts %d lines', (count) => {
    expect(newOrder(aDraft({ lines: Array.from({ length: count }, () => aLine(1)) })).lines).toHaveLength(count);
  });

  it.each([0, 101])('refuses %d lines', (count) => {
    const lines = Array.from({ length: count }, () => aLine(1));

    expect(() => newOrder(aDraft({ lines }))).toThrow(new InvalidOrderItems('An order must have 1 to 100 lines'));
  });

  it('keeps every field of its draft', () => {
    const draft = aDraft({ isTest: true });
    const order = newOrder(draft);

    for (const field of Object.keys(draft) as (keyof OrderDraft)[]) expect(order[field]).toEqual(draft[field]);
  });
});

describe('the totals of an order', () => {
  it('sum the lines', () => {
    const order = newOrder(aDraft({ lines: [aLine(1099, 3), aLine(2000), aLine(1099, 2)] }));

    expect(order.subtotal).toEqual(Money.ofMinor(5 * 1099 + 2000, 'USD'));
    expect(order.total).toEqual(order.subtotal);
  });

  it('are zero for free goods', () => {
    expect(newOrder(aDraft({ lines: [aLine(0, 999)] })).total).toEqual(Money.zero('USD'));
  });

  it('are exact for the largest order there can be', () => {
    const lines = Array.from({ length: 100 }, () => aLine(MAX_UNIT_PRICE, 999));

    expect(BigInt(newOrder(aDraft({ lines })).total.minor)).toBe(BigInt(MAX_UNIT_PRICE) * 99_900n);
  });

  it('never mix currencies', () => {
    const draft = aDraft({ lines: [aLine(1), aLine(1, 1, 'EUR')] });

    expect(() => newOrder(draft)).toThrow(RangeError);
  });
});

describe('the errors of an order', () => {
  it('are kinds of failure, not statuses', () => {
    expect(new OutOfStock([]).kind).toBe('rejected');
    expect(new OrderRejected().kind).toBe('rejected');
    expect(new InvalidOrderItems('x').kind).toBe('invalid');
  });

  it('do not say which fraud rule refused an order', () => {
    expect(new OrderRejected().message).not.toMatch(/fraud|block|email|phone|score/i);
  });
});
