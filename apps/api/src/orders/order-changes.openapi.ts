import { CommitOutcomeUnknown, PageTooLarge, PricesUnavailable } from '@app/application';
import { domainErrors as refused, Money, NotFound } from '@app/domain';
import { Order, OrderEvent, type ResourceDocumentation } from '@app/representations';
import { applyDecorators, BadRequestException } from '@nestjs/common';
import { ApiList, ApiParameters, ApiPath, ApiWrite } from '../openapi/endpoints.js';
import {
  AddNoteRequest,
  CancelOrderRequest,
  PricedLinesRequest,
  ChangeShipmentRequest,
  CreateShipmentRequest,
  HoldOrderRequest,
  PricedPatchRequest,
  RecordPaymentRequest,
  RecordRefundRequest,
  ReleaseOrderRequest,
  RepeatMailRequest,
  TransitionRequest,
} from './order-changes.request.js';
import { ORDER } from './orders.openapi.js';
import { invalidField } from '../errors/invalid-fields.js';

export const ORDER_CHANGES_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Order changes',
  description: 'Changes of a placed order: shipments, cancellation, payments, refunds and its history.',
  schemas: [OrderEvent],
};

export const ApiOrderHistory = applyDecorators(
  ApiPath(ORDER),
  ApiList({
    operationId: 'listOrderHistory',
    summary: 'List the events of an order, oldest first',
    description:
      'The first event is the placement, or the import with the statuses of the order. `status_changed` follows the ' +
      'event that caused it. Refused shipments and payments are events, too.',
    of: OrderEvent,
    failures: [new NotFound('Order'), new PageTooLarge(50)],
  }),
);

type Change<Body extends object> = Omit<Parameters<typeof ApiWrite<Body>>[0], 'of' | 'answer'> & {
  readonly status: 200 | 201;
};

function ApiChange<Body extends object>({ status, failures = [], ...operation }: Change<Body>): MethodDecorator {
  const description = 'The full order after the change, by this request or by an earlier one.';
  const answer = { status, description };
  const common = [new refused.TooManyRecords('notes', 500), new NotFound('Order')];
  return applyDecorators(
    ApiPath(ORDER),
    ApiParameters,
    ApiWrite({ isRepeatable: true, ...operation, of: Order, answer, failures: [...failures, ...common] }),
  );
}

const LINES = [{ line: 1, quantity: 1 }];

export const ApiCreateShipment = ApiChange({
  operationId: 'createShipment',
  summary: 'Ship lines of an order, or reserve them for picking',
  description:
    'A repeated request with the same `reference` returns the same shipment: repeat it after a lost response. A shipment that is `picking` ' +
    'ships with a request for the same items. `fulfillment_status` follows from the shipments. The history records a ' +
    'refusal with `already_shipped`.',
  body: {
    type: CreateShipmentRequest,
    example: {
      reference: 'SHIP-1',
      items: LINES,
      carrier: 'DHL',
      tracking_number: '00340434161094042557',
      tracking_url: 'https://tracking.example.com/00340434161094042557',
    },
  },
  status: 201,
  otherAnswer: { status: 200, description: 'The full order. Its shipment with the `reference` was being picked.' },
  failures: [
    invalidField('reference is required'),
    new refused.AlreadyShipped(LINES),
    new refused.BeingPicked(['SHIP-2']),
    new refused.ShipmentReferenceTaken(),
    new NotFound('Bin MAIN/A-9'),
    new refused.BinShort('MAIN/B-2', 2, 1),
    new refused.TooManyBinsOfOrder(1_000),
    new refused.UnitsWithoutBin(),
    new refused.OrderHeld(),
    new refused.OrderCancelled(),
    new refused.OrderCredited(),
  ],
});

export const ApiChangeShipment = applyDecorators(
  ApiPath({ name: 'reference', description: "The client's number of the shipment.", example: 'SHIP-1' }),
  ApiChange({
    operationId: 'changeShipment',
    summary: 'Update the tracking or the status of a shipment',
    description: 'Absent fields keep their values, null clears a text. The units of a void shipment can ship again.',
    body: { type: ChangeShipmentRequest, example: { status: 'delivered' } },
    status: 200,
    isRepeatable: false,
    failures: [
      new refused.DeliveredTooEarly(new Date('2026-11-20T09:30:00.000Z')),
      new refused.IllegalTransition('shipment', 'delivered', 'void', []),
      new CommitOutcomeUnknown(null),
    ],
  }),
);

