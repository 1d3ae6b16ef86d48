import { canonicalHash, NOTIFICATION_STAGES, type NotificationStage } from '@app/application';
import {
  FULFILLMENT_STATUSES,
  MAX_INT4,
  MAX_DATED_DAYS,
  MAX_LINES,
  MAX_QUANTITY,
  PAYMENT_STATUSES,
  TRANSITION_TARGETS,
  type BillingAddress,
  type BinCodes,
  type Cancellation,
  type Currency,
  type LineQuantity,
  type MailOfOrder,
  type Metadata,
  type MetadataPatch,
  type OrderCustomer,
  type OrderPatch,
  type PaymentRequest,
  isCrediting,
  REFUND_REASONS,
  type RefundReason,
  type RefundRequest,
  type ShipmentItem,
  type ShipmentPatch,
  type ShipmentRequest,
  type StatusField,
  type Tracking,
  type Transition,
} from '@app/domain';
import type { Dated as DatedRequest, EditedLines, Note } from '@app/application';
import { STATUS_FIELDS } from '@app/representations';
import { BadRequestException } from '@nestjs/common';
import { ApiSchema } from '@nestjs/swagger';
import { AddressBody, AddressFields, givenTexts, toAddressPatch } from '../body/address-fields.js';
import * as is from '../body/fields.js';
import { refuseLines } from '../body/unit-fields.js';
import { invalidField } from '../errors/invalid-fields.js';
import {
  faultsOfPrice,
  OrderItemRequest,
  PricedItemRequest,
  pricesOf,
  Taxes,
  toExpectedTotal,
  toGivenCharges,
  toItems,
  type TaxRequest,
} from './create-order.request.js';

const LineNumber = is.IntegerField({
  min: 1,
  max: Number.MAX_SAFE_INTEGER,
  description: '`line` of a line item.',
});

export class LineQuantityRequest {
  @LineNumber
  line!: number;

  @is.IntegerField({ min: 1, max: MAX_INT4, description: 'Units.' })
  quantity!: number;
}

export class BinRequest {
  @is.CodeField({ isRequired: true, description: 'Code of the warehouse.' })
  warehouse!: string;

  @is.CodeField({ isRequired: true, description: 'Code of the bin.' })
  bin!: string;
}

export class BinUnitsRequest extends BinRequest {
  @is.IntegerField({ min: 1, max: MAX_INT4, description: 'Units.' })
  quantity!: number;
}

export class ShipmentItemRequest extends LineQuantityRequest {
  @is.ListField(BinUnitsRequest, {
    max: 100,
    isOptional: true,
    description: 'Where all these units were picked. Absent: in the bins of the `allocations` of the line.',
  })
  from?: BinUnitsRequest[] | null;
}

const OwnReference = (what: string) =>
  is.ReferenceField({ isRequired: true, description: `${what} Unique in the order, for ever.` });
const Dated = (what: string) =>
  is.TimestampField({
    description: `${what} Absent: now. At most ${MAX_DATED_DAYS} days ago, and a day before the order (422 \`dated_too_early\`).`,
  });
const Lines = (description: string) =>
  is.ListField(LineQuantityRequest, { max: MAX_LINES, isOptional: true, description });

class TrackingRequest {
  @is.TextField({ max: 100, description: 'Name of the carrier.' })
  carrier?: string | null;

  @is.TextField({ max: 200, description: 'Number of the parcel.' })
  tracking_number?: string | null;

  @is.WebAddressField({ description: 'Where the customer follows the parcel.' })
  tracking_url?: string | null;
}

export class CreateShipmentRequest extends TrackingRequest {
  @OwnReference('Your own number of the shipment.')
  reference!: string;

  @is.ListField(ShipmentItemRequest, { max: MAX_LINES, isOptional: true, description: 'Absent: all that is left.' })
  items?: ShipmentItemRequest[] | null;

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

@AddressFields
export class CorrectedBillingRequest extends AddressBody {
  @is.TextField({ max: 200, description: 'Name on the invoice. Null means the customer.' })
  name?: string | null;
}

export class CancelOrderRequest {
  @Lines('Units to cancel, which have not shipped. Absent: the whole order.')
  items?: LineQuantityRequest[] | null;

  @is.TextField({ max: 500, description: 'Recorded in the history.' })
  reason?: string | null;

  @is.FlagField({ description: 'Whether the units return to their bins. Absent: those that came from bins return.' })
  restock?: boolean | null;

