import {
  FULFILLMENT_STATUSES,
  MAX_INT4,
  MAX_LINES,
  PAYMENT_STATUSES,
  TRANSITION_TARGETS,
  type Cancellation,
  type ContactPatch,
  type OrderCustomer,
  type LineQuantity,
  type PaymentRequest,
  type RefundRequest,
  type ShipmentPatch,
  type ShipmentRequest,
  type StatusField,
  type Tracking,
  type Transition,
} from '@app/domain';
import { STATUS_FIELDS } from '@app/representations';
import { BadRequestException } from '@nestjs/common';
import { AddressBody, AddressFields, givenTexts, toAddressPatch } from '../body/address-fields.js';
import * as is from '../body/fields.js';

export class LineQuantityRequest {
  @is.IntegerField({ min: 1, max: Number.MAX_SAFE_INTEGER, description: '`line` of a line item.' })
  line!: number;

  @is.IntegerField({ min: 1, max: MAX_INT4, description: 'Units.' })
  quantity!: number;
}

const OwnReference = (what: string) =>
  is.ReferenceField({ isRequired: true, description: `${what} Unique in the order, for ever.` });
const Lines = (description: string) =>
  is.ListField(LineQuantityRequest, { max: MAX_LINES, isOptional: true, description });

class TrackingRequest {
  @is.TextField({ max: 100, description: 'Name of the carrier.' })
  carrier?: string | null;

  @is.TextField({ max: 200, description: 'Number of the parcel.' })
  tracking_number?: string | null;

  @is.WebAddressField({ max: 2000, description: 'Where the customer follows the parcel.' })
  tracking_url?: string | null;
}

export class CreateShipmentRequest extends TrackingRequest {
  @OwnReference('Your own number of the shipment.')
  reference!: string;

  @Lines('Absent: all that is left.')
  items?: LineQuantityRequest[] | null;

  @is.OptionalWordField({
    words: ['picking', 'shipped'],
    default: 'shipped',
    description:
      '`picking` claims the units: no other shipment and no cancellation takes them until it is shipped or void.',
  })
  status?: 'picking' | 'shipped' | null;

  @is.TimestampField({ description: 'When it was shipped. Absent: now.' })
  shipped_at?: string | null;

  @is.FlagField({ default: true, description: 'Whether the customer gets a mail when it is shipped.' })
  notify?: boolean | null;
}

export class ChangeShipmentRequest extends TrackingRequest {
  @is.OptionalWordField({
    words: ['shipped', 'delivered', 'void'],
    description: 'A void shipment gives its units back to the order.',
  })
  status?: 'shipped' | 'delivered' | 'void' | null;

  @is.TimestampField({ description: 'When it was shipped or delivered. Absent: now.' })
  at?: string | null;
}

export class CorrectedCustomerRequest {
  @is.TextField({ max: 200, description: 'Display name. Neither blank nor null.' })
  name?: string | null;

  @is.EmailField({ description: 'As in a new order. The order stays linked to its account.' })
  email?: string | null;

  @is.TextField({ max: 40, description: 'As dialled.' })
  phone?: string | null;
}

@AddressFields
export class CorrectedAddressRequest extends AddressBody {}

export class OrderPatchRequest {
  @is.OptionalObjectField(CorrectedCustomerRequest)
  customer?: CorrectedCustomerRequest | null;

  @is.OptionalObjectField(CorrectedAddressRequest)
  shipping_address?: CorrectedAddressRequest | null;
}

export class CancelOrderRequest {
  @is.TextField({ max: 500, description: 'For the history.' })
  reason?: string | null;

  @is.FlagField({ description: 'Whether the units go back to their bins. Absent: those that came from bins.' })
  restock?: boolean | null;

  @is.FlagField({ default: true, description: 'Whether the customer gets a mail.' })
  notify?: boolean | null;
}

export class HoldOrderRequest {
  @is.RequiredTextField({ max: 500, description: 'For the history.' })
  reason!: string;
}

export class ReleaseOrderRequest {}

export class TransitionRequest {
  @is.RequiredWordField({ words: Object.values(STATUS_FIELDS), description: 'Which status changes.' })
  field!: (typeof STATUS_FIELDS)[StatusField];

  @is.RequiredWordField({
    words: [...new Set([...PAYMENT_STATUSES, ...FULFILLMENT_STATUSES])],
    description: 'The status that you take the order to have. Another one is refused as `stale`.',
  })
  expected!: string;

  @is.RequiredWordField({
    words: TRANSITION_TARGETS,
    description: 'The other statuses follow from shipments, payments, refunds and the cancellation.',
  })
  to!: string;

