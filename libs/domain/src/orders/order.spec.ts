import { MAX_UNIT_PRICE, Money } from '../money/money.js';
import { IllegalTransition } from './change-errors.js';
import { InvalidOrderItems } from './placement-errors.js';
import { NO_CHARGES, type Charges, type LineCharges } from './charges.js';
import { orderLineOf, type OrderLine } from './order-line.js';
import { newOrder, type OrderDraft } from './order.js';
import {
  assertFulfillmentTransition,
  assertPaymentTransition,
  cancelState,
  FULFILLMENT_STATUSES,
  isOpen,
  PAYMENT_STATUSES,
} from './order-status.js';
import { wholeAddress } from '../shared/postal-address.js';
import type { Tax } from './tax.js';
import { isReceiptNumber } from '../values/values.js';
import { RECEIPT_RANDOM_BYTES, receiptNumber } from './receipt-number.js';

function aLine(minor: number, quantity = 1): OrderLine {
  const unitPrice = Money.ofMinor(minor, 'USD');
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
    customerId: null,
    address: wholeAddress({ address: '1 Road', city: 'Town', zip: '12345' }),
    billing: null,
    notes: 'ring twice',
    metadata: {},
    externalReference: '',
    isTest: false,
    lines: [aLine(1099)],
    notify: true,
    placedAt: new Date('2026-11-20T10:00:00Z'),
    placedBy: null,
    paymentTermsDays: null,
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
});

describe('the totals of an order', () => {
  it('sum the lines', () => {
    const order = newOrder(aDraft({ lines: [aLine(1099, 3), aLine(2000), aLine(1099, 2)] }));

    expect(order.subtotal).toEqual(Money.ofMinor(5 * 1099 + 2000, 'USD'));
    expect(order.total).toEqual(order.subtotal);
  });

  it('are exact for the largest order there can be', () => {
    const lines = Array.from({ length: 100 }, () => aLine(MAX_UNIT_PRICE, 999));

    expect(BigInt(newOrder(aDraft({ lines })).total.minor)).toBe(BigInt(MAX_UNIT_PRICE) * 99_900n);
  });
});

describe('the charges of an order', () => {
  const taxed = (amount: number, more: Partial<Tax> = {}): LineCharges => {
    return { tax: [{ name: 'VAT', rate: 19, amount, ...more }], discount: 0 };
  };
  const discounted = (discount: number): LineCharges => ({ tax: [], discount });

  it.each<[Partial<Charges>, number]>([
    [{ lines: [{ ...taxed(209), discount: 100 }], shipping: 490 }, 1698],
    [{ lines: [taxed(175)], isTaxIncluded: true }, 1099],
    [{ lines: [taxed(175)], shipping: 490, shippingTax: taxed(93).tax }, 1857],
    [{ lines: [discounted(1099)] }, 0],
  ])('make a total of 1099 with %j: %d', (charges, total) => {
    const order = newOrder(aDraft({ charges: { ...NO_CHARGES, ...charges } }));

    expect([order.subtotal.minor, order.total.minor]).toEqual([1099, total]);
    expect(order.lines).toMatchObject(charges.lines ?? []);
  });

  it.each<[Partial<Charges>, string]>([
    [{ lines: [taxed(0.5)] }, 'The tax of an order must be an integer of minor units from 0: 0.5'],
    [{ shippingTax: taxed(-1).tax, isTaxIncluded: true }, 'The tax of an order'],
    [{ lines: [taxed(1, { rate: 7.00001 })] }, 'Not a tax: VAT of 7.00001 percent'],
    [{ lines: [taxed(1, { name: ' ' })] }, 'Not a tax'],
    [{ shipping: NaN }, 'The shipping of an order'],
    [{ shipping: '490' as unknown as number }, 'The shipping of an order'],
    [{ shipping: 2 ** 53 }, 'The shipping of an order'],
    [{ lines: [discounted(-1)] }, 'The discount of an order'],
    [{ lines: [discounted(1100)] }, 'The discount of a line of 1099 must not be 1100'],
    [{ lines: [discounted(0), discounted(0)] }, '2 lines have charges, of 1'],
    [{ shipping: 5e15 }, 'The total is above 5000000000000000 minor units'],
  ])('are refused: %j', (charges, error) => {
    expect(() => newOrder(aDraft({ charges: { ...NO_CHARGES, ...charges } }))).toThrow(error);
  });
});

describe('OrderLine', () => {
  it.each([1, 2, 998, 999])('accepts a quantity of %d', (quantity) => {
    expect(aLine(1, quantity).quantity).toBe(quantity);
  });

  it.each([0, -1, 1000, 1.5, NaN, Infinity])('refuses a quantity of %d', (quantity) => {
    expect(() => aLine(1, quantity)).toThrow(
      new InvalidOrderItems('The quantity of a line must be an integer from 1 to 999'),
    );
  });
});

const PAYMENT = [
  'PENDING>SUCCEEDED',
  'PENDING>FAILED',
  'PENDING>CANCELLED',
  'FAILED>PENDING',
  'FAILED>CANCELLED',
  'SUCCEEDED>REFUNDED',
];
const FULFILLMENT = [
  'PENDING>CONFIRMED',
  'PENDING>CANCELLED',
  'CONFIRMED>PROCESSING',
  'CONFIRMED>CANCELLED',
  'PROCESSING>SHIPPED',
  'PROCESSING>CANCELLED',
  'SHIPPED>DELIVERED',
  'SHIPPED>RETURNED',
  'DELIVERED>RETURNED',
];