  @is.IntegerOrNullField({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Cancellation fee that remains owed, in minor units, at most `amount_owed`. Not with `items`.',
  })
  fee?: number | null;

  @is.FlagField({
    default: true,
    description:
      'Whether the customer gets a mail once the order is CANCELLED. Mails of shipments name cancelled units.',
  })
  notify?: boolean | null;

  @Dated('When the units were cancelled.')
  at?: string | null;
}

export class SetLineRequest {
  @LineNumber
  line!: number;

  @is.IntegerField({ min: 0, max: MAX_QUANTITY, description: 'Units; 0 cancels the line.' })
  quantity!: number;
}

export class ChangeLinesRequest {
  @is.ListField(SetLineRequest, {
    max: MAX_LINES,
    isOptional: true,
    description: 'New quantities. A line keeps its number and its price.',
  })
  set?: SetLineRequest[] | null;

  @is.ListField(OrderItemRequest, {
    max: MAX_LINES,
    isOptional: true,
    description: 'Further lines, at the prices of the live catalog.',
  })
  add?: OrderItemRequest[] | null;

  @is.AmountField({
    description:
      'The total that you expect with these lines, in major units. If the total differs, nothing changes (422 ' +
      '`price_changed`). Null means any total.',
  })
  expected_total?: number | null;

  @Dated('When the lines changed.')
  at?: string | null;
}

const LINE_OF_CHARGES = 'Of the whole line, also of its units that have shipped. Absent: it stays.';

@ApiSchema({ name: 'SetLineRequest' })
export class PricedSetLineRequest extends SetLineRequest {
  @is.DecimalField({ description: `The price of one unit. ${LINE_OF_CHARGES}` })
  unit_price?: number | string | null;

  @Taxes(`The taxes of the line. ${LINE_OF_CHARGES}`)
  tax?: TaxRequest[] | null;

  @is.IntegerOrNullField({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description: `The discount of the line, in minor units. ${LINE_OF_CHARGES}`,
  })
  discount_amount?: number | null;
}

@ApiSchema({
  name: 'ChangeLinesRequest',
  description: 'Prices, taxes, discounts and shipping are only of a key with the scope `pricing`.',
})
export class PricedLinesRequest extends ChangeLinesRequest {
  @is.ListField(PricedSetLineRequest, { max: MAX_LINES, isOptional: true, description: 'New quantities and prices.' })
  override set?: PricedSetLineRequest[] | null = undefined;

  @is.ListField(PricedItemRequest, { max: MAX_LINES, isOptional: true, description: 'Further lines.' })
  override add?: PricedItemRequest[] | null = undefined;

  @is.IntegerOrNullField({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description: 'The shipping, in minor units. Absent: it stays.',
  })
  shipping_amount?: number | null;

  @Taxes('The taxes of the shipping. Absent: they stay.')
  shipping_tax?: TaxRequest[] | null;

  @is.FlagField({ description: 'Whether the prices and the shipping include the taxes. Absent: it stays.' })
  tax_included?: boolean | null;
}

export class HoldOrderRequest {
  @is.RequiredTextField({ max: 500, description: 'Recorded in the history.' })
  reason!: string;
}

export class ReleaseOrderRequest {}

export class TransitionRequest {
  @is.RequiredWordField({ words: Object.values(STATUS_FIELDS), description: 'Which status changes.' })
  field!: (typeof STATUS_FIELDS)[StatusField];

  @is.RequiredWordField({
    words: [...new Set([...PAYMENT_STATUSES, ...FULFILLMENT_STATUSES])],
    description: 'The current status that you expect. A different one is refused with `stale`.',
  })
  expected!: string;

  @is.RequiredWordField({
    words: TRANSITION_TARGETS,
    description: 'The other statuses follow from shipments, payments, refunds and the cancellation.',
  })
  to!: string;

  @is.FlagField({ default: false, description: 'For RETURNED: whether units return to their bins.' })
  restock?: boolean | null;

  @is.OptionalObjectField(BinRequest, {
    description: 'The bin that gets the units of `restock` instead. Required for those of imported orders.',
  })
  restock_to?: BinRequest | null;

  @Lines('Units to restock. Absent: all shipped units that were not returned.')
  lines?: LineQuantityRequest[] | null;
}

export class RecordPaymentRequest {
  @OwnReference("The payment's id at your gateway.")
  reference!: string;

