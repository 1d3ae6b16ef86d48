import { ledgerOf } from '@app/domain';
import { money, refunded, stateOf } from '../../builders/order-state.js';

describe('what is due for a refund', () => {
  const order = stateOf({ status: 'SUCCEEDED' });
  const [once, twice] = [[money('pi_1', 3500)], [money('pi_1', 3500), money('pi_2', 3500)]];

  const refunds = [refunded('re_1', 3500)];

  it.each([
    ['nothing of a paid order', { payments: once }, 0],
    ['the second payment', { payments: twice }, 3500],
    ['all that was paid of a cancelled order', { payments: twice, fulfillmentStatus: 'CANCELLED' }, 7000],
    ['what an operator set as paid of a cancelled order', { fulfillmentStatus: 'CANCELLED' }, 3500],
    [
      'less what was refunded',
      { payments: once, fulfillmentStatus: 'CANCELLED', refunds: [refunded('re_1', 500)] },
      3000,
    ],
    ['the second payment of an order that was refunded', { status: 'REFUNDED', payments: twice, refunds }, 3500],
    [
      'a payment of an order that came back and is refunded',
      { status: 'SUCCEEDED', fulfillmentStatus: 'RETURNED', payments: twice, refunds },
      3500,
    ],
    ['nothing of an unpaid order', { status: 'PENDING' }, 0],
    ['nothing of an order that an operator set as refunded', { status: 'REFUNDED' }, 0],
    ['nothing of a paid order that an operator set as refunded', { status: 'REFUNDED', payments: once }, 0],
    ['nothing of an order that was paid without a record and refunded', { status: 'REFUNDED', refunds }, 0],
    [
      'what was paid late of a cancelled order',
      { status: 'CANCELLED', fulfillmentStatus: 'CANCELLED', payments: once },
      3500,
    ],
  ])('is %s', (_name, values, due) => {
    expect(ledgerOf({ ...order, ...values }).refundDue).toBe(due);
  });
});

it('credits no more than an order costs by now, and what it costs again with more lines', () => {
  const refunds = [refunded('re_1', 0, [], { credited: 2500 })];
  const ledger = (totalAmount: number) => ledgerOf(stateOf({ totalAmount, refunds }));

  expect(ledger(3500)).toMatchObject({ credited: 2500, owed: 1000, balance: 1000 });
  expect(ledger(591)).toMatchObject({ credited: 591, owed: 0, balance: 0 });
});
