import {
  AlreadyShipped,
  BeingPicked,
  CancelledTooLate,
  ReturnExceedsShipment,
  UnitsWithoutBin,
} from './change-errors.js';
import { NotFound } from '../shared/request-errors.js';
import { MANUAL } from '../fraud/fraud-assessment.js';
import type { DomainError } from '../shared/domain-error.js';
import type { Metadata } from '../shared/metadata.js';
import { covers, sumByLine, unitsBeyond, unitsByLine, type LineQuantity } from './line-units.js';
import {
  effectOf,
  type ChargedAmounts,
  type RecordedPayment,
  type RecordedRefund,
  type RecordedShipment,
  type LineMetadata,
  type MailOfOrder,
  type OrderChange,
  type OrderTerms,
  type Repeatable,
} from './order-change.js';
import type { LineCharges } from './charges.js';
import type { BookedCredit } from './credit-taxes.js';
import { statusEvents, type OrderEvent, type OrderEventName } from './order-event.js';
import { creditedUnitsOf, shareOf } from './line-shares.js';
import { ledgerOf, type OrderLedger, type RefundedUnits } from './order-money.js';
import { FULFILLMENT_STEPS, type FulfillmentStatus, type OrderState, type PaymentStatus } from './order-status.js';
import type { BilledContact } from './order.js';
import type { OrderLine } from './order-line.js';
import { isShipped, isShippedWhole, isVoid, type BinCodes } from './shipment.js';

export interface PlacedLine extends LineQuantity, LineCharges, Pick<OrderLine, 'sku' | 'name' | 'attributes'> {
  /** Is null only in an imported order. */
  readonly productId: number | null;
  readonly variantId: number | null;
  readonly unitPrice: number;
  readonly returnedQuantity: number;
  /** Units that were cancelled before they shipped. */
  readonly cancelledQuantity: number;
  /**
   * Units that came from bins. An imported order has none; a point-of-sale order without enough stock has fewer than it
   * sold.
   */
  readonly binQuantity: number;
}

/** Amounts are in minor units of `currency`. Imported orders may owe a negative amount. */
export interface PlacedOrderState extends OrderState, ChargedAmounts, OrderTerms {
  /** The credits that the journal has of the order, in their sequence. */
  readonly credits: readonly BookedCredit[];
  /** Whether this service placed the order, rather than imported it. */
  readonly isPlaced: boolean;
  readonly createdAt: Date;
  /** The credit for cancelled units, in minor units. */
  readonly cancelledAmount: number;
  /** What stayed owed when the order was cancelled, in minor units; null for nothing. */
  readonly cancellationFee: number | null;
  readonly currency: string;
  readonly contact: BilledContact;
  /** Why the order is under review: codes of rules, or `manual`. Null means that it is not under review. */
  readonly heldReasons: readonly string[] | null;
  /** Whether units came from bins. An imported order took none. */
  readonly hasTakenStock: boolean;
  readonly lines: readonly PlacedLine[];
  readonly metadata: Metadata;
  /** Lines without metadata are not listed. */
  readonly lineMetadata: readonly LineMetadata[];
  /** How often each event is in the history. An event that never happened is absent. */
  readonly eventCounts: Readonly<Partial<Record<OrderEventName, number>>>;
  readonly mails: readonly (MailOfOrder & { readonly state: string })[];
  readonly shipments: readonly RecordedShipment[];
  readonly payments: readonly RecordedPayment[];
  readonly refunds: readonly RecordedRefund[];
  /** The fulfillment status without the effect of shipments. */
  readonly unshippedStatus: FulfillmentStatus;
}

/** Each decision about a placed order is one function, such as `shipOrder` or `cancelOrder`. */
export class PlacedOrder {
  constructor(readonly state: PlacedOrderState) {}

  get hasShipped(): boolean {
    return this.state.shipments.some(isShipped) || this.isShippedWhole;
  }

  get isHeld(): boolean {
    return this.state.heldReasons !== null;
  }

  get isHeldManually(): boolean {
    return this.state.heldReasons?.includes(MANUAL) ?? false;
  }

  /** Whether the customer's confirmation waits for the end of the review. */
  get isConfirmationHeld(): boolean {
    return this.state.mails.some(({ stage, state }) => stage === 'notify-customer' && state === 'held');
  }

