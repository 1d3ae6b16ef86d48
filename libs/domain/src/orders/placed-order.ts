import {
  AlreadyShipped,
  BeingPicked,
  CancelledTooLate,
  DeliveredTooEarly,
  IllegalTransition,
  NotFound,
  NotHeld,
  OrderCancelled,
  OrderHeld,
  PaidAmountMismatch,
  PaymentReferenceTaken,
  PaymentsTooLarge,
  RefundExceedsLine,
  RefundExceedsPayment,
  RefundReferenceTaken,
  ReturnExceedsShipment,
  ShipmentReferenceTaken,
  ShipmentVoid,
  StaleStatus,
  UnitsLeftToShip,
  UnitsWithoutBin,
} from '../errors.js';
import type { DomainError } from '../shared/domain-error.js';
import type { LineQuantity } from './line-quantity.js';
import type { OrderEvent } from './order-event.js';
import {
  cancelState,
  changeState,
  FULFILLMENT_TRANSITIONS,
  PAYMENT_TRANSITIONS,
  type FulfillmentStatus,
  type OrderState,
  type PaymentStatus,
} from './order-status.js';
import { assertPaidInFull } from './paid-amount.js';

export const SHIPMENT_STATUSES = ['picking', 'shipped', 'delivered', 'void'] as const;
export type ShipmentStatus = (typeof SHIPMENT_STATUSES)[number];

const SHIPMENT_TRANSITIONS: Record<ShipmentStatus, readonly ShipmentStatus[]> = {
  picking: ['shipped', 'void'],
  shipped: ['delivered', 'void'],
  delivered: [],
  void: [],
};

/** What a client may set by a transition: the other moves follow from shipments, payments and refunds. */
export const TRANSITION_TARGETS = ['PENDING', 'FAILED', 'CONFIRMED', 'RETURNED'] as const;

/** The way to the customer. A shipment that skips steps makes them all. */
const WAY: readonly FulfillmentStatus[] = ['PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED', 'DELIVERED'];

/** How a parcel travels. `''` for an absent value. */
export interface Tracking {
  readonly carrier: string;
  readonly trackingNumber: string;
  readonly trackingUrl: string;
}

export interface Shipment extends Tracking {
  /** Unique in the order for ever. */
  readonly reference: string;
  readonly status: ShipmentStatus;
  /** By line. */
  readonly items: readonly LineQuantity[];
  /** Null until it is shipped. */
  readonly shippedAt: Date | null;
  readonly deliveredAt: Date | null;
}

/** A payment or a refund. */
export interface MoneyRecord {
  /** Unique among the payments, or the refunds, of the order for ever. */
  readonly reference: string;
  /** In minor units of the order's currency. */
  readonly amount: number;
  readonly at: Date;
}

/**
 * Identifies the content of a request: the same request again is not another one. Once its person is erased, only the
 * first character is known, and of an imported record nothing.
 */
interface Repeatable {
  readonly requestHash: string;
}

export type KnownShipment = Shipment & Repeatable & { readonly notify: boolean };
export type KnownMoney = Omit<MoneyRecord, 'at'> & Repeatable;

/** A placed order, with all that decides about its next change. */
export interface PlacedOrderState extends OrderState {
  /** The amount owed, in minor units of `currency`. Imported orders may have a negative one. */
  readonly totalAmount: number;
  readonly currency: string;
  /** Whether it is under review. */
  readonly isHeld: boolean;
  /** Whether its units came from bins; an imported order has taken none. */
  readonly hasTakenStock: boolean;
  readonly lines: readonly (LineQuantity & { readonly returned: number })[];
  readonly shipments: readonly KnownShipment[];
  readonly payments: readonly KnownMoney[];
  readonly refunds: readonly KnownMoney[];
  /** The fulfillment status without shipments. */
  readonly unshippedStatus: FulfillmentStatus;
}

export interface ShipmentRequest extends Tracking, Repeatable {
  readonly reference: string;
  /** Null = all that is left. */
  readonly items: readonly LineQuantity[] | null;
  readonly status: 'picking' | 'shipped';
  /** Null = now. */
  readonly shippedAt: Date | null;
  /** Whether the customer gets a mail when it is shipped. */
  readonly notify: boolean;
}