  @is.MinorUnitsField({ description: 'Paid amount.' })
  amount!: number;

  @is.CurrencyField({ isRequired: true, description: 'ISO 4217 code of the amount, in any letter case.' })
  currency!: string;

  @is.FlagField({ default: false, description: 'Whether the amount can be less than `amount_open`.' })
  partial?: boolean | null;

  @is.FlagField({
    default: false,
    description:
      'Whether the amount can be less than `amount_open`. The remainder is written off, as a cash discount is.',
  })
  settles?: boolean | null;

  @is.FlagField({
    default: false,
    description: 'Whether the amount can exceed `amount_open`: the excess is then `refund_due`.',
  })
  excess?: boolean | null;

  @is.TextField({ max: 64, description: 'Payment method, such as card or bank transfer.' })
  method?: string | null;

  @is.IntegerOrNullField({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Fee of the gateway, in minor units.',
  })
  fee?: number | null;

  @is.TextField({ max: 64, description: "The gateway's number of the payout." })
  payout?: string | null;

  @is.MetadataField({ description: 'Your own fields of the payment.' })
  metadata?: Metadata | null;

  @Dated('When it was paid.')
  at?: string | null;
}

export class RecordRefundRequest {
  @OwnReference("The refund's id at your gateway.")
  reference!: string;

  @is.MinorUnitsField({ description: 'Refunded amount; 0 for returned units that were not paid.' })
  amount!: number;

  @is.OptionalWordField({
    words: REFUND_REASONS,
    description:
      'Reason of the refund. goods, shipping and goodwill lower `amount_owed`. Absent: goods with `lines` or `restock`; otherwise a ' +
      'repayment of what is due back, and goodwill for more than that.',
  })
  reason?: RefundReason | null;

  @is.IntegerOrNullField({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description:
      'Amount that is no longer owed, in minor units. Absent: the amount, less what was due back; of goods at least the share of their units in the total, with ' +
      'tax and discount; at most what is owed. Not of a chargeback or a repayment.',
  })
  credited?: number | null;

  @Lines('Refunded units. Units that have not shipped are cancelled.')
  lines?: LineQuantityRequest[] | null;

  @is.FlagField({
    description:
      'Whether the lines, or all shipped units where there are none, go back to their bins. Absent: units that are given up do, ' +
      'shipped ones do not.',
  })
  restock?: boolean | null;

  @is.OptionalObjectField(BinRequest, {
    description: 'The bin that gets the units of `restock` instead. Required for those of imported orders.',
  })
  restock_to?: BinRequest | null;

  @is.FlagField({ default: true, description: 'Whether the customer gets a mail.' })
  notify?: boolean | null;

  @Dated('When it was refunded.')
  at?: string | null;
}

export class LinePatchRequest {
  @is.IntegerField({ min: 1, max: Number.MAX_SAFE_INTEGER, description: '`line` of a line item.' })
  line!: number;

  @is.MetadataPatchField({ description: 'Keys to set; null removes one. The others stay.' })
  metadata?: MetadataPatch | null;
}

export class OrderPatchRequest {
  @is.MetadataPatchField({ description: 'Keys to set; null removes one. The others stay.' })
  metadata?: MetadataPatch | null;

  @is.ListField(LinePatchRequest, { max: MAX_LINES, isOptional: true, description: 'Lines to change.' })
  lines?: LinePatchRequest[] | null;

  @is.OptionalObjectField(CorrectedCustomerRequest)
  customer?: CorrectedCustomerRequest | null;

  @is.OptionalObjectField(CorrectedAddressRequest)
  shipping_address?: CorrectedAddressRequest | null;

  @is.OptionalObjectField(CorrectedBillingRequest)
  billing_address?: CorrectedBillingRequest | null;
}

@ApiSchema({
  name: 'OrderPatchRequest',
  description: '`external_reference` and `payment_method` are only of a key with the scope `pricing`.',
})
export class PricedPatchRequest extends OrderPatchRequest {
  @is.ReferenceField({ description: 'Your own number of the order. Null: none. Absent: it stays.' })
  external_reference?: string | null;

  @is.TextField({
    max: 64,
    description: 'How the order is paid, such as COD or INVOICE. Absent, null or `""`: it stays.',
  })
  payment_method?: string | null;
}

export class AddNoteRequest {
  @is.RequiredTextField({ max: 2000, description: 'Recorded in the history.' })
  text!: string;

