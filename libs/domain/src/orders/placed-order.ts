import {
  AlreadyShipped,
  BeingPicked,
  CancelledTooLate,
  NotFound,
  ReturnExceedsShipment,
  UnitsWithoutBin,
} from '../errors.js';
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
  /** Null only in an imported order. */
  readonly productId: number | null;
  readonly variantId: number | null;
  readonly unitPrice: number;
  readonly returnedQuantity: number;
  /** Units that were given up before they shipped. */
  readonly cancelledQuantity: number;
  /** Units that came from bins: none of an imported order, fewer of a sale of a till that was short. */
  readonly binQuantity: number;
}

/** The amounts are in minor units of `currency`. Imported orders may owe a negative amount. */
export interface PlacedOrderState extends OrderState, ChargedAmounts, OrderTerms {
  /** What the books have of its credits, in their sequence. */
  readonly credits: readonly BookedCredit[];
  /** Whether this service has placed it. */
  readonly isPlaced: boolean;
  readonly createdAt: Date;
  /** The credit for units that were given up, in minor units. */
  readonly cancelledAmount: number;
  /** What stayed owed when the order was cancelled, in minor units; null = nothing. */
  readonly cancellationFee: number | null;
  readonly currency: string;
  readonly contact: BilledContact;
  /** Why the order is under review: codes of rules, or `manual`. Null = it is not. */
  readonly heldReasons: readonly string[] | null;
  /** An imported order has taken none from bins. */
  readonly hasTakenStock: boolean;
  readonly lines: readonly PlacedLine[];
  readonly metadata: Metadata;
  /** Lines without metadata are absent. */
  readonly lineMetadata: readonly LineMetadata[];
  /** How often each event is in the history; absent = never. */
  readonly eventCounts: Readonly<Partial<Record<OrderEventName, number>>>;
  readonly mails: readonly (MailOfOrder & { readonly state: string })[];
  readonly shipments: readonly RecordedShipment[];
  readonly payments: readonly RecordedPayment[];
  readonly refunds: readonly RecordedRefund[];
  /** The fulfillment status without shipments. */
  readonly unshippedStatus: FulfillmentStatus;
}

/** Each decision about a placed order is one function: `shipOrder`, `cancelOrder`, … */
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

  /** Whether nothing is owed for it because of refunds. */
  get isCredited(): boolean {
    const { refunds, totalAmount } = this.state;
    return totalAmount > 0 && refunds.some(({ credited }) => credited > 0) && ledgerOf(this.state).owed === 0;
  }

  get isCancelled(): boolean {
    return this.state.fulfillmentStatus === 'CANCELLED';
  }

  /** Units that were not given up. */
  get keptUnits(): LineQuantity[] {
    return unitsBeyond(this.state.lines, this.cancelledUnits);
  }

  get unshippedUnits(): LineQuantity[] {
    return this.unitsOutside(this.state.shipments, isShipped);
  }

  /** Units that no shipment has, not even one that is being picked. */
  get unclaimedUnits(): LineQuantity[] {
    return this.unitsOutside(this.state.shipments, (shipment) => !isVoid(shipment));
  }

  get returnedUnits(): LineQuantity[] {
    return this.state.lines.map(({ line, returnedQuantity }) => ({ line, quantity: returnedQuantity }));
  }

  /** Units that no refund has been for. */
  get unrefundedUnits(): LineQuantity[] {
    return unitsBeyond(this.state.lines, sumByLine(this.state.refunds.flatMap(({ lines }) => lines)));
  }

  /** Shipped units that a refund has been for. */
  get refundedShippedUnits(): LineQuantity[] {
    return this.refundedUnits(({ quantity, cancelledQuantity }) => quantity - cancelledQuantity);
  }

  get unrefundedShippedUnits(): LineQuantity[] {
    return unitsBeyond(this.shippedUnits(), this.refundedShippedUnits);
  }

  /** Units that were given up, and that no refund has been for. */
  get unrefundedCancelledUnits(): LineQuantity[] {
    return unitsBeyond(
      this.isCancelled ? this.state.lines : this.cancelledUnits,
      this.refundedUnits((refunded) => refunded.cancelledQuantity),
    );
  }

  /** Shipped units that can still go back to bins: they have not, and no refund was for them without `restock`. */
  get returnableUnits(): LineQuantity[] {
    const kept = this.state.refunds
      .filter(({ restock }) => !restock)
      .flatMap(({ lines }) => lines)
      .map(({ line, quantity, cancelledQuantity }) => ({ line, quantity: quantity - cancelledQuantity }));
    // Units that came back before a refund count for it first.
    const restocked = this.state.refunds.filter(({ restock }) => restock).flatMap(({ lines }) => lines);
    const back = unitsBeyond(this.returnedUnits, sumByLine(restocked));
    const away = unitsBeyond(sumByLine(kept), back);
    return unitsBeyond(this.shippedUnits(), sumByLine([...this.returnedUnits, ...away]));
  }

  /** What can still be refunded, in minor units. Another system may have refunded more than was paid. */
  get refundable(): number {
    const { paid, refunded } = ledgerOf(this.state);
    return Math.max(0, paid - refunded);
  }

  /** The share in the total of units that have been neither given up nor refunded, in minor units. */
  shareOf(units: readonly LineQuantity[]): number {
    return shareOf(this.state, sumByLine(units), creditedUnitsOf(this.state));
  }

  shippedUnits(shipments: readonly RecordedShipment[] = this.state.shipments): LineQuantity[] {
    return unitsBeyond(this.keptUnits, this.unitsOutside(shipments, isShipped));
  }

  /** The order once it has given up these units as well. @param amount the credit for them. */
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

  /** The order once the change is made, as far as its amounts and its taxes depend on it. */
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

  /** Further lines, as they are once they follow the present ones. */
  addedLines(added: readonly OrderLine[]): PlacedLine[] {
    return added.map(({ unitPrice, tax = [], discount = 0, ...line }, index) => {
      const units = { returnedQuantity: 0, cancelledQuantity: 0, binQuantity: line.quantity };
      const number = this.state.lines.length + index + 1;
      return { ...line, line: number, unitPrice: unitPrice.minor, tax, discount, ...units };
    });
  }

  /** The amounts once the change is made. */
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
   * @param requested null = all that were shipped, have not come back, and are not refunded without `restock`; without `to`,
   *   those of them that came from bins.
   * @param to null = the bins that they came from.
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

  /** Returns as many of the units as came from bins and have not returned to one. */
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

  /** The same request again changes nothing. @throws taken when it is another request. */
  repeated(existing: Repeatable, { requestHash }: Repeatable, taken: DomainError): OrderChange {
    const known = existing.requestHash;
    if (known === '' || !requestHash.startsWith(known)) throw taken;
    return this.unchanged();
  }

  /**
   * A fulfillment that skips steps makes them all, and a failed or cancelled payment is pending again before it succeeds.
   * @param reference the shipment, payment or refund from which the change follows; `''` for none.
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

  /** @throws NotFound, AlreadyShipped, BeingPicked unless they are all left to ship, and in no shipment. */
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