/** What changes of a shipment; absent fields stay. */
export interface ShipmentPatch extends Partial<Tracking> {
  readonly status?: 'shipped' | 'delivered' | 'void';
  /** When it was shipped or delivered; null = now. */
  readonly at: Date | null;
}

export interface Cancellation {
  readonly reason: string;
  /** Whether the units go back to their bins; null = those that came from bins. */
  readonly restock: boolean | null;
  readonly notify: boolean;
}

export interface Transition {
  readonly field: 'status' | 'fulfillment_status';
  readonly expected: string;
  readonly to: string;
  /** For RETURNED: whether units go back to their bins. */
  readonly restock: boolean;
  /** Which units go back; null = all that were shipped and have not come back. */
  readonly lines: readonly LineQuantity[] | null;
}

export interface PaymentRequest extends Repeatable {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  /** Null = now. */
  readonly at: Date | null;
}

export interface RefundRequest extends Repeatable {
  readonly reference: string;
  readonly amount: number;
  /** What the money is for; null = nothing in particular. */
  readonly lines: readonly LineQuantity[] | null;
  /** Whether the lines, or all shipped units without them, go back to their bins. */
  readonly restock: boolean;
  readonly notify: boolean;
  /** Null = now. */
  readonly at: Date | null;
}

/** The mails about a change of an order. */
export type ChangeMail = 'notify-shipment' | 'notify-cancellation' | 'notify-refund';

/** A change of an order. Without events, nothing changes. */
export interface OrderChange extends OrderState {
  readonly events: readonly OrderEvent[];
  /** A shipment as it is afterwards. A time that is null for its status is now. */
  readonly shipment?: KnownShipment;
  readonly payment?: KnownMoney & { readonly at: Date | null };
  readonly refund?: KnownMoney & { readonly at: Date | null };
  /** Units that go back to their bins. They have not left in a cancellation. */
  readonly restock?: { readonly kind: 'CANCELLATION' | 'RETURN'; readonly lines: readonly LineQuantity[] };
  readonly review?: 'released' | 'abandoned';
  readonly mail?: { readonly stage: ChangeMail; readonly reference: string };
  /** The change is refused, and its events are kept. */
  readonly refusal?: DomainError;
}

/** Decides about the changes of a placed order. Has no side effects. */
export class PlacedOrder {
  constructor(private readonly state: PlacedOrderState) {}

  /**
   * Adds a shipment. The same request again changes nothing. A refusal for want of units, or because the order is held or
   * cancelled, is recorded: the parcel may have left.
   *
   * @throws ShipmentReferenceTaken when another request, or a void shipment, has the reference.
   * @throws BeingPicked
   * @throws NotFound for a line that the order does not have.
   */
  ship(request: ShipmentRequest): OrderChange {
    const { reference, status, shippedAt, items: wanted, ...rest } = request;
    const known = this.state.shipments.find((shipment) => shipment.reference === reference);
    if (known?.status === 'void') throw new ShipmentVoid();
    if (known) return this.repeated(known, request, new ShipmentReferenceTaken());
    const given = wanted && { items: wanted };
    if (this.state.isHeld) return this.shipmentRefused(reference, new OrderHeld(), { ...given });
    if (this.state.fulfillmentStatus === 'CANCELLED') {
      return this.shipmentRefused(reference, new OrderCancelled(), { ...given });
    }

    const unclaimed = this.left(({ status }) => status !== 'void');
    const unshipped = this.left(isShipped);
    const items = sumByLine(wanted ?? unclaimed);
    this.assertLines(items);
    if (items.length === 0 ? unshipped.length === 0 : !covers(unshipped, items)) {
      return this.shipmentRefused(reference, new AlreadyShipped(unshipped), { ...given, left: unshipped });
    }
    if (items.length === 0 || !covers(unclaimed, items)) throw this.beingPicked();

    const shippedOn = status === 'shipped' ? shippedAt : null;
    const shipment = { ...rest, reference, status, items, shippedAt: shippedOn, deliveredAt: null };
    return this.withShipment(shipment, [event('shipment_created', reference, { status, items })], status === 'shipped');
  }

