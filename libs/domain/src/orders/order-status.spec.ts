import { IllegalTransition } from '../errors.js';
import {
  assertFulfillmentTransition,
  assertPaymentTransition,
  cancelState,
  FULFILLMENT_STATUSES,
  isOpen,
  PAYMENT_STATUSES,
} from './order-status.js';

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
  it('are those of the contract', () => {
    expect(PAYMENT_STATUSES).toEqual(['PENDING', 'SUCCEEDED', 'FAILED', 'REFUNDED', 'CANCELLED']);
    expect(FULFILLMENT_STATUSES).toEqual(
      'PENDING CONFIRMED PROCESSING SHIPPED DELIVERED CANCELLED RETURNED'.split(' '),
    );
  });

  /** The pairs of statuses, a status with itself included, that the rule lets pass. It throws for the others. */
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

  it.each([
    ['PENDING', PAYMENT_STATUSES],
    ['CONFIRMED', PAYMENT_STATUSES],
    ['PROCESSING', PAYMENT_STATUSES],
    ['SHIPPED', PAYMENT_STATUSES],
    ['DELIVERED', ['PENDING']],
    // To be refunded.
    ['CANCELLED', ['SUCCEEDED']],
    ['RETURNED', ['SUCCEEDED']],
  ] as const)('is true for a %s order with a payment that is one of %j', (fulfillmentStatus, open) => {
    expect(openPayments(fulfillmentStatus)).toEqual(open);
  });
});
