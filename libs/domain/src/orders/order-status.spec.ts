import {
  assertFulfillmentTransition,
  assertPaymentTransition,
  cancelState,
  FULFILLMENT_STATUSES,
  IllegalTransition,
  isOpen,
  PAYMENT_STATUSES,
} from './order-status.js';

const PAYMENT = [
  'PENDING>SUCCEEDED',
  'PENDING>FAILED',
  'PENDING>CANCELLED',
  'FAILED>PENDING',
  'FAILED>CANCELLED',
].concat('SUCCEEDED>REFUNDED');
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

/** Every ordered pair of statuses, a status with itself included. */
function pairs<S extends string>(statuses: readonly S[]): [from: S, to: S][] {
  return statuses.flatMap((from) => statuses.map((to): [S, S] => [from, to]));
}

describe('the statuses', () => {
  it('are those of the contract', () => {
    expect(PAYMENT_STATUSES).toEqual(['PENDING', 'SUCCEEDED', 'FAILED', 'REFUNDED', 'CANCELLED']);
    expect(FULFILLMENT_STATUSES).toEqual(
      'PENDING CONFIRMED PROCESSING SHIPPED DELIVERED CANCELLED RETURNED'.split(' '),
    );
  });
});

describe('assertPaymentTransition', () => {
  const all = pairs(PAYMENT_STATUSES);

  it.each(all.filter((pair) => PAYMENT.includes(pair.join('>'))))('lets %s become %s', (from, to) => {
    expect(() => assertPaymentTransition(from, to)).not.toThrow();
  });

  it.each(all.filter((pair) => !PAYMENT.includes(pair.join('>'))))('never lets %s become %s', (from, to) => {
    expect(() => assertPaymentTransition(from, to)).toThrow(IllegalTransition);
  });

  it('has the 6 transitions of the contract among 25 pairs', () => {
    expect(all.filter((pair) => PAYMENT.includes(pair.join('>')))).toHaveLength(6);
  });
});

describe('assertFulfillmentTransition', () => {
  const all = pairs(FULFILLMENT_STATUSES);

  it.each(all.filter((pair) => FULFILLMENT.includes(pair.join('>'))))('lets %s become %s', (from, to) => {
    expect(() => assertFulfillmentTransition(from, to)).not.toThrow();
  });

  it.each(all.filter((pair) => !FULFILLMENT.includes(pair.join('>'))))('never lets %s become %s', (from, to) => {
    expect(() => assertFulfillmentTransition(from, to)).toThrow(IllegalTransition);
  });

  it('has the 9 transitions of the contract among 49 pairs', () => {
    expect(all.filter((pair) => FULFILLMENT.includes(pair.join('>')))).toHaveLength(9);
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
      name: 'IllegalTransition',
      message: 'fulfillment cannot go from PENDING to DELIVERED, only to CONFIRMED or CANCELLED',
    });
    expect(refusal(() => assertPaymentTransition('SUCCEEDED', 'PENDING'))).toMatchObject({
      message: 'payment cannot go from SUCCEEDED to PENDING, only to REFUNDED',
    });
  });

  it('names a final status', () => {
    expect(refusal(() => assertPaymentTransition('REFUNDED', 'PENDING'))).toMatchObject({
      message: 'payment cannot go from REFUNDED to PENDING, or anywhere else',
    });
  });

  it('says that the status is already set', () => {
    expect(refusal(() => cancelState({ status: 'CANCELLED', fulfillmentStatus: 'CANCELLED' }))).toMatchObject({
      message: 'fulfillment is already CANCELLED',
    });
  });
});

describe('isOpen', () => {
  const openPayments = (fulfillmentStatus: (typeof FULFILLMENT_STATUSES)[number]) =>
    PAYMENT_STATUSES.filter((status) => isOpen({ status, fulfillmentStatus }));

  it.each(['PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED'] as const)(
    'is true for an order that is %s, whatever its payment',
    (fulfillmentStatus) => {
      expect(openPayments(fulfillmentStatus)).toEqual(PAYMENT_STATUSES);
    },
  );

  it('is true for a delivered order only while its payment is pending', () => {
    expect(openPayments('DELIVERED')).toEqual(['PENDING']);
  });

  it.each(['CANCELLED', 'RETURNED'] as const)(
    'is true for a %s order only while its payment is to be refunded',
    (end) => {
      expect(openPayments(end)).toEqual(['SUCCEEDED']);
    },
  );
});
