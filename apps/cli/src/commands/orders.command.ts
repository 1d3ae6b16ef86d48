import {
  canonicalHash,
  ChangeOrder,
  MAX_LIMIT,
  OrdersService,
  StageRetries,
  type OrderEventRecord,
} from '@app/application';
import {
  FULFILLMENT_STATUSES,
  PAYMENT_STATUSES,
  type FulfillmentStatus,
  type PaymentStatus,
  ledgerOf,
  NO_DETAILS,
} from '@app/domain';
import { toOrderEvent } from '@app/representations';
import { Option, type Command } from 'commander';
import { addCommand } from '../command.js';
import { addYes, confirm, type YesOption } from '../confirm.js';
import { CommandFailed, EXIT } from '../failures.js';
import { currency, externalReference, minorUnits } from '../option-values.js';
import { addOrderCommand, byOperator, printChanged, withOrder, type StoreOption } from '../order-command.js';
import { print, say } from '../output.js';
import { addHeldOrders } from './held-orders.command.js';

const STATUS_HELP = `Confirming an order that is under review sends the customer's confirmation. Cancelling returns the stock.

Example:
  orders set-status WEB-261120-7K3M9Q --status SUCCEEDED --fulfillment-status CONFIRMED`;

const PAYMENT_HELP = `For the callback handler of a payment gateway. Fails unless the amount is the total or the open amount of the order, in its
currency; the history records the attempt. A repeated callback changes nothing. When refund_due is not 0, the order is
already cancelled or paid: refund that amount.

Example:
  orders verify-payment WEB-261120-7K3M9Q --amount 5297 --currency USD --reference pi_3NX`;

interface StatusOptions extends StoreOption, YesOption {
  readonly status?: PaymentStatus;
  readonly fulfillmentStatus?: FulfillmentStatus;
}

const isCancellation = ({ fulfillmentStatus }: StatusOptions): boolean => fulfillmentStatus === 'CANCELLED';

export function addOrders(program: Command): void {
  const what = 'review orders, verify payments, set statuses, retry the pipeline';
  const orders = addCommand(program, 'orders', what);
  addHeldOrders(orders);
  addVerifyPayment(orders);

  addYes(
    addOrderCommand(orders, 'set-status', 'set the payment status, the fulfillment status, or both', STATUS_HELP),
    isCancellation,
  )
    .addOption(new Option('--status <P>', 'payment status').choices(PAYMENT_STATUSES))
    .addOption(new Option('--fulfillment-status <F>', 'fulfillment stage').choices(FULFILLMENT_STATUSES))
    .action((reference: string, options: StatusOptions) => {
      const { status, fulfillmentStatus, store } = options;
      if (!status && !fulfillmentStatus) {
        throw new CommandFailed('Specify --status, --fulfillment-status or both.', EXIT.usage);
      }
      const change = { ...(status && { status }), ...(fulfillmentStatus && { fulfillmentStatus }) };
      return withOrder(reference, store, async (app, order) => {
        if (isCancellation(options)) {
          await confirm(`Cancel the order ${reference} of the store ${order.subdomain}? Its stock returns.`, options);
        }
        const changed = await app.get(ChangeOrder).setStatus(byOperator(order), change);
        printChanged(order, changed, { restocked: changed.restocked });
      });
    });

  addOrderCommand(orders, 'history', 'print what happened to an order, oldest first').action(
    (reference: string, { store }: StoreOption) =>
      withOrder(reference, store, async (app, { storeId, orderId }) => {
        const events: OrderEventRecord[] = [];
        for (let page = 1; ; page++) {
          const { rows } = await app.get(OrdersService).history(storeId, orderId, { page, limit: MAX_LIMIT });
          events.push(...rows);
          if (rows.length < MAX_LIMIT) break;
        }
        print(events.map(toOrderEvent));
      }),
  );

  addOrderCommand(orders, 'retry-pipeline', 'run the failed stages of an order again').action(
    (reference: string, { store }: StoreOption) =>
      withOrder(reference, store, async (app, order) => {
        const { stages, running, heldReasons, cancelled } = await app.get(StageRetries).retry(order);
        print({ order_id: order.orderId, store: order.subdomain, stages, running, held_reasons: heldReasons });
        for (const stage of running) say(`${stage} is running and was not retried.`);
        if (heldReasons)
          say(`The order is under review (${heldReasons.join(', ')}): release it with \`orders release\`.`);
        if (cancelled) say("The order is cancelled: the customer's confirmation is not sent.");
      }),
  );

  addOrderCommand(orders, 'dismiss-mail', 'stop counting the failed mails of an order in /health').action(
    (reference: string, { store }: StoreOption) =>
      withOrder(reference, store, async (app, order) => {
        const dismissed = await app.get(StageRetries).dismiss(order);
        if (dismissed.length === 0) say('The order has no failed mail that /health counts.');
        const { pipeline } = await app.get(OrdersService).retrieve(order.storeId, order.orderId);
        for (const { stage, state, attempts } of pipeline) {
          if (state === 'pending' && attempts > 0)
            say(`${stage} is still being retried: dismiss it after its last attempt.`);
        }
        print({ order_id: order.orderId, store: order.subdomain, dismissed });
      }),
  );
}

interface PaymentOptions extends StoreOption {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
}

function addVerifyPayment(orders: Command): void {
  const what = 'record a reported payment of the total or of the open amount';
  addOrderCommand(orders, 'verify-payment', what, PAYMENT_HELP)
    .requiredOption('--amount <N>', 'paid amount in minor units (1999 for 19.99 USD)', minorUnits)
    .requiredOption('--currency <C>', 'ISO 4217 code of the paid amount', currency)
    .option('--reference <R>', "the payment's id, unique in the order", externalReference, 'gateway callback')
    .action((id: string, { store, reference, amount, currency }: PaymentOptions) =>
      withOrder(id, store, async (app, order) => {
        // The hash equals that of an API client that reports the same payment.
        const requestHash = canonicalHash({ reference, amount, currency }).toString('base64');
        const payment = {
          reference,
          amount,
          currency,
          partial: false,
          settles: false,
          excess: false,
          at: null,
          requestHash,
          ...NO_DETAILS,
        };
        const changed = await app.get(ChangeOrder).pay(byOperator(order), payment);
        const { refundDue: due } = ledgerOf(changed.order);
        printChanged(order, changed, { amount, currency: changed.order.currency, refund_due: due });
        if (due > 0) say(`Refund ${due} ${changed.order.currency} (in minor units).`);
      }),
    );
}