  @is.MetadataField({ description: 'Kept with the note.' })
  metadata?: Metadata | null;
}

export class RepeatMailRequest {
  @is.RequiredWordField({ words: NOTIFICATION_STAGES, description: 'Its stage in the pipeline of the order.' })
  stage!: NotificationStage;

  @is.ReferenceField({ description: 'The shipment or refund that it is about. Null means none.' })
  reference?: string | null;
}

export function toShipment(body: CreateShipmentRequest): ShipmentRequest {
  const { items, status, shipped_at, ...identity } = body;
  const { reference, carrier, tracking_number, tracking_url, notify } = identity;
  const bins = items?.filter(({ from }) => from);
  // A client that resolves URLs cannot use these in a path.
  refuseIf(/^\.\.?$/.test(reference), 'reference must not be . or ..');
  refuseIf(status === 'picking' && !!shipped_at, 'shipped_at requires the status shipped');
  return {
    reference,
    items: items ? items.map(toShipmentItem) : null,
    carrier: carrier ?? '',
    trackingNumber: tracking_number ?? '',
    trackingUrl: tracking_url ?? '',
    status: status ?? 'shipped',
    shippedAt: toDate(shipped_at),
    notify: notify ?? true,
    requestHash: hashOf({ ...identity, ...(bins?.length && { items: bins }) }),
  };
}

function toShipmentItem({ line, quantity, from }: ShipmentItemRequest, index: number): ShipmentItem {
  if (!from) return { line, quantity };
  const picked = from.reduce((sum, units) => sum + units.quantity, 0);
  refuseIf(picked !== quantity, `items[${index}].from must add up to the quantity, ${quantity}`);
  return {
    line,
    quantity,
    from: from.map(({ warehouse, bin, quantity: units }) => ({ warehouse, bin, quantity: units })),
  };
}

export function toShipmentPatch(body: ChangeShipmentRequest): ShipmentPatch {
  const { carrier, tracking_number, tracking_url, status, at } = body;
  refuseIf(!!at && status !== 'shipped' && status !== 'delivered', 'at requires the status shipped or delivered');
  const tracking: Partial<Tracking> = {
    ...(carrier !== undefined && { carrier: carrier ?? '' }),
    ...(tracking_number !== undefined && { trackingNumber: tracking_number ?? '' }),
    ...(tracking_url !== undefined && { trackingUrl: tracking_url ?? '' }),
  };
  return { ...tracking, ...(status && { status }), at: toDate(at) };
}

export function toCancellation(body: CancelOrderRequest): Cancellation & DatedRequest {
  const { items, reason, restock, fee, notify, at } = body;
  const isCharged = typeof fee === 'number';
  refuseIf(!!items && isCharged, 'fee must be absent with items');
  return {
    reason: reason ?? '',
    restock: restock ?? null,
    ...(isCharged && { fee }),
    notify: notify ?? true,
    at: toDate(at),
  };
}

/** @param inStore the currency of the store. @throws BadRequestException */
export function toEditedLines(body: ChangeLinesRequest, inStore: Currency): EditedLines {
  const { expected_total } = body;
  const { set, add, ...charges } = body as PricedLinesRequest;
  const ofOrder = toGivenCharges(charges, []);
  if (!set && !add && !ofOrder) throw new BadRequestException('set or add is required');
  refuseIf(new Set(set?.map(({ line }) => line)).size < (set?.length ?? 0), 'set must contain each line once');
  refuseLines(set ?? [], 'set', (line) => faultsOfPrice(line, inStore));
  const lines = (set ?? []).map((item) => {
    const { unitPrice, ...given } = pricesOf(item, inStore);
    return { line: item.line, quantity: item.quantity, ...(unitPrice && { unitPrice: unitPrice.minor }), ...given };
  });
  const items = toItems(add ?? [], inStore, 'add');
  const given = ofOrder ?? toGivenCharges({}, [...lines, ...items]);
  return {
    set: lines,
    add: items,
    at: toDate(body.at),
    ...(given && { given }),
    mayGive: body instanceof PricedLinesRequest,
    ...(typeof expected_total === 'number' && { expectedTotal: toExpectedTotal(expected_total, inStore) }),
  };
}

export function toTransition({ field, expected, to, restock, restock_to, lines }: TransitionRequest): Transition {
  refuseIf(!!lines && !restock, 'lines requires restock');
  refuseIf(!!restock_to && !restock, 'restock_to requires restock');
  return {
    field: field === STATUS_FIELDS.status ? 'status' : 'fulfillmentStatus',
    expected,
    to,
    restock: restock ?? false,
    restockTo: toBin(restock_to),
    lines: toLines(lines),
  };
}

export function toPayment(body: RecordPaymentRequest): PaymentRequest {
  const { at, ...identity } = body;
  const { reference, amount, currency, partial, settles, excess, method, fee, payout, metadata } = identity;
  if (partial && settles) {
    throw new BadRequestException(
      'partial and settles exclude each other: settles writes off what partial leaves open',
    );
  }
  refuseIf(!!excess && !!settles, 'excess and settles exclude each other');
  return {
    reference,
    amount,
    currency: currency.toUpperCase(),
    partial: partial ?? false,
    settles: settles ?? false,
    excess: excess ?? false,
    method: method ?? '',
    fee: fee ?? 0,
    payout: payout ?? '',
    metadata: metadata ?? {},
    at: toDate(at),
    requestHash: hashOf(identity),
  };
}

export function toRefund(body: RecordRefundRequest): RefundRequest {
  const { at, lines, ...identity } = body;
  const { reference, amount, reason, credited, restock, restock_to, notify } = identity;
  refuseIf(!!restock_to && !restock, 'restock_to requires restock');
  const isOfGoods = !!lines || !!restock;
  refuseIf(isOfGoods && !!reason && reason !== 'goods', `reason must be goods with ${lines ? 'lines' : 'restock'}`);
  const credits = !reason || isCrediting(reason);
  refuseIf(!credits && !!credited, `credited must be absent or 0 for the reason ${reason}`);
  return {
    reference,
    amount,
    reason: reason ?? null,
    credited: credited ?? null,
    lines: toLines(lines),
    restock: restock ?? null,
    restockTo: toBin(restock_to),
    notify: notify ?? true,
    at: toDate(at),
    requestHash: hashOf(identity),
  };
}

export function toOrderPatch(body: OrderPatchRequest): OrderPatch {
  const { metadata, lines, customer, shipping_address, billing_address } = body;
  const { external_reference: reference, payment_method: method } = body as PricedPatchRequest;
  refuseIf(method?.trim() === '' && method !== '', 'payment_method must not be blank');
  const terms = {
    ...(reference !== undefined && { externalReference: reference ?? '' }),
    ...(method && { paymentMethod: method }),
  };
  const hasField = [metadata, lines, customer, shipping_address, billing_address].some((value) => !!value);
  if (!hasField && Object.keys(terms).length === 0) {
    throw new BadRequestException('metadata, lines, customer, shipping_address or billing_address is required');
  }
  const given = givenTexts<OrderCustomer>(customer ?? {});
  const { name: billed, ...address } = billing_address ?? {};
  refuseIf(given.name?.trim() === '', 'customer.name is required');
  return {
    terms,
    metadata: {
      metadata: metadata ?? {},
      lines: (lines ?? []).map((line) => ({ line: line.line, metadata: line.metadata ?? {} })),
    },
    contact: {
      customer: given,
      shippingAddress: toAddressPatch(shipping_address ?? {}),
      billingAddress: { ...givenTexts<Pick<BillingAddress, 'name'>>({ name: billed }), ...toAddressPatch(address) },
    },
  };
}

export function toNote({ text, metadata }: AddNoteRequest): Note {
  return { text, ...(metadata && { metadata }) };
}

export function toMail({ stage, reference }: RepeatMailRequest): MailOfOrder {
  return { stage, reference: reference ?? '' };
}

/** Hashes the fields as received. */
function hashOf(fields: object): string {
  return canonicalHash(fields).toString('base64');
}

/** @param fault begins with the path of the field. */
function refuseIf(isContradiction: boolean, fault: string): void {
  if (isContradiction) throw invalidField(fault);
}

export function toLines(lines: readonly LineQuantity[] | null | undefined): LineQuantity[] | null {
  return lines ? lines.map(({ line, quantity }) => ({ line, quantity })) : null;
}

function toBin(bin: BinRequest | null | undefined): BinCodes | null {
  return bin ? { warehouse: bin.warehouse, bin: bin.bin } : null;
}

function toDate(text: string | null | undefined): Date | null {
  return text ? new Date(text) : null;
}
