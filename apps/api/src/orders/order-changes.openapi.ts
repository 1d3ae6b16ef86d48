import { CommitOutcomeUnknown } from '@app/application';
import { domainErrors as refused, NotFound } from '@app/domain';
import { Order, OrderEvent, type ResourceDocumentation } from '@app/representations';
import { applyDecorators, BadRequestException } from '@nestjs/common';
import { ApiList, ApiPath, ApiWrite } from '../openapi/endpoints.js';
import {
  CancelOrderRequest,
  ChangeShipmentRequest,
  CreateShipmentRequest,
  HoldOrderRequest,
  OrderPatchRequest,
  RecordPaymentRequest,
  RecordRefundRequest,
  ReleaseOrderRequest,
  TransitionRequest,
} from './order-changes.request.js';
import { ORDER } from './orders.openapi.js';

export const ORDER_CHANGES_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Order changes',
  description:
    'What happens to an order after it is placed: shipments, the cancellation, payments, refunds and the history of them all.',
  schemas: [OrderEvent],
};

export const ApiOrderHistory = applyDecorators(
  ApiPath(ORDER),
  ApiList({
    operationId: 'listOrderHistory',
    summary: 'What happened to an order, oldest first',
    description:
      'The first event is the placing, or the import with the statuses that the order had. `status_changed` follows the ' +
      'event that caused it. Refused shipments and payments are events, too.',
    of: OrderEvent,
    failures: [new NotFound('Order')],
  }),
);

type Change<Body extends object> = Omit<Parameters<typeof ApiWrite<Body>>[0], 'of' | 'answer'> & {
  readonly status: 200 | 201;
};

function ApiChange<Body extends object>({ status, failures = [], ...operation }: Change<Body>): MethodDecorator {
  const description = 'The full order after the change, by this request or by an earlier one.';
  const answer = { status, description };
  return applyDecorators(
    ApiPath(ORDER),
    ApiWrite({ isRepeatable: true, ...operation, of: Order, answer, failures: [...failures, new NotFound('Order')] }),
  );
}

const LINES = [{ line: 1, quantity: 1 }];

export const ApiCreateShipment = ApiChange({
  operationId: 'createShipment',
  summary: 'Ship lines of an order, or claim them for picking',
  description:
    'The same request with the same `reference` is the same shipment: repeat it after a lost answer. One that is `picking` ' +
    'is shipped by a request to ship the same items. `fulfillment_status` follows from the shipments. A refusal as ' +
    '`already_shipped` is kept in the history.',
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
    new BadRequestException('reference is required'),
    new refused.AlreadyShipped(LINES),
    new refused.BeingPicked(['SHIP-2']),
    new refused.ShipmentReferenceTaken(),
    new refused.OrderHeld(),
    new refused.OrderCancelled(),
  ],
});

