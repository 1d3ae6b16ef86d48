import { contentOf, hasLeft, isActive, unitsOf, type OrderAnswer, type Units } from './order-answer.js';

export interface EventAnswer {
  readonly event: string;
  readonly field: 'status' | 'fulfillment_status' | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly reference: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Stated again, independent of `libs/domain/src/orders/order-status.ts`. */
const PAYMENT: Readonly<Record<string, readonly string[]>> = {
  PENDING: ['SUCCEEDED', 'FAILED', 'CANCELLED'],
  FAILED: ['PENDING', 'CANCELLED'],
  SUCCEEDED: ['REFUNDED'],
  REFUNDED: ['SUCCEEDED'],
};
const FULFILLMENT: Readonly<Record<string, readonly string[]>> = {
  PENDING: ['CONFIRMED', 'CANCELLED'],
  CONFIRMED: ['PROCESSING', 'CANCELLED'],
  PROCESSING: ['SHIPPED', 'CANCELLED'],
  SHIPPED: ['DELIVERED', 'RETURNED'],
  DELIVERED: ['RETURNED'],
};
const SHIPMENT: Readonly<Record<string, readonly string[]>> = {
  picking: ['shipped', 'void'],
  shipped: ['delivered', 'void'],
};
const WAY = ['PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED', 'DELIVERED'];

interface Parcel {
  readonly reference: string;
  readonly items: readonly Units[];
  status: string;
}

export class Replay {
  readonly violations: string[] = [];
  private readonly state = { status: 'PENDING', fulfillment_status: 'PENDING' };
  private readonly parcels: Parcel[] = [];
  private readonly money = { payment: new Map<string, number>(), refund: new Map<string, number>() };
  private readonly cancelled: Units[] = [];
  private unshipped = 'PENDING';
  private voided = '';

  constructor(
    private readonly order: OrderAnswer,
    events: readonly EventAnswer[],
  ) {
    if (events[0]?.event !== 'placed') this.violations.push('the history does not begin with the placing');
    for (const event of events.slice(1)) this.take(event);
    this.checkFulfillment();
    this.compare();
  }

  private take(event: EventAnswer): void {
    const { reference, details } = event;
    if (event.event === 'status_changed') return this.move(event);
    this.checkFulfillment();
    this.voided = '';
    switch (event.event) {
      case 'shipment_created':
        if (this.parcels.some((parcel) => parcel.reference === reference)) this.fail(event, 'a second time');
        this.parcels.push({ reference, status: String(details['status']), items: details['items'] as Units[] });
        return this.checkUnits(event);
      case 'shipment_changed':
        return this.changeParcel(event);
      case 'payment_recorded':
      case 'refund_recorded': {
        const records = this.money[event.event === 'payment_recorded' ? 'payment' : 'refund'];
        if (records.has(reference)) this.fail(event, 'a second time');
        records.set(reference, Number(details['amount']));
        if (sum(this.money.refund) > sum(this.money.payment)) this.fail(event, 'more refunds than payments');
        return;
      }
      case 'cancelled':
        if (this.parcels.some(isActive)) this.fail(event, 'with a shipment');
        return;
      case 'units_cancelled':
        this.cancelled.push(...(details['items'] as Units[]));
        return this.checkUnits(event);
      case 'shipment_refused':
      case 'payment_refused':
        return;
      default:
        this.fail(event, 'without a request');
    }
  }

  private move(event: EventAnswer): void {
    const { field, from, to, reference } = event;
    if (!field || from === null || to === null) return this.fail(event, 'is incomplete');
    if (this.state[field] !== from) this.fail(event, `the status is ${this.state[field]}`);
    const table = field === 'status' ? PAYMENT : FULFILLMENT;
    const goesBack = field === 'fulfillment_status' && WAY.indexOf(to) < WAY.indexOf(from) && reference !== '';
    const isAllowed = table[from]?.includes(to) || (goesBack && to !== 'CANCELLED' && this.voided === reference);
    if (!isAllowed) this.fail(event, 'is not in the table');
    this.state[field] = to;
    if (field === 'fulfillment_status' && reference === '' && WAY.includes(to)) this.unshipped = to;
  }

  private changeParcel(event: EventAnswer): void {
    const { reference, details } = event;
    const parcel = this.parcels.find((one) => one.reference === reference);
    if (!parcel) return this.fail(event, 'there is no such shipment');
    const { from, to } = details as { from?: string; to?: string };
    if (to === undefined) return;
    if (parcel.status !== from || !SHIPMENT[parcel.status]?.includes(to)) this.fail(event, `it is ${parcel.status}`);
    parcel.status = to;
    if (to === 'void') this.voided = reference;
    this.checkUnits(event);
  }

  private checkUnits(event: EventAnswer): void {
    const over = this.order.line_items.filter(
      ({ line, quantity }) => unitsOf(line, this.parcels.filter(isActive)) > quantity - this.cancelledOf(line),
    );
    if (over.length > 0) this.fail(event, `more units than line ${over.map(({ line }) => line).join()} has`);
  }

  private checkFulfillment(): void {
    const { fulfillment_status: present } = this.state;
    if (!WAY.includes(present)) return;
    const active = this.parcels.filter(isActive);
    const isShipped = this.order.line_items.every(
      ({ line, quantity }) => unitsOf(line, this.parcels.filter(hasLeft)) === quantity - this.cancelledOf(line),
    );
    const delivered = active.every(({ status }) => status === 'delivered');
    const followed = isShipped ? (delivered ? 'DELIVERED' : 'SHIPPED') : 'PROCESSING';
    const expected = active.length === 0 ? this.unshipped : followed;
    if (present !== expected) this.violations.push(`the history leads to ${present}, its shipments to ${expected}`);
  }

  private cancelledOf(line: number): number {
    return unitsOf(line, [{ items: this.cancelled }]);
  }

  private compare(): void {
    const { order, state, parcels, money } = this;
    const records = (kept: ReadonlyMap<string, number>) =>
      [...kept].map(([reference, amount]) => `${reference} ${amount}`);
    const told = (kept: OrderAnswer['refunds']) => kept.map(({ reference, amount }) => `${reference} ${amount}`);
    const parcelsOf = (kept: readonly Parcel[]) =>
      kept.map(({ reference, status, items }) => `${reference} ${status} ${contentOf(items)}`);
    const pairs: readonly (readonly [string, string, string])[] = [
      ['the statuses', `${state.status} ${state.fulfillment_status}`, `${order.status} ${order.fulfillment_status}`],
      ['the shipments', parcelsOf(parcels).join(), parcelsOf(order.shipments).join()],
      ['the payments', records(money.payment).join(), told(order.payments).join()],
      ['the refunds', records(money.refund).join(), told(order.refunds).join()],
    ];
    const isWhole = order.fulfillment_status === 'CANCELLED';
    for (const { line, quantity, cancelled_quantity } of order.line_items) {
      const replayed = isWhole ? quantity : this.cancelledOf(line);
      if (replayed !== cancelled_quantity) this.violations.push(`line ${line} replays to ${replayed} cancelled units`);
    }
    for (const [what, replayed, present] of pairs) {
      if (replayed !== present) this.violations.push(`the history replays ${what} to ${replayed}, not to ${present}`);
    }
  }

  private fail({ event, field, from, to, reference }: EventAnswer, why: string): void {
    const what = [event, reference, field, from, to].filter(Boolean).join(' ');
    this.violations.push(`the event ${what}: ${why}`);
  }
}

function sum(records: ReadonlyMap<string, number>): number {
  return [...records.values()].reduce((total, amount) => total + amount, 0);
}