  /** Whether refunds have credited everything that was owed. */
  get isCredited(): boolean {
    const { refunds, totalAmount } = this.state;
    return totalAmount > 0 && refunds.some(({ credited }) => credited > 0) && ledgerOf(this.state).owed === 0;
  }

  get isCancelled(): boolean {
    return this.state.fulfillmentStatus === 'CANCELLED';
  }

  /** Units that were not cancelled. */
  get keptUnits(): LineQuantity[] {
    return unitsBeyond(this.state.lines, this.cancelledUnits);
  }

  get unshippedUnits(): LineQuantity[] {
    return this.unitsOutside(this.state.shipments, isShipped);
  }

  /** Units that are in no shipment, not even in one that is being picked. */
  get unclaimedUnits(): LineQuantity[] {
    return this.unitsOutside(this.state.shipments, (shipment) => !isVoid(shipment));
  }

  get returnedUnits(): LineQuantity[] {
    return this.state.lines.map(({ line, returnedQuantity }) => ({ line, quantity: returnedQuantity }));
  }

  /** Units without a refund. */
  get unrefundedUnits(): LineQuantity[] {
    return unitsBeyond(this.state.lines, sumByLine(this.state.refunds.flatMap(({ lines }) => lines)));
  }

  /** Shipped units with a refund. */
  get refundedShippedUnits(): LineQuantity[] {
    return this.refundedUnits(({ quantity, cancelledQuantity }) => quantity - cancelledQuantity);
  }

  get unrefundedShippedUnits(): LineQuantity[] {
    return unitsBeyond(this.shippedUnits(), this.refundedShippedUnits);
  }

  /** Cancelled units without a refund. */
  get unrefundedCancelledUnits(): LineQuantity[] {
    return unitsBeyond(
      this.isCancelled ? this.state.lines : this.cancelledUnits,
      this.refundedUnits((refunded) => refunded.cancelledQuantity),
    );
  }

  /**
   * Shipped units that can still go back to bins: they have not come back, and no refund without `restock` covers them.
   */
  get returnableUnits(): LineQuantity[] {
    const kept = this.state.refunds
      .filter(({ restock }) => !restock)
      .flatMap(({ lines }) => lines)
      .map(({ line, quantity, cancelledQuantity }) => ({ line, quantity: quantity - cancelledQuantity }));
    // A refund covers the units that came back before it first.
    const restocked = this.state.refunds.filter(({ restock }) => restock).flatMap(({ lines }) => lines);
    const back = unitsBeyond(this.returnedUnits, sumByLine(restocked));
    const away = unitsBeyond(sumByLine(kept), back);
    return unitsBeyond(this.shippedUnits(), sumByLine([...this.returnedUnits, ...away]));
  }

  /** How much can still be refunded, in minor units. Another system may have refunded more than was paid. */
  get refundable(): number {
    const { paid, refunded } = ledgerOf(this.state);
    return Math.max(0, paid - refunded);
  }

  /** Returns the share in the total of those units that were neither cancelled nor refunded, in minor units. */
  shareOf(units: readonly LineQuantity[]): number {
    return shareOf(this.state, sumByLine(units), creditedUnitsOf(this.state));
  }

  shippedUnits(shipments: readonly RecordedShipment[] = this.state.shipments): LineQuantity[] {
    return unitsBeyond(this.keptUnits, this.unitsOutside(shipments, isShipped));
  }

  /** Returns the order as it would be after cancelling these units as well. @param amount the credit for them. */
  without(cancelled: readonly LineQuantity[], amount: number): PlacedOrder {
    const units = unitsByLine(cancelled);
    const lines = this.state.lines.map((line) => ({
      ...line,
      cancelledQuantity: line.cancelledQuantity + (units.get(line.line) ?? 0),
    }));
    return new PlacedOrder({ ...this.state, lines, cancelledAmount: this.state.cancelledAmount + amount });
  }

  withPayment(payment: RecordedPayment): PlacedOrder {
    return new PlacedOrder({ ...this.state, payments: [...this.state.payments, payment] });
  }

  withRefund(refund: RecordedRefund): PlacedOrder {
    return new PlacedOrder({ ...this.state, refunds: [...this.state.refunds, refund] });
  }

