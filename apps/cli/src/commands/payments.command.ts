import { ChangeOrder, type ChangedOrder, type OrderLocation } from '@app/application';
import { refundDueOf, type LineQuantity } from '@app/domain';
import type { Command } from 'commander';
import { byOperator } from '../by-operator.js';
import { currency, externalReference, lineQuantity, minorUnits, refundedAmount } from '../option-values.js';
import { say } from '../output.js';
import { addOrderCommand, printChanged, withOrder, type StoreOption } from '../order-command.js';

interface PaymentOptions extends StoreOption {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
}

interface RefundOptions extends StoreOption {
  readonly reference: string;
  readonly amount: number;
  readonly line?: readonly LineQuantity[];
  readonly restock?: boolean;
  readonly notify: boolean;
}

export function addPayments(orders: Command): void {
  addOrderCommand(orders, 'verify-payment', 'record a reported payment, and set SUCCEEDED if it is the total')
    .requiredOption('--amount <N>', 'paid amount in minor units (1999 for 19.99 USD)', minorUnits)
    .requiredOption('--currency <C>', 'ISO 4217 code of the paid amount', currency)
    .option('--reference <R>', "the payment's id, unique in the order", externalReference, 'gateway callback')
    .addHelpText(
      'after',
      `
For the callback handler of a payment gateway. Fails when amount or currency differ from the order's total; the history of
the order keeps the attempt. A repeated callback changes nothing. When refund_due is not 0, the order is cancelled or paid
already, and that amount must be refunded.

Example:
  orders verify-payment WEB-261120-7K3M9Q --amount 5297 --currency USD --reference pi_3NX`,
    )
    .action((id: string, { store, reference, amount, currency }: PaymentOptions) =>
      withOrder(id, store, async (app, order) => {
        const payment = { reference, amount, currency, at: null };
        printMoney(order, await app.get(ChangeOrder).pay(byOperator(order), payment), { amount });
      }),
    );

  addOrderCommand(orders, 'refund', 'record a refund; no gateway is called')
    .requiredOption('--reference <R>', "the refund's id, unique in the order", externalReference)
    .requiredOption('--amount <N>', 'refunded amount in minor units (1999 for 19.99 USD)', refundedAmount)
    .option('--line <N:Q...>', 'what the refund is for: a line and its units, such as 1:2', lineQuantity)
    .option('--restock', 'return these lines, or all shipped units without --line, to the bins')
    .option('--no-notify', 'send the customer no mail about this refund')
    .addHelpText(
      'after',
      `
The same command again changes nothing. The refund of all that was paid makes the order REFUNDED.

Example:
  orders refund WEB-261120-7K3M9Q --reference re_81 --amount 1999 --line 1:1 --restock`,
    )
    .action((id: string, { store, reference, amount, line, restock = false, notify }: RefundOptions) =>
      withOrder(id, store, async (app, order) => {
        const refund = { reference, amount, lines: line ?? null, restock, notify, at: null };
        const changed = await app.get(ChangeOrder).refund(byOperator(order), refund);
        printMoney(order, changed, { amount, restocked: changed.restocked });
      }),
    );
}

function printMoney(location: OrderLocation, changed: ChangedOrder, result: object): void {
  const { order } = changed;
  const due = refundDueOf(order);
  printChanged(location, changed, { ...result, currency: order.currency, refund_due: due });
  if (due > 0) say(`Refund ${due} ${order.currency} (in minor units).`);
}