describe('the statuses', () => {
  function allowed<S extends string>(statuses: readonly S[], rule: (from: S, to: S) => void): string[] {
    const passes = (from: S, to: S) => {
      try {
        rule(from, to);
        return true;
      } catch (error) {
        if (error instanceof IllegalTransition) return false;
        throw error;
      }
    };
    return statuses.flatMap((from) => statuses.filter((to) => passes(from, to)).map((to) => `${from}>${to}`));
  }

  it('of a payment have exactly the transitions of the contract', () => {
    expect(allowed(PAYMENT_STATUSES, assertPaymentTransition).sort()).toEqual(PAYMENT.sort());
  });

  it('of a fulfillment have exactly the transitions of the contract', () => {
    expect(allowed(FULFILLMENT_STATUSES, assertFulfillmentTransition).sort()).toEqual(FULFILLMENT.sort());
  });
});

describe('IllegalTransition', () => {
  const refusal = (move: () => void): unknown => {
    try {
      move();
    } catch (error) {
      return error;
    }
    return null;
  };

  it('is a rejection that names both statuses and the possible ones', () => {
    expect(refusal(() => assertFulfillmentTransition('PENDING', 'DELIVERED'))).toMatchObject({
      kind: 'rejected',
      code: 'transition_not_allowed',
      message: 'The fulfillment status cannot change from PENDING to DELIVERED, only to CONFIRMED or CANCELLED',
    });
    expect(refusal(() => assertPaymentTransition('SUCCEEDED', 'PENDING'))).toMatchObject({
      message: 'The payment status cannot change from SUCCEEDED to PENDING, only to REFUNDED',
    });
  });

  it('names a final status', () => {
    expect(refusal(() => assertPaymentTransition('REFUNDED', 'PENDING'))).toMatchObject({
      message: 'The payment status cannot change from REFUNDED to PENDING: REFUNDED is final',
    });
  });

  it('says that the status is already set', () => {
    expect(refusal(() => cancelState({ status: 'CANCELLED', fulfillmentStatus: 'CANCELLED' }))).toMatchObject({
      message: 'The fulfillment status is already CANCELLED',
    });
  });
});

describe('isOpen', () => {
  const openPayments = (fulfillmentStatus: (typeof FULFILLMENT_STATUSES)[number]) =>
    PAYMENT_STATUSES.filter((status) => isOpen({ status, fulfillmentStatus }));

  it.each([
    ['PENDING', PAYMENT_STATUSES],
    ['CONFIRMED', PAYMENT_STATUSES],
    ['PROCESSING', PAYMENT_STATUSES],
    ['SHIPPED', PAYMENT_STATUSES],
    ['DELIVERED', ['PENDING']],
    ['CANCELLED', ['SUCCEEDED']],
    ['RETURNED', ['SUCCEEDED']],
  ] as const)('is true for a %s order with a payment that is one of %j', (fulfillmentStatus, open) => {
    expect(openPayments(fulfillmentStatus)).toEqual(open);
  });

  it('is true for an order that was cancelled for a fee, while the fee or the rest of the payment is', () => {
    const cancelled = { status: 'SUCCEEDED', fulfillmentStatus: 'CANCELLED', cancellationFee: 500 } as const;

    expect([500, 0, -3000].map((balance) => isOpen({ ...cancelled, balance }))).toEqual([true, false, true]);
  });
});

const UUID = '6f2b1c7e-9a3d-4c5b-8e1f-0123456789ab';

describe('receiptNumber', () => {
  const placedAt = new Date('2026-11-20T23:59:59.999Z');

  it.each([
    ['WEBSITE', 'WEB-261120-01ABYZ'],
    ['POS', 'POS-261120-01ABYZ'],
  ] as const)('numbers an order of source %s as %s', (source, expected) => {
    expect(receiptNumber(source, placedAt, Uint8Array.of(0, 1, 10, 11, 30, 31))).toBe(expected);
  });

  it.each([
    ['2026-11-20T23:30:00-05:00', '261121'],
    ['2026-01-01T00:30:00+01:00', '251231'],
  ])('dates %s by UTC: %s', (time, date) => {
    expect(receiptNumber('WEBSITE', new Date(time), new Uint8Array(6))).toBe(`WEB-${date}-000000`);
  });

  it('uses each of the 32 Crockford characters equally often', () => {
    const counts = new Map<string, number>();
    for (let byte = 0; byte < 256; byte++) {
      const character = receiptNumber('WEBSITE', placedAt, new Uint8Array(RECEIPT_RANDOM_BYTES).fill(byte)).slice(-1);
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }

    expect([...counts.keys()].sort().join('')).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
    expect(new Set(counts.values())).toEqual(new Set([8]));
  });

  it('uses six random bytes and ignores the rest', () => {
    expect(RECEIPT_RANDOM_BYTES).toBe(6);
    expect(receiptNumber('WEBSITE', placedAt, new Uint8Array(60))).toBe('WEB-261120-000000');
  });
});

// test/contracts/schema.spec.ts covers lengths, letters and line breaks.
describe('isReceiptNumber', () => {
  it.each([UUID.slice(1), `${UUID}0`, UUID.replaceAll('-', '')])('accepts %s, which is almost a UUID', (text) => {
    expect(isReceiptNumber(text)).toBe(true);
  });

  it.each([UUID, UUID.toUpperCase()])('rejects %s', (text) => {
    expect(isReceiptNumber(text)).toBe(false);
  });
});