export const ApiCancelOrder = ApiChange({
  operationId: 'cancelOrder',
  summary: 'Cancel an order before it ships, or units that have not shipped',
  description:
    'The units return to their bins. The payment of a paid order stays recorded, and `refund_due` states what to refund. With ' +
    '`items`, only these units are cancelled, and the statuses of the order follow from the remaining ones; when none ' +
    'remain, the order is cancelled. A `fee` remains owed until it is paid. Send an `Idempotency-Key` with `items`: a ' +
    'repeated request without a key cancels more units.',
  body: { type: CancelOrderRequest, example: { reason: 'The customer changed their mind' }, isOptional: true },
  status: 200,
  failures: [
    new refused.DatedTooEarly(new Date('2026-11-20T09:30:00.000Z')),
    invalidField('fee must be absent with items'),
    new refused.FeeExceedsOwed(4999),
    new refused.OrderCancelled(),
    new refused.AlreadyShipped(LINES),
    new refused.BeingPicked(['SHIP-2']),
    new refused.UnitsWithoutBin(),
    new refused.BinAboveLimit(),
  ],
});

export const ApiMoveOrder = ApiChange({
  operationId: 'moveOrder',
  summary: 'Change a status that no other request changes',
  description:
    'Changes to CONFIRMED, RETURNED or FAILED, or from FAILED back to PENDING. The order changes only if it has the ' +
    '`expected` status.',
  body: {
    type: TransitionRequest,
    example: { field: 'fulfillment_status', expected: 'PENDING', to: 'CONFIRMED' },
  },
  status: 200,
  failures: [
    new refused.OrderHeld(),
    new refused.StaleStatus('fulfillmentStatus', 'CONFIRMED', []),
    new refused.IllegalTransition('fulfillment', 'PENDING', 'RETURNED', ['CONFIRMED']),
    new refused.BeingPicked(['SHIP-2']),
    new refused.ReturnExceedsShipment(LINES),
    new refused.UnitsWithoutBin(),
    new refused.StockRefused([{ path: '', message: 'unknown_bin: Warehouse MAIN has no bin A-9' }]),
    new refused.BinAboveLimit(),
  ],
});

export const ApiChangeLines = ApiChange({
  operationId: 'changeOrderLines',
  summary: 'Change the lines of an order that have not shipped',
  description:
    'One transaction takes and returns the stock. Existing lines keep their numbers and prices, added lines get the prices of ' +
    'the live catalog, and the total follows. Without an `Idempotency-Key`, a repeated request adds its lines again.',
  body: {
    type: PricedLinesRequest,
    example: { set: [{ line: 1, quantity: 3 }], add: [{ product_id: 70, quantity: 1 }], expected_total: 85.6 },
  },
  status: 200,
  failures: [
    new refused.DatedTooEarly(new Date('2026-11-20T09:30:00.000Z')),
    new BadRequestException('set or add is required'),
    new refused.InvalidOrderItems('An order can have at most 100 lines, including cancelled ones'),
    new refused.NoUnitsLeft(),
    new refused.PaymentUnrecorded(),
    new refused.ChargesGiven(),
    new refused.TotalOutOfRange(-1000),
    new refused.TooManyTaxes(50),
    new refused.TooManyBinsOfOrder(1_000),
    new PricesUnavailable(),
    new refused.ItemsUnavailable([{ list: 'add', line: 0, what: 'product', id: 77 }]),
    new refused.OutOfStock([{ list: 'set', line: 0, requested: 5, available: 3 }]),
    new refused.QuantityNotOffered([{ list: 'add', line: 0, requested: 5, minQuantity: 6, step: 6 }]),
    new refused.CurrencyMismatch('USD'),
    new refused.PriceChanged(Money.ofMinor(5600, 'USD')),
    new refused.MetadataTooLarge(),
    new refused.AlreadyShipped(LINES),
    new refused.LinesFixed(),
    new refused.BeingPicked(['SHIP-2']),
    new refused.OrderCancelled(),
    new refused.UnitsWithoutBin(),
    new refused.BinAboveLimit(),
  ],
});

export const ApiHoldOrder = ApiChange({
  operationId: 'holdOrder',
  summary: 'Hold an order before it ships',
  description:
    'Puts the order under review, as a fraud rule does: it does not ship, and a confirmation that was not sent is held. ' +
    'Only a release or a cancellation ends the review. An order that a person already holds does not change.',
  body: { type: HoldOrderRequest, example: { reason: 'The customer asks to wait' } },
  status: 200,
  failures: [
    invalidField('reason is required'),
    new refused.HeldTooLate(),
    new refused.BeingPicked(['SHIP-2']),
    new refused.OrderCancelled(),
  ],
});

export const ApiReleaseOrder = ApiChange({
  operationId: 'releaseOrder',
  summary: 'Release an order from review',
  description: "Sends the customer's confirmation, unless it was sent. The body has no fields and can be omitted.",
  body: { type: ReleaseOrderRequest, example: {}, isOptional: true },
  status: 200,
  failures: [new refused.NotHeld(), new refused.OrderCancelled()],
});

