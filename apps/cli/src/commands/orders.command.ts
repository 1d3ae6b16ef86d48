import { ChangeOrder, RetryPipeline, type ChangedOrder, type OrderLocation } from '@app/application';
import {
  FULFILLMENT_STATUSES,
  PAYMENT_STATUSES,
  refundDueOf,
  type FulfillmentStatus,
  type PaymentStatus,
} from '@app/domain';
import type { INestApplicationContext } from '@nestjs/common';
import { Option, type Command } from 'commander';
import { byOperator } from '../by-operator.js';
import { withApplication } from '../database.js';
import { CommandFailed, EXIT } from '../failures.js';
import { currency, externalReference, minorUnits, orderReference, subdomain } from '../option-values.js';
import { printJson, say } from '../output.js';
import { locateOrder } from '../locate-order.js';
import { addHeldOrders } from './held-orders.command.js';

interface StoreOption {
  readonly store?: string;
}

interface StatusOptions extends StoreOption {
  readonly status?: PaymentStatus;
  readonly fulfillmentStatus?: FulfillmentStatus;
}

interface PaymentOptions extends StoreOption {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
}

export function addOrders(program: Command): void {
  const orders = program
    .command('orders')
    .description('review orders, change their status, verify their payment, retry their pipeline');
  addHeldOrders(orders);

  addOrderCommand(orders, 'set-status', 'set the payment status, the fulfillment status, or both')
    .addOption(new Option('--status <P>', 'payment status').choices(PAYMENT_STATUSES))
    .addOption(new Option('--fulfillment-status <F>', 'fulfillment stage').choices(FULFILLMENT_STATUSES))
    .addHelpText(
      'after',
      `
Confirming an order that is under review sends the customer's confirmation. Cancelling returns the stock.

Example:
  orders set-status WEB-261120-7K3M9Q --status SUCCEEDED --fulfillment-status CONFIRMED`,
    )
    .action((reference: string, { status, fulfillmentStatus, store }: StatusOptions) => {
      if (!status && !fulfillmentStatus) {
        throw new CommandFailed('Give --status, --fulfillment-status or both.', EXIT.usage);
      }
      const change = { ...(status && { status }), ...(fulfillmentStatus && { fulfillmentStatus }) };
      return withOrder(reference, store, async (app, order) => {
        printMoved(order, await app.get(ChangeOrder).setStatus(byOperator(order), change));
      });
    });

  addOrderCommand(orders, 'cancel', 'cancel an order before it ships, and return its stock to the bins').action(
    (reference: string, { store }: StoreOption) =>
      withOrder(reference, store, async (app, order) => {
        const cancellation = { reason: '', restock: true, notify: false };
        printMoved(order, await app.get(ChangeOrder).cancel(byOperator(order), cancellation));
      }),
  );

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
    .action((reference: string, { store, reference: payment, amount, currency }: PaymentOptions) =>
      withOrder(reference, store, async (app, order) => {
        const paid = { reference: payment, amount, currency, at: null };
        const changed = await app.get(ChangeOrder).pay(byOperator(order), paid);
        const { status, fulfillmentStatus } = changed.order;
        const { orderId, subdomain: store } = order;
        const due = refundDueOf(changed.order);
        printJson({
          order_id: orderId,
          store,
          status,
          fulfillment_status: fulfillmentStatus,
          amount,
          currency,
          refund_due: due,
        });
        if (due > 0) say(`Refund ${due} ${currency} (in minor units).`);
      }),
    );

  addOrderCommand(orders, 'retry-pipeline', 'run the failed stages of an order again').action(
    (reference: string, { store }: StoreOption) =>
      withOrder(reference, store, async (app, order) => {
        const { stages, running, heldFor, cancelled } = await app.get(RetryPipeline).execute(order);
        printJson({ order_id: order.orderId, store: order.subdomain, stages, running, held_for: heldFor });
        for (const stage of running) say(`${stage} is being attempted at this moment: it is left alone.`);
        if (heldFor) {
          say(`The customer's confirmation is held (${heldFor.join(', ')}): \`orders release\` sends it.`);
        }
        if (cancelled) say("The order is cancelled: the customer's confirmation is not sent.");
      }),
  );
}

function addOrderCommand(orders: Command, verb: string, description: string): Command {
  return orders
    .command(verb)
    .description(description)
    .argument('<order>', 'id or receipt number', orderReference)
    .option('--store <S>', 'subdomain, for a receipt number that several stores have', subdomain);
}

function withOrder(
  reference: string,
  store: string | undefined,
  work: (app: INestApplicationContext, order: OrderLocation) => Promise<void>,
): Promise<void> {
  return withApplication(async (app) => work(app, await locateOrder(app, reference, store)));
}

function printMoved(
  { orderId, subdomain: store }: OrderLocation,
  { order: { status, fulfillmentStatus }, restocked }: ChangedOrder,
): void {
  printJson({ order_id: orderId, store, status, fulfillment_status: fulfillmentStatus, restocked });
}
