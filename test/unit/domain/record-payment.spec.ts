import {
  ledgerOf,
  NO_DETAILS,
  PlacedOrder,
  recordPayment,
  recordRefund,
  type PaymentRequest,
  type PlacedOrderState,
} from '@app/domain';
import {
  anOrder,
  AT,
  money,
  refunded,
  refunding,
  stateOf,
  statesOf,
  textOf,
  thrown,
  effectsOf,
} from '../../builders/order-state.js';

const payment = (values: Partial<PaymentRequest> = {}) => ({
  reference: 'pi_9',
  amount: 3500,
  currency: 'USD',
  partial: false,
  settles: false,
  excess: false,
  ...NO_DETAILS,
  at: null,
  requestHash: 'hash',
  ...values,
});

describe('a payment', () => {
  const REFUNDED = { status: 'REFUNDED', payments: [money('pi_1', 3500)], refunds: [refunded('re_1', 3500)] } as const;

  it('after a chargeback counts again, and after a refund of what was owed is due back', () => {
    const chargeback = {
      status: 'PENDING',
      refunds: [refunded('re_1', 3500, [], { reason: 'chargeback', credited: 0 })],
    } as const;
    const [again, another] = [{ ...REFUNDED, ...chargeback }, REFUNDED].map((state) =>
      recordPayment(anOrder(state), payment()),
    );

    expect([textOf(again?.events ?? []), again?.events[0]?.details]).toEqual([
      ['payment_recorded', 'PENDING>SUCCEEDED'],
      { amount: 3500 },
    ]);
    expect([textOf(another?.events ?? []), another?.events[0]?.details]).toEqual([
      ['payment_recorded', 'REFUNDED>SUCCEEDED'],
      { amount: 3500, refundDue: 3500 },
    ]);
  });

  it('in parts makes the order SUCCEEDED with the last, of what is left or of the whole total', () => {
    const pay = (state: Partial<PlacedOrderState>, values: Partial<PaymentRequest>) => {
      const { refusal, ...change } = recordPayment(anOrder(state), payment(values));
      return refusal?.message ?? [statesOf(change), effectsOf(change).payment?.writtenOff, change.events[0]?.details];
    };
    const half = { payments: [money('pi_1', 1500)] };
    const refusal = (paid: number) =>
      `The paid amount ${paid} USD is not accepted: the open amount is 2000 USD, and the total is 3500 USD (in minor units)`;

    expect(pay({}, { amount: 1500, partial: true })).toEqual(['PENDING PENDING', 0, { amount: 1500 }]);
    expect(pay(half, { amount: 2000 })).toEqual(['SUCCEEDED PENDING', 0, { amount: 2000 }]);
    expect(pay(half, { amount: 3500 })).toEqual(['SUCCEEDED PENDING', 0, { amount: 3500, refundDue: 1500 }]);
    expect(pay(half, { amount: 1999 })).toBe(refusal(1999));
    expect(pay(half, { amount: 2001, partial: true })).toBe(refusal(2001));
    expect(pay(half, { amount: 2001, settles: true })).toBe(refusal(2001));
    expect(pay({ ...half, ...REFUNDED }, { amount: 1500, partial: true })).toBe(
      'The paid amount 1500 USD is not accepted: the open amount is 0 USD, and the total is 3500 USD (in minor units)',
    );
  });

  it('in many parts writes nothing off, and the order stays open until they cover the total', () => {
    let state = stateOf({});
    const parts = [500, 1000, 500, 700, 800].map((amount, index) => {
      const request = payment({ reference: `pi_${index}`, amount, partial: true });
      const change = recordPayment(new PlacedOrder(state), request);
      const { payment: recorded } = effectsOf(change);
      state = { ...state, status: change.status, payments: [...state.payments, recorded ?? money('none', 0)] };
      return [statesOf(change), recorded?.writtenOff, change.events[0]?.details, ledgerOf(state).open];
    });

    expect(parts).toEqual([
      ['PENDING PENDING', 0, { amount: 500 }, 3000],
      ['PENDING PENDING', 0, { amount: 1000 }, 2000],
      ['PENDING PENDING', 0, { amount: 500 }, 1500],
      ['PENDING PENDING', 0, { amount: 700 }, 800],
      ['SUCCEEDED PENDING', 0, { amount: 800 }, 0],
    ]);
  });

  it('that settles after other parts writes off what all of them leave', () => {
    const payments = [money('pi_1', 1500), money('pi_2', 500)];

    const change = recordPayment(anOrder({ payments }), payment({ amount: 1400, settles: true }));
    const { payment: settled } = effectsOf(change);

    expect([statesOf(change), settled?.writtenOff]).toEqual(['SUCCEEDED PENDING', 100]);
    expect(change.events[0]?.details).toEqual({ amount: 1400, writtenOff: 100 });
  });

  it('that settles writes off what it leaves, which is neither owed nor refunded', () => {
    const settled = recordPayment(anOrder(), payment({ amount: 3400, settles: true }));
    const paid = { status: 'SUCCEEDED', payments: [money('pi_9', 3400, 100)] } as const;

    expect(statesOf(settled)).toBe('SUCCEEDED PENDING');
    expect(effectsOf(settled).payment).toEqual({ ...money('pi_9', 3400, 100), at: null });
    expect(settled.events[0]?.details).toEqual({ amount: 3400, writtenOff: 100 });
    expect(
      recordPayment(anOrder(paid), payment({ reference: 'pi_10', amount: 0, settles: true })).refusal,
    ).toBeDefined();
    expect(ledgerOf(stateOf(paid))).toMatchObject({ owed: 3400, refundDue: 0 });
    expect(statesOf(recordRefund(anOrder(paid), refunding({ amount: 3400 })))).toBe('REFUNDED CANCELLED');
    expect(thrown(() => recordRefund(anOrder(paid), refunding({ amount: 3401 })))).toBe('refund_exceeds_payment');
  });

  it('of any amount is recorded as excess, and what exceeds the rest is due back', () => {
    const order = anOrder({ payments: [money('pi_1', 3000)] });

    expect(thrown(() => recordPayment(order, payment({ amount: 1000 })))).toBe('nothing');
    expect(recordPayment(order, payment({ amount: 1000 })).refusal?.code).toBe('amount_mismatch');
    const change = recordPayment(order, payment({ amount: 1000, excess: true }));
    expect([statesOf(change), change.events[0]?.details]).toEqual([
      'SUCCEEDED PENDING',
      { amount: 1000, refundDue: 500 },
    ]);
    expect(recordPayment(order, payment({ amount: 0, excess: true })).refusal?.code).toBe('amount_mismatch');
  });

  it('of nothing that settles is a bad debt, and a later payment takes it back first', () => {
    const lost = recordPayment(anOrder(), payment({ amount: 0, settles: true }));
    const written = { status: 'FAILED', payments: [money('pi_1', 0, 3500)] } as const;
    const later = (amount: number) => recordPayment(anOrder(written), payment({ amount, partial: amount < 3500 }));

    expect([statesOf(lost), effectsOf(lost).payment?.writtenOff]).toEqual(['FAILED PENDING', 3500]);
    expect([statesOf(later(2000)), effectsOf(later(2000)).payment?.writtenOff]).toEqual(['SUCCEEDED PENDING', -2000]);
    expect([statesOf(later(3500)), later(3500).events[0]?.details]).toEqual([
      'SUCCEEDED PENDING',
      { amount: 3500, writtenOff: -3500 },
    ]);
  });

  it('of the total makes the order SUCCEEDED', () => {
    const change = recordPayment(anOrder(), payment({ at: AT }));

    expect(statesOf(change)).toBe('SUCCEEDED PENDING');
    expect(textOf(change.events)).toEqual(['payment_recorded', 'PENDING>SUCCEEDED']);
    expect(change.events[0]?.details).toEqual({ amount: 3500 });
    expect(effectsOf(change).payment).toEqual({ ...money('pi_9', 3500), at: AT });
  });

  it('of an order whose payment failed makes both steps', () => {
    expect(textOf(recordPayment(anOrder({ status: 'FAILED' }), payment()).events)).toEqual([
      'payment_recorded',
      'FAILED>PENDING',
      'PENDING>SUCCEEDED',
    ]);
  });

  it.each([
    [
      'a cent too little',
      3499,
      'USD',
      'The paid amount 3499 USD is not accepted: the open amount is 3500 USD (in minor units)',
    ],
    [
      'a cent too much',
      3501,
      'USD',
      'The paid amount 3501 USD is not accepted: the open amount is 3500 USD (in minor units)',
    ],
    [
      'another currency',
      3500,
      'EUR',
      'The paid amount 3500 EUR is not accepted: the open amount is 3500 USD (in minor units)',
    ],
  ])('of %s is refused with both amounts, and recorded', (_case, amount, currency, message) => {
    const change = recordPayment(anOrder(), payment({ amount, currency }));

    expect(change).toMatchObject({ refusal: { code: 'amount_mismatch', message }, status: 'PENDING' });
    const details = { amount, currency, totalAmount: 3500 };
    expect(change.events).toEqual([expect.objectContaining({ event: 'payment_refused', reference: 'pi_9', details })]);
    expect(effectsOf(change).payment).toBeUndefined();
  });

  it.each<[string, Partial<PlacedOrderState>, string]>([
    ['cancelled', { status: 'CANCELLED', fulfillmentStatus: 'CANCELLED' }, 'CANCELLED CANCELLED'],
    ['cancelled in its fulfillment', { fulfillmentStatus: 'CANCELLED' }, 'SUCCEEDED CANCELLED'],
    ['paid', { status: 'SUCCEEDED', payments: [money('pi_1', 3500)] }, 'SUCCEEDED PENDING'],
    ['returned and refunded', { ...REFUNDED, fulfillmentStatus: 'RETURNED' }, 'SUCCEEDED RETURNED'],
  ])('of an order that is %s is recorded, and must be refunded', (_name, state, states) => {
    const change = recordPayment(anOrder(state), payment());

    expect([statesOf(change), effectsOf(change).payment?.amount]).toEqual([states, 3500]);
    expect(change.events[0]?.details).toEqual({ amount: 3500, refundDue: 3500 });
  });

  it('of an order that an operator has set as paid is the record of that, and leaves nothing to refund', () => {
    expect(recordPayment(anOrder({ status: 'SUCCEEDED' }), payment()).events[0]?.details).toEqual({ amount: 3500 });
  });

  it('is refused when the sum of the payments would not be exact', () => {
    const totalAmount = Number.MAX_SAFE_INTEGER;
    const order = anOrder({ status: 'SUCCEEDED', totalAmount, payments: [money('pi_1', totalAmount)] });

    expect(() => recordPayment(order, payment({ amount: totalAmount }))).toThrow(
      'amount is too large: the payments of an order add up to at most 9007199254740991',
    );
  });

  it('changes nothing the second time, and another one needs another reference', () => {
    const paid = anOrder({ status: 'SUCCEEDED', payments: [money('pi_9', 3500)] });

    expect(recordPayment(paid, payment()).events).toEqual([]);
    expect(thrown(() => recordPayment(paid, payment({ requestHash: 'another' })))).toBe('payment_reference_taken');
  });
});