export const ApiChangeShipment = applyDecorators(
  ApiPath({ name: 'reference', description: "The client's number of the shipment.", example: 'SHIP-1' }),
  ApiChange({
    operationId: 'changeShipment',
    summary: 'Set the tracking or the status of a shipment',
    description: 'Absent fields stay, null clears a text. A void shipment gives its units back to the order.',
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

export const ApiPatchOrder = ApiChange({
  operationId: 'patchOrder',
  summary: 'Correct the contact or the address of an order before anything of it ships',
  description:
    'Absent fields stay, null clears a text. A billing address that is the shipping address stays that. The fraud rules ' +
    'that look at what changes screen the order again, and may hold it. The history names the fields, without their values.',
  body: {
    type: OrderPatchRequest,
    example: { customer: { phone: '+1 555 0101' }, shipping_address: { address2: 'Floor 4', zip: '04102' } },
  },
  status: 200,
  isRepeatable: false,
  failures: [
    new BadRequestException('customer.name is required'),
    new refused.ContactTooLate(),
    new refused.BeingPicked(['SHIP-2']),
    new refused.OrderCancelled(),
    new CommitOutcomeUnknown(null),
  ],
});

export const ApiCancelOrder = ApiChange({
  operationId: 'cancelOrder',
  summary: 'Cancel an order before anything of it ships',
  description: 'The units go back to their bins. The payment of a paid order stays, to be refunded: `refund_due`.',
  body: { type: CancelOrderRequest, example: { reason: 'The customer changed their mind' }, isOptional: true },
  status: 200,
  failures: [
    new refused.AlreadyShipped(LINES),
    new refused.BeingPicked(['SHIP-2']),
    new refused.UnitsWithoutBin(),
    new refused.BinAboveLimit(),
  ],
});

export const ApiMoveOrder = ApiChange({
  operationId: 'moveOrder',
  summary: 'Move a status that no other request moves',
  description:
    'To CONFIRMED, RETURNED, FAILED, or from FAILED back to PENDING. Nothing changes unless the order has the `expected` ' +
    'status.',
  body: {
    type: TransitionRequest,
    example: { field: 'fulfillment_status', expected: 'PENDING', to: 'CONFIRMED' },
  },
  status: 200,
  failures: [
    new refused.StaleStatus('fulfillmentStatus', 'CONFIRMED', []),
    new refused.IllegalTransition('fulfillment', 'PENDING', 'RETURNED', ['CONFIRMED']),
    new refused.BeingPicked(['SHIP-2']),
    new refused.ReturnExceedsShipment(LINES),
    new refused.UnitsWithoutBin(),
    new refused.BinAboveLimit(),
  ],
});

export const ApiHoldOrder = ApiChange({
  operationId: 'holdOrder',
  summary: 'Hold an order before anything of it ships',
  description:
    'The order is under review, as if a fraud rule held it: nothing of it ships, and a confirmation that was not sent ' +
    'waits. Only a release or a cancellation ends that. An order that a person holds stays as it is.',
  body: { type: HoldOrderRequest, example: { reason: 'The customer asks to wait' } },
  status: 200,
  failures: [
    new BadRequestException('reason is required'),
    new refused.HeldTooLate(),
    new refused.BeingPicked(['SHIP-2']),
    new refused.OrderCancelled(),
  ],
});

export const ApiReleaseOrder = ApiChange({
  operationId: 'releaseOrder',
  summary: 'End the review of an order',
  description: "Sends the customer's confirmation, unless it was sent. The body has no fields, and may be absent.",
  body: { type: ReleaseOrderRequest, example: {}, isOptional: true },
  status: 200,
  failures: [new refused.NotHeld(), new refused.OrderCancelled()],
});

export const ApiRecordPayment = ApiChange({
  operationId: 'recordPayment',
  summary: 'Record a payment of the whole total',
  description:
    'The amount is compared with the total of the order. Another one is refused, and the history keeps the attempt. The ' +
    'payment of an order that is cancelled or paid already is recorded: `refund_due` then states what to pay back.',
  body: { type: RecordPaymentRequest, example: { reference: 'pi_3NX81', amount: 15980, currency: 'USD' } },
  status: 201,
  failures: [
    new refused.PaidAmountMismatch({ minor: 4999, currency: 'USD' }, { minor: 5600, currency: 'USD' }),
    new refused.PaymentReferenceTaken(),
  ],
});

export const ApiRecordRefund = ApiChange({
  operationId: 'recordRefund',
  summary: 'Record a refund',
  description:
    'A record: no gateway is called. The refunds never exceed what was paid; together with all of it, the order is REFUNDED.',
  body: { type: RecordRefundRequest, example: { reference: 're_81', amount: 7990, lines: LINES, restock: true } },
  status: 201,
  failures: [
    new refused.RefundExceedsPayment(4999),
    new refused.RefundExceedsLine({ line: 1, quantity: 2 }),
    new refused.RefundReferenceTaken(),
    new refused.ReturnExceedsShipment(LINES),
    new refused.UnitsWithoutBin(),
    new refused.BinAboveLimit(),
  ],
});