export const ApiRecordPayment = ApiChange({
  operationId: 'recordPayment',
  summary: 'Record a payment',
  description:
    'The amount is the total of the order, or `amount_open`; with `partial` or `settles`, any amount up to `amount_open`. ' +
    'Any other amount is refused, and the history records the attempt. The order is SUCCEEDED once `amount_owed` is ' +
    'paid. A payment of the total of a cancelled or paid order is recorded: `refund_due` then states what to refund.',
  body: { type: RecordPaymentRequest, example: { reference: 'pi_3NX81', amount: 15980, currency: 'USD' } },
  status: 201,
  failures: [
    new refused.DatedTooEarly(new Date('2026-11-20T09:30:00.000Z')),
    new refused.PaidAmountMismatch({ minor: 4999, currency: 'USD' }, { minor: 5600, currency: 'USD' }, 5600),
    new refused.PaymentReferenceTaken(),
    new refused.MetadataTooLarge(),
  ],
});

export const ApiRecordRefund = ApiChange({
  operationId: 'recordRefund',
  summary: 'Record a refund',
  description:
    'Records a refund and its reason: no gateway is called. Refunds never exceed the payments. Refunded units that have not ' +
    'shipped are cancelled. Once nothing is owed, all units without a shipment are cancelled: the order is then cancelled.',
  body: { type: RecordRefundRequest, example: { reference: 're_81', amount: 7990, lines: LINES, restock: true } },
  status: 201,
  otherAnswer: { status: 200, description: 'With `preview=true`: the full order as the refund would leave it.' },
  failures: [
    new refused.DatedTooEarly(new Date('2026-11-20T09:30:00.000Z')),
    new refused.RefundExceedsPayment(4999),
    new refused.CreditExceedsOwed(4999),
    new refused.RefundExceedsLine({ line: 1, quantity: 2 }),
    new refused.BeingPicked(['SHIP-1']),
    new refused.RefundReferenceTaken(),
    new refused.ReturnExceedsShipment(LINES),
    new refused.UnitsWithoutBin(),
    new refused.StockRefused([{ path: '', message: 'unknown_bin: Warehouse MAIN has no bin A-9' }]),
    new refused.BinAboveLimit(),
  ],
});

export const ApiPatchOrder = ApiChange({
  operationId: 'patchOrder',
  summary: 'Update metadata, contact and addresses of an order',
  description:
    'Metadata: sets the named keys, removes those with null, and leaves the others. The contact and the shipping address ' +
    'can change while units are left to ship, the billing address until the order has ended. Absent fields keep their ' +
    'values, null clears a text, and a billing address equal to the shipping address follows it. The fraud rules that read a changed field ' +
    'screen the order again and can hold it. The history names the changed fields, without keys and values. If one part is ' +
    'refused, nothing changes.',
  body: {
    type: PricedPatchRequest,
    example: {
      metadata: { erp_id: '4711', cost_center: null },
      lines: [{ line: 1, metadata: { erp_line: '10' } }],
      customer: { phone: '+1 555 0101' },
      shipping_address: { address2: 'Floor 4', zip: '04102' },
      billing_address: { company: 'Lovelace Engines Ltd' },
    },
  },
  status: 200,
  isRepeatable: false,
  failures: [
    invalidField('customer.name is required'),
    new refused.MetadataTooLarge(),
    new refused.ContactTooLate(),
    new refused.BillingTooLate(),
    new refused.ExternalReferenceTaken(Order.example.id),
    new refused.PaymentUnrecorded(),
    new refused.TooManyTaxes(50),
    new refused.BeingPicked(['SHIP-2']),
    new refused.OrderCancelled(),
    new CommitOutcomeUnknown(null),
  ],
});

export const ApiAddNote = ApiChange({
  operationId: 'addNote',
  summary: 'Add a note to the history of an order',
  description:
    'The event `noted` contains the text as `reason` and the metadata. The note is not visible to the customer.',
  body: { type: AddNoteRequest, example: { text: 'The customer asks for gift wrapping' } },
  status: 201,
});

export const ApiRepeatMail = ApiChange({
  operationId: 'repeatMail',
  summary: 'Resend a mail of an order',
  description:
    'Retries a dead mail or resends a sent one: to the current address of the order, with the message id of the first mail.',
  body: { type: RepeatMailRequest, example: { stage: 'notify-shipment', reference: 'SHIP-1' } },
  status: 200,
  failures: [
    new refused.MailPending(),
    new refused.MailWithoutAddress(),
    new refused.OrderHeld(),
    new refused.OrderCancelled(),
    new NotFound('Mail'),
  ],
});