  @is.FlagField({ default: false, description: 'For RETURNED: whether units go back to their bins.' })
  restock?: boolean | null;

  @Lines('Which units go back. Absent: all that were shipped and have not come back.')
  lines?: LineQuantityRequest[] | null;
}

export class RecordPaymentRequest {
  @OwnReference("The payment's id at your gateway.")
  reference!: string;

  @is.MinorUnitsField({ description: 'What was paid.' })
  amount!: number;

  @is.CurrencyField({ isRequired: true, description: 'ISO 4217 code of the amount, in any letter case.' })
  currency!: string;

  @is.TimestampField({ description: 'When it was paid. Absent: now.' })
  at?: string | null;
}

export class RecordRefundRequest {
  @OwnReference("The refund's id at your gateway.")
  reference!: string;

  @is.MinorUnitsField({ description: 'What was refunded; 0 for units that come back unpaid.' })
  amount!: number;

  @Lines('What the refund is for.')
  lines?: LineQuantityRequest[] | null;

  @is.FlagField({
    default: false,
    description: 'Whether the lines, or all shipped units where there are none, go back to their bins.',
  })
  restock?: boolean | null;

  @is.FlagField({ default: true, description: 'Whether the customer gets a mail.' })
  notify?: boolean | null;

  @is.TimestampField({ description: 'When it was refunded. Absent: now.' })
  at?: string | null;
}

export function toShipment(body: CreateShipmentRequest): Omit<ShipmentRequest, 'requestHash'> {
  const { reference, items, carrier, tracking_number, tracking_url, status, shipped_at, notify } = body;
  // A client that resolves URLs cannot name these in a path.
  refuseIf(/^\.\.?$/.test(reference), 'reference must not be . or ..');
  refuseIf(status === 'picking' && !!shipped_at, 'shipped_at needs the status shipped');
  return {
    reference,
    items: toLines(items),
    carrier: carrier ?? '',
    trackingNumber: tracking_number ?? '',
    trackingUrl: tracking_url ?? '',
    status: status ?? 'shipped',
    shippedAt: toDate(shipped_at),
    notify: notify ?? true,
  };
}

export function toShipmentPatch(body: ChangeShipmentRequest): ShipmentPatch {
  const { carrier, tracking_number, tracking_url, status, at } = body;
  refuseIf(!!at && status !== 'shipped' && status !== 'delivered', 'at needs the status shipped or delivered');
  const tracking: Partial<Tracking> = {
    ...(carrier !== undefined && { carrier: carrier ?? '' }),
    ...(tracking_number !== undefined && { trackingNumber: tracking_number ?? '' }),
    ...(tracking_url !== undefined && { trackingUrl: tracking_url ?? '' }),
  };
  return { ...tracking, ...(status && { status }), at: toDate(at) };
}

export function toContactPatch({ customer, shipping_address }: OrderPatchRequest): ContactPatch {
  const given = givenTexts<OrderCustomer>(customer ?? {});
  refuseIf(given.name?.trim() === '', 'customer.name is required');
  return { customer: given, shippingAddress: toAddressPatch(shipping_address ?? {}) };
}

export function toCancellation({ reason, restock, notify }: CancelOrderRequest): Cancellation {
  return { reason: reason ?? '', restock: restock ?? null, notify: notify ?? true };
}

export function toTransition({ field, expected, to, restock, lines }: TransitionRequest): Transition {
  refuseIf(!!lines && !restock, 'lines needs restock');
  return {
    field: field === STATUS_FIELDS.status ? 'status' : 'fulfillmentStatus',
    expected,
    to,
    restock: restock ?? false,
    lines: toLines(lines),
  };
}

export function toPayment(body: RecordPaymentRequest): Omit<PaymentRequest, 'requestHash'> {
  const { reference, amount, currency, at } = body;
  return { reference, amount, currency: currency.toUpperCase(), at: toDate(at) };
}

export function toRefund(body: RecordRefundRequest): Omit<RefundRequest, 'requestHash'> {
  const { reference, amount, lines, restock, notify, at } = body;
  return {
    reference,
    amount,
    lines: toLines(lines),
    restock: restock ?? false,
    notify: notify ?? true,
    at: toDate(at),
  };
}

function refuseIf(isContradiction: boolean, message: string): void {
  if (isContradiction) throw new BadRequestException(message);
}

function toLines(lines: readonly LineQuantityRequest[] | null | undefined): LineQuantity[] | null {
  return lines ? lines.map(({ line, quantity }) => ({ line, quantity })) : null;
}

function toDate(text: string | null | undefined): Date | null {
  return text ? new Date(text) : null;
}