  /** Returns the order after the change, limited to what its amounts and taxes depend on. */
  after(change: OrderChange): PlacedOrder {
    const { status, fulfillmentStatus } = change;
    const { payments, refunds } = this.state;
    const [payment, refund, edited] = [
      effectOf(change, 'payment'),
      effectOf(change, 'refund'),
      effectOf(change, 'lines'),
    ];
    const { lines: cancelled = [], amount = 0 } = effectOf(change, 'cancelledUnits') ?? {};
    const fee = effectOf(change, 'cancellationFee');
    const { state } = this.without(cancelled, amount + (fee?.credited ?? 0));
    const changed = new Map(edited?.changed.map((line) => [line.line, line]));
    const { totalAmount, shippingAmount, shippingTax, isTaxIncluded } = edited ?? state;
    return new PlacedOrder({
      ...state,
      cancellationFee: fee?.amount ?? state.cancellationFee,
      ...{ status, fulfillmentStatus, totalAmount, shippingAmount, shippingTax, isTaxIncluded },
      lines: [
        ...state.lines.map((line) => ({ ...line, ...changed.get(line.line) })),
        ...this.addedLines(edited?.added ?? []),
      ],
      payments: payment ? [...payments, payment] : payments,
      refunds: refund ? [...refunds, refund] : refunds,
    });
  }

  /** Returns new lines with the state that they have once they follow the existing ones. */
  addedLines(added: readonly OrderLine[]): PlacedLine[] {
    return added.map(({ unitPrice, tax = [], discount = 0, ...line }, index) => {
      const units = { returnedQuantity: 0, cancelledQuantity: 0, binQuantity: line.quantity };
      const number = this.state.lines.length + index + 1;
      return { ...line, line: number, unitPrice: unitPrice.minor, tax, discount, ...units };
    });
  }

  /** Returns the ledger after the change. */
  ledgerAfter(change: OrderChange): OrderLedger {
    return ledgerOf(this.after(change).state);
  }

  shipmentsWith(shipment: RecordedShipment): RecordedShipment[] {
    return [...this.state.shipments.filter(({ reference }) => reference !== shipment.reference), shipment];
  }

  fulfillmentWith(shipments: readonly RecordedShipment[]): FulfillmentStatus {
    const { fulfillmentStatus, unshippedStatus } = this.state;
    if (!FULFILLMENT_STEPS.includes(fulfillmentStatus)) return fulfillmentStatus;
    const active = shipments.filter((shipment) => !isVoid(shipment));
    if (active.length === 0) return unshippedStatus;
    if (this.unitsOutside(shipments, isShipped).length > 0) return 'PROCESSING';
    return active.every(({ status }) => status === 'delivered') ? 'DELIVERED' : 'SHIPPED';
  }

  /**
   * @param requested null selects all shipped units that have not come back and have no refund without `restock`.
   * Without `to`, only those that came from bins are selected.
   * @param to null returns the units to the bins that they came from.
   * @throws UnitsWithoutBin, NotFound, ReturnExceedsShipment
   */
  unitsToReturn(requested: readonly LineQuantity[] | null, to: BinCodes | null): LineQuantity[] {
    if (!to) this.assertHasTakenStock();
    const returnable = this.returnableUnits;
    const possible = to ? returnable : this.withBins(returnable);
    const lines = sumByLine(requested ?? possible);
    this.assertLines(lines);
    if (!covers(returnable, lines)) throw new ReturnExceedsShipment(returnable);
    const isOfNoBin = lines.length === 0 && returnable.length > 0;
    if (isOfNoBin || !covers(possible, lines)) throw new UnitsWithoutBin();
    return lines;
  }

  /** Limits the units to those that came from bins and have not returned to one. */
  private withBins(units: readonly LineQuantity[]): LineQuantity[] {
    const inBins = new Map(
      this.state.lines.map(({ line, binQuantity, returnedQuantity }) => [line, binQuantity - returnedQuantity]),
    );
    return units
      .map(({ line, quantity }) => ({ line, quantity: Math.min(quantity, inBins.get(line) ?? 0) }))
      .filter(({ quantity }) => quantity > 0);
  }

