import { ChangeOrder } from '@app/application';
import { refundDueOf } from '@app/domain';
import type { Command } from 'commander';
import { currency, externalReference, minorUnits } from '../option-values.js';
import { say } from '../output.js';
import { addOrderCommand, byOperator, printChanged, withOrder, type StoreOption } from '../order-command.js';

interface PaymentOptions extends StoreOption {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
}

export function addVerifyPayment(orders: Command): void {
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
        const changed = await app.get(ChangeOrder).pay(byOperator(order), { reference, amount, currency, at: null });
        const due = refundDueOf(changed.order);
        printChanged(order, changed, { amount, currency: changed.order.currency, refund_due: due });
        if (due > 0) say(`Refund ${due} ${changed.order.currency} (in minor units).`);
      }),
    );
}