  /**
   * Changes a shipment. A void shipment gives its units back to the order.
   *
   * @throws NotFound when there is no such shipment.
   * @throws IllegalTransition
   * @throws DeliveredTooEarly
   */
  changeShipment(reference: string, { status, at, ...tracking }: ShipmentPatch): OrderChange {
    const before = this.state.shipments.find((shipment) => shipment.reference === reference);
    if (!before) throw new NotFound('Shipment');
    const moves = status !== undefined && status !== before.status;
    const hasComeBack = this.state.fulfillmentStatus === 'RETURNED';
    // Units that came back have been with the customer; those that are being picked have not.
    const stays = hasComeBack && before.status !== 'picking';
    const possible = SHIPMENT_TRANSITIONS[before.status].filter((to) => !(stays && to === 'void'));
    if (moves && !possible.includes(status)) throw new IllegalTransition('shipment', before.status, status, possible);
    const { shippedAt } = before;
    if (moves && status === 'delivered' && at && shippedAt && at < shippedAt) throw new DeliveredTooEarly(shippedAt);
    const changed = Object.entries(tracking).filter(([name, value]) => before[name as keyof Tracking] !== value);
    if (!moves && changed.length === 0) return this.unchanged();

    const after = {
      ...before,
      ...Object.fromEntries(changed),
      ...(moves && { status }),
      ...(moves && status === 'shipped' && { shippedAt: at }),
      ...(moves && status === 'delivered' && { deliveredAt: at }),
    };
    if (after.status === 'void' && !covers(this.shippedBy(this.with(after)), this.returned)) {
      throw new IllegalTransition('shipment', before.status, 'void', ['delivered']);
    }

    const fields = changed.map(([name]) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    const details = {
      ...(moves && { from: before.status, to: status }),
      ...(fields.length > 0 && { changed: fields }),
    };
    const events = [event('shipment_changed', reference, details)];
    if (!moves) return { ...this.unchanged(), events, shipment: after };
    return this.withShipment(after, events, status === 'shipped');
  }

  /**
   * Cancels the order before anything of it ships. A cancelled order stays as it is.
   *
   * @throws CancelledTooLate, BeingPicked, UnitsWithoutBin
   */
  cancel({ reason, restock, notify }: Cancellation): OrderChange {
    if (this.state.fulfillmentStatus === 'CANCELLED') return this.unchanged();
    this.assertNothingShipped();
    if (restock) this.assertHasTakenStock();
    const returns = restock ?? this.state.hasTakenStock;
    return this.cancelled(cancelState(this.state), { ...(reason && { reason }), restock: returns }, notify, returns);
  }

  /**
   * Moves one status, as a client does.
   *
   * @throws StaleStatus when the status is another one than the client expects.
   * @throws IllegalTransition
   * @throws NotFound for a line that the order does not have.
   * @throws BeingPicked, ReturnExceedsShipment, UnitsWithoutBin
   */
  move({ field, expected, to, restock, lines }: Transition): OrderChange {
    const isPayment = field === 'status';
    const present = isPayment ? this.state.status : this.state.fulfillmentStatus;
    const next: readonly string[] = isPayment
      ? PAYMENT_TRANSITIONS[this.state.status]
      : FULFILLMENT_TRANSITIONS[this.state.fulfillmentStatus];
    const possible = next.filter((status) => (TRANSITION_TARGETS as readonly string[]).includes(status));
    if (present !== expected) throw new StaleStatus(field, present, possible);
    if (!possible.includes(to)) {
      throw new IllegalTransition(isPayment ? 'payment' : 'fulfillment', present, to, possible);
    }
    const change = isPayment ? { status: to as PaymentStatus } : { fulfillmentStatus: to as FulfillmentStatus };
    const moved = this.set(change);
    if (to !== 'RETURNED' || !restock) return moved;
    const back = this.returnable(lines);
    const events = moved.events.map((step) => ({ ...step, details: { restocked: back } }));
    return { ...moved, events, restock: { kind: 'RETURN', lines: back } };
  }

  /**
   * Sets statuses, as an operator does. Confirming ends the review; cancelling the fulfillment returns the stock. REFUNDED
   * records the rest of the payment as a refund.
   *
   * @throws IllegalTransition
   * @throws UnitsLeftToShip when the fulfillment is SHIPPED or DELIVERED, and the shipments lack units.
   * @throws CancelledTooLate when the fulfillment is cancelled.
   * @throws BeingPicked when the fulfillment is cancelled or comes back.
   */
  set(change: Partial<OrderState>): OrderChange {
    const after = changeState(this.state, change);
    if (change.fulfillmentStatus === 'CANCELLED') {
      this.assertNothingShipped();
      const restock = this.state.hasTakenStock;
      return this.cancelled(after, { restock }, false, restock);
    }
    if (change.fulfillmentStatus === 'RETURNED') this.assertNothingPicked();
    if (change.fulfillmentStatus === 'SHIPPED' || change.fulfillmentStatus === 'DELIVERED') this.assertNothingLeft();
    const { status, fulfillmentStatus } = after;
    const released = this.state.isHeld && change.fulfillmentStatus === 'CONFIRMED';
    const amount = change.status === 'REFUNDED' ? this.refundable : 0;
    const refund = amount > 0 ? { reference: this.refundReference, amount, at: null, requestHash: '' } : null;
    return {
      status,
      fulfillmentStatus,
      events: [
        ...(released ? [event('released')] : []),
        ...(refund ? [event('refund_recorded', refund.reference, { amount })] : []),
        ...this.stepsTo(after, ''),
      ],
      ...(released && { review: 'released' as const }),
      ...(refund && { refund }),
    };
  }

  /**
   * Ends the review of the order.
   *
   * @throws OrderCancelled, NotHeld
   */
  release(): OrderChange {
    if (this.state.fulfillmentStatus === 'CANCELLED') throw new OrderCancelled();
    if (!this.state.isHeld) throw new NotHeld();
    return { ...this.unchanged(), events: [event('released')], review: 'released' };
  }

  /**
   * Records a payment of the whole total. Another amount is refused, and the refusal is recorded. The payment of an order
   * that is cancelled, paid or refunded is recorded as well: it must be refunded.
   *
   * @throws PaymentReferenceTaken when another request has the reference.
   * @throws PaymentsTooLarge
   */
  pay(request: PaymentRequest): OrderChange {
    const { reference, amount, currency, at, requestHash } = request;
    const known = this.state.payments.find((payment) => payment.reference === reference);
    if (known) return this.repeated(known, request, new PaymentReferenceTaken());
    const { totalAmount, currency: owedIn, status, fulfillmentStatus } = this.state;
    try {
      assertPaidInFull({ minor: amount, currency }, { minor: totalAmount, currency: owedIn });
    } catch (error) {
      if (!(error instanceof PaidAmountMismatch)) throw error;
      const details = { amount, currency, total_amount: totalAmount };
      return { ...this.unchanged(), events: [event('payment_refused', reference, details)], refusal: error };
    }
    if (sum(this.state.payments) + amount > Number.MAX_SAFE_INTEGER) throw new PaymentsTooLarge();
    const settles = status === 'PENDING' || status === 'FAILED';
    const after = { status: settles ? 'SUCCEEDED' : status, fulfillmentStatus } as const;
    const refundDue = refundDueOf({ ...this.state, ...after, payments: [...this.state.payments, request] });
    const recorded = event('payment_recorded', reference, { amount, ...(refundDue > 0 && { refund_due: refundDue }) });
    return {
      ...after,
      events: [recorded, ...this.stepsTo(after, reference)],
      payment: { reference, amount, at, requestHash },
    };
  }

  /**
   * Records a refund. Refunds of all that was paid make the order REFUNDED. One of 0 only returns units.
   *
   * @throws RefundReferenceTaken when another request has the reference.
   * @throws RefundExceedsPayment, RefundExceedsLine
   * @throws NotFound for a line that the order does not have.
   * @throws ReturnExceedsShipment, UnitsWithoutBin
   */
  refund(request: RefundRequest): OrderChange {
    const { reference, amount, at, requestHash, lines, restock, notify } = request;
    const known = this.state.refunds.find((refund) => refund.reference === reference);
    if (known) return this.repeated(known, request, new RefundReferenceTaken());
    const left = this.refundable;
    if (amount > left) throw new RefundExceedsPayment(left);
    if (lines) this.assertOrdered(lines);
    const back = restock ? this.returnable(lines) : undefined;

    const { status, fulfillmentStatus } = this.state;
    const isAll = amount > 0 && amount === left && status === 'SUCCEEDED';
    const after = { status: isAll ? 'REFUNDED' : status, fulfillmentStatus } as const;
    const details = { amount, ...(lines && { items: lines }), ...(back && { restocked: back }) };
    return {
      ...after,
      events: [event('refund_recorded', reference, details), ...this.stepsTo(after, reference)],
      refund: { reference, amount, at, requestHash },
      ...(back && { restock: { kind: 'RETURN', lines: back } }),
      ...(notify && amount > 0 && { mail: { stage: 'notify-refund', reference } }),
    };
  }

  private unchanged(): OrderChange {
    const { status, fulfillmentStatus } = this.state;
    return { status, fulfillmentStatus, events: [] };
  }

  private repeated(known: Repeatable, { requestHash }: Repeatable, taken: DomainError): OrderChange {
    if (known.requestHash === '' || !requestHash.startsWith(known.requestHash)) throw taken;
    return this.unchanged();
  }

  private shipmentRefused(reference: string, refusal: DomainError, details: object): OrderChange {
    const recorded = event('shipment_refused', reference, { code: refusal.code, ...details });
    return { ...this.unchanged(), events: [recorded], refusal };
  }

  private withShipment(shipment: KnownShipment, events: readonly OrderEvent[], ships: boolean): OrderChange {
    const { reference } = shipment;
    const { status, fulfillmentStatus: present } = this.state;
    const reached = this.fulfillmentWith(this.with(shipment));
    // An operator may have said that the order is further. Only a void shipment takes it back.
    const isBehind = shipment.status !== 'void' && WAY.indexOf(reached) < WAY.indexOf(present);
    const after = { status, fulfillmentStatus: isBehind ? present : reached };
    return {
      ...after,
      events: [...events, ...this.stepsTo(after, reference)],
      shipment,
      ...(ships && shipment.notify && { mail: { stage: 'notify-shipment', reference } }),
    };
  }

  /** The shipments after the change of one, or with a new one. */
  private with(shipment: KnownShipment): KnownShipment[] {
    return [...this.state.shipments.filter(({ reference }) => reference !== shipment.reference), shipment];
  }

  /** The fulfillment status that follows from the shipments. */
  private fulfillmentWith(shipments: readonly KnownShipment[]): FulfillmentStatus {
    const { fulfillmentStatus, unshippedStatus } = this.state;
    if (!WAY.includes(fulfillmentStatus)) return fulfillmentStatus;
    const active = shipments.filter(({ status }) => status !== 'void');
    if (active.length === 0) return unshippedStatus;
    if (this.leftAfter(shipments, isShipped).length > 0) return 'PROCESSING';
    return active.every(({ status }) => status === 'delivered') ? 'DELIVERED' : 'SHIPPED';
  }

  /** The events of each status that changes, step by step on the way to the customer. */
  private stepsTo(after: OrderState, reference: string): OrderEvent[] {
    const { status, fulfillmentStatus } = this.state;
    const [from, to] = [WAY.indexOf(fulfillmentStatus), WAY.indexOf(after.fulfillmentStatus)];
    const way = from >= 0 && to > from ? WAY.slice(from, to + 1) : [fulfillmentStatus, after.fulfillmentStatus];
    // A payment that failed is pending again before it succeeds.
    const retried = status === 'FAILED' && after.status === 'SUCCEEDED';
    const payment: PaymentStatus[] = retried ? [status, 'PENDING', after.status] : [status, after.status];
    return [...stepsOf('status', payment, reference), ...stepsOf('fulfillment_status', way, reference)];
  }

  private cancelled(after: OrderState, details: object, notify: boolean, restock: boolean): OrderChange {
    const { status, fulfillmentStatus } = after;
    const { isHeld } = this.state;
    return {
      status,
      fulfillmentStatus,
      events: [event('cancelled', '', { ...details }), ...this.stepsTo(after, '')],
      ...(restock && { restock: { kind: 'CANCELLATION' as const, lines: this.state.lines } }),
      // Who was not told of the order is not told of its end.
      ...(isHeld && { review: 'abandoned' as const }),
      ...(notify && !isHeld && { mail: { stage: 'notify-cancellation' as const, reference: '' } }),
    };
  }

  private assertNothingShipped(): void {
    if (this.state.shipments.some(isShipped) || this.isShippedWhole) {
      throw new CancelledTooLate();
    }
    this.assertNothingPicked();
  }

  private assertNothingPicked(): void {
    if (this.state.shipments.some(({ status }) => status === 'picking')) throw this.beingPicked();
  }

  /** An order without shipments leaves as a whole. */
  private assertNothingLeft(): void {
    const left = this.left(isShipped);
    if (!this.state.shipments.every(isVoid) && left.length > 0) throw new UnitsLeftToShip(left);
  }

  /** Another system may have refunded more than was paid. */
  private get refundable(): number {
    return Math.max(0, paidOf(this.state) - sum(this.state.refunds));
  }

  /** A reference for a refund that an operator records by its status: one that no client has given. */
  private get refundReference(): string {
    const taken = new Set(this.state.refunds.map(({ reference }) => reference));
    let reference = 'REFUNDED';
    for (let n = 2; taken.has(reference); n++) reference = `REFUNDED-${n}`;
    return reference;
  }

  private assertHasTakenStock(): void {
    if (!this.state.hasTakenStock) throw new UnitsWithoutBin();
  }

  private beingPicked(): DomainError {
    const picking = this.state.shipments.filter(({ status }) => status === 'picking');
    return new BeingPicked(picking.map(({ reference }) => reference));
  }

  /** @throws NotFound for a line that the order does not have. */
  private assertLines(lines: readonly LineQuantity[]): void {
    const known = new Set(this.state.lines.map(({ line }) => line));
    const unknown = lines.find(({ line }) => !known.has(line));
    if (unknown) throw new NotFound(`Line ${unknown.line}`);
  }

  /** @throws NotFound, RefundExceedsLine */
  private assertOrdered(lines: readonly LineQuantity[]): void {
    this.assertLines(lines);
    const [beyond] = minus(sumByLine(lines), this.state.lines);
    const ordered = beyond && this.state.lines.find(({ line }) => line === beyond.line);
    if (ordered) throw new RefundExceedsLine(ordered);
  }

  /** Units that the shipments do not contain, by line. */
  private left(counts: (shipment: KnownShipment) => boolean): LineQuantity[] {
    return this.leftAfter(this.state.shipments, counts);
  }

  private leftAfter(shipments: readonly KnownShipment[], counts: (shipment: KnownShipment) => boolean): LineQuantity[] {
    if (this.isShippedWhole && shipments.every(isVoid)) return [];
    const used = sumByLine(shipments.filter(counts).flatMap(({ items }) => items));
    return minus(this.state.lines, used);
  }

  private get isShippedWhole(): boolean {
    return isShippedWhole(this.state.fulfillmentStatus, this.state.shipments);
  }

  private shippedBy(shipments: readonly KnownShipment[]): LineQuantity[] {
    return minus(this.state.lines, this.leftAfter(shipments, isShipped));
  }

  private get returned(): LineQuantity[] {
    return this.state.lines.map(({ line, returned }) => ({ line, quantity: returned }));
  }

  /** @throws UnitsWithoutBin, NotFound, ReturnExceedsShipment */
  private returnable(wanted: readonly LineQuantity[] | null): LineQuantity[] {
    this.assertHasTakenStock();
    const back = minus(this.shippedBy(this.state.shipments), this.returned);
    const lines = sumByLine(wanted ?? back);
    this.assertLines(lines);
    if (!covers(back, lines)) throw new ReturnExceedsShipment(back);
    return lines;
  }
}

/** What decides about the money of an order. */
interface MoneyState {
  readonly status: string;
  readonly totalAmount: number;
  readonly payments: readonly Pick<MoneyRecord, 'amount'>[];
}

/**
 * What was paid, in minor units. An operator or another system may have set an order as paid, and then as refunded, without
 * a record.
 */
export function paidOf({ status, totalAmount, payments }: MoneyState): number {
  return Math.max(sum(payments), status === 'SUCCEEDED' || status === 'REFUNDED' ? totalAmount : 0);
}

/** What must be paid back, in minor units: all that was paid of a cancelled order, and what exceeds the total of another. */
export function refundDueOf(
  order: MoneyState & {
    readonly fulfillmentStatus: string;
    readonly refunds: readonly Pick<MoneyRecord, 'amount'>[];
  },
): number {
  const { status, fulfillmentStatus, totalAmount, refunds } = order;
  const isRefunded = status === 'REFUNDED';
  const refunded = Math.max(sum(refunds), isRefunded ? totalAmount : 0);
  const kept = fulfillmentStatus === 'CANCELLED' || status === 'CANCELLED' || isRefunded ? 0 : totalAmount;
  return Math.max(0, paidOf(order) - refunded - Math.max(0, kept));
}

/** Whether an order has left as a whole, without shipments: an operator or another system said so. */
export function isShippedWhole(status: string, shipments: readonly Pick<Shipment, 'status'>[]): boolean {
  return ['SHIPPED', 'DELIVERED', 'RETURNED'].includes(status) && shipments.every(isVoid);
}

function isVoid({ status }: Pick<Shipment, 'status'>): boolean {
  return status === 'void';
}

function isShipped({ status }: Pick<Shipment, 'status'>): boolean {
  return status === 'shipped' || status === 'delivered';
}

function event(name: OrderEvent['event'], reference = '', details: OrderEvent['details'] = {}): OrderEvent {
  return { event: name, field: null, from: null, to: null, reference, details };
}

function stepsOf(field: 'status' | 'fulfillment_status', way: readonly string[], reference: string): OrderEvent[] {
  return way.slice(1).flatMap((to, index) => {
    const from = way[index] ?? '';
    return from === to ? [] : [{ event: 'status_changed' as const, field, from, to, reference, details: {} }];
  });
}

function sum(records: readonly { readonly amount: number }[]): number {
  return records.reduce((total, { amount }) => total + amount, 0);
}

/** The shipped units by line, without lines of which none is shipped. */
export function shippedUnitsOf(shipments: readonly Pick<Shipment, 'status' | 'items'>[]): Map<number, number> {
  return unitsByLine(shipments.filter(isShipped).flatMap(({ items }) => items));
}

/** One entry for each line. */
function sumByLine(lines: readonly LineQuantity[]): LineQuantity[] {
  return [...unitsByLine(lines)].map(([line, quantity]) => ({ line, quantity }));
}

function unitsByLine(lines: readonly LineQuantity[]): Map<number, number> {
  const byLine = new Map<number, number>();
  for (const { line, quantity } of lines) byLine.set(line, (byLine.get(line) ?? 0) + quantity);
  return byLine;
}

/** The units of the lines beyond `taken`; without lines of which none is left. */
function minus(lines: readonly LineQuantity[], taken: readonly LineQuantity[]): LineQuantity[] {
  const takenOf = new Map(taken.map(({ line, quantity }) => [line, quantity]));
  return lines
    .map(({ line, quantity }) => ({ line, quantity: quantity - (takenOf.get(line) ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
}

function covers(available: readonly LineQuantity[], wanted: readonly LineQuantity[]): boolean {
  return minus(wanted, available).length === 0;
}