  unchanged(): OrderChange {
    const { status, fulfillmentStatus } = this.state;
    return { status, fulfillmentStatus, events: [], effects: [] };
  }

  /** Returns no change when the same request is repeated. @throws taken when it is a different request. */
  repeated(existing: Repeatable, { requestHash }: Repeatable, taken: DomainError): OrderChange {
    const known = existing.requestHash;
    if (known === '' || !requestHash.startsWith(known)) throw taken;
    return this.unchanged();
  }

  /**
   * A fulfillment that skips steps records all of them, and a failed or cancelled payment becomes pending again before
   * it succeeds.
   * @param reference the shipment, payment or refund that causes the change; `''` for none.
   */
  statusEventsTo(after: OrderState, reference = ''): OrderEvent[] {
    const { status, fulfillmentStatus } = this.state;
    const isUnpaid = status === 'PENDING' || status === 'FAILED' || status === 'CANCELLED';
    const isPaid = after.status === 'SUCCEEDED' || after.status === 'REFUNDED';
    const payment: PaymentStatus[] = [
      status,
      ...(isUnpaid && status !== 'PENDING' && isPaid ? (['PENDING'] as const) : []),
      ...(isUnpaid && after.status === 'REFUNDED' ? (['SUCCEEDED'] as const) : []),
      after.status,
    ];
    const first = FULFILLMENT_STEPS.indexOf(fulfillmentStatus);
    const last = FULFILLMENT_STEPS.indexOf(after.fulfillmentStatus);
    const fulfillment =
      first >= 0 && last > first
        ? FULFILLMENT_STEPS.slice(first, last + 1)
        : [fulfillmentStatus, after.fulfillmentStatus];
    return [
      ...statusEvents('status', payment, reference),
      ...statusEvents('fulfillmentStatus', fulfillment, reference),
    ];
  }

  assertNothingShipped(tooLate: DomainError = new CancelledTooLate()): void {
    if (this.hasShipped) throw tooLate;
    this.assertNothingPicked();
  }

  assertNothingPicked(): void {
    if (this.state.shipments.some(({ status }) => status === 'picking')) throw this.beingPicked();
  }

  assertHasTakenStock(): void {
    if (!this.state.hasTakenStock) throw new UnitsWithoutBin();
  }

  /** @throws NotFound for a line that the order does not have. */
  assertLines(lines: readonly Pick<LineQuantity, 'line'>[]): void {
    const existing = new Set(this.state.lines.map(({ line }) => line));
    const unknown = lines.find(({ line }) => !existing.has(line));
    if (unknown) throw new NotFound(`Line ${unknown.line}`);
  }

  beingPicked(): DomainError {
    const picking = this.state.shipments.filter(({ status }) => status === 'picking');
    return new BeingPicked(picking.map(({ reference }) => reference));
  }

  /** @throws NotFound, AlreadyShipped, BeingPicked unless all units are left to ship and in no shipment. */
  assertUnclaimed(units: readonly LineQuantity[]): void {
    const { unshippedUnits, unclaimedUnits } = this;
    this.assertLines(units);
    // @protects given-up-units
    if (!covers(unshippedUnits, units)) throw new AlreadyShipped(unshippedUnits);
    if (!covers(unclaimedUnits, units)) throw this.beingPicked();
  }

  private get cancelledUnits(): LineQuantity[] {
    return this.state.lines.map(({ line, cancelledQuantity }) => ({ line, quantity: cancelledQuantity }));
  }

  private refundedUnits(quantityOf: (units: RefundedUnits) => number): LineQuantity[] {
    const refunded = this.state.refunds.flatMap(({ lines }) => lines);
    return sumByLine(refunded.map((units) => ({ line: units.line, quantity: quantityOf(units) })));
  }

  private get isShippedWhole(): boolean {
    return isShippedWhole(this.state.fulfillmentStatus, this.state.shipments);
  }

  private unitsOutside(
    shipments: readonly RecordedShipment[],
    counts: (shipment: RecordedShipment) => boolean,
  ): LineQuantity[] {
    if (this.isShippedWhole && shipments.every(isVoid)) return [];
    return unitsBeyond(this.keptUnits, sumByLine(shipments.filter(counts).flatMap(({ items }) => items)));
  }
}
