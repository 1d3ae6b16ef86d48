import { contentOf, hasLeft, isActive, unitsOf, type OrderAnswer, type Units } from './order-answer.js';

export interface EventAnswer {
  readonly event: string;
  readonly field: 'status' | 'fulfillment_status' | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly reference: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** These rules are stated again, independently of `libs/domain/src/orders/order-status.ts`. */
const PAYMENT: Readonly<Record<string, readonly string[]>> = {
  PENDING: ['SUCCEEDED', 'FAILED', 'CANCELLED'],
  FAILED: ['PENDING', 'CANCELLED'],
  // Payments may no longer cover an order that gets further units.
  SUCCEEDED: ['REFUNDED', 'PENDING'],
  REFUNDED: ['SUCCEEDED', 'PENDING'],
  // The further units are owed.
  CANCELLED: ['PENDING'],
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

interface LinesChanged {
  readonly items: readonly { readonly line: number; readonly before: number; readonly after: number }[];
  readonly total_before: number;
  readonly total_after: number;
}

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
  /** The units of each line after the events so far. */
  private readonly quantities: Map<number, number>;
  private total: number | null = null;
  private unshipped = 'PENDING';
  private voided = '';

  constructor(
    private readonly order: OrderAnswer,
    events: readonly EventAnswer[],
  ) {
    this.quantities = placedQuantities(order, events);
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
      case 'lines_changed': {
        const { items, total_before, total_after } = details as unknown as LinesChanged;
        if (this.total !== null && this.total !== total_before) this.fail(event, `the total is ${this.total}`);
        this.total = total_after;
        for (const { line, before, after } of items) {
          if ((this.quantities.get(line) ?? 0) !== before) this.fail(event, `line ${line} has other units`);
          this.quantities.set(line, after);
        }
        return this.checkUnits(event);
      }
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
    const over = [...this.quantities].filter(
      ([line, quantity]) => unitsOf(line, this.parcels.filter(isActive)) > quantity - this.cancelledOf(line),
    );
    if (over.length > 0) this.fail(event, `more units than line ${over.map(([line]) => line).join()} has`);
  }

  private checkFulfillment(): void {
    const { fulfillment_status: present } = this.state;
    if (!WAY.includes(present)) return;
    const active = this.parcels.filter(isActive);
    const isShipped = [...this.quantities].every(
      ([line, quantity]) => unitsOf(line, this.parcels.filter(hasLeft)) === quantity - this.cancelledOf(line),
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
    const told = (kept: OrderAnswer['payments'] | OrderAnswer['refunds']) =>
      kept.map(({ reference, amount }) => `${reference} ${amount}`);
    const parcelsOf = (kept: readonly Parcel[]) =>
      kept.map(({ reference, status, items }) => `${reference} ${status} ${contentOf(items)}`);
    const pairs: readonly (readonly [string, string, string])[] = [
      ['the statuses', `${state.status} ${state.fulfillment_status}`, `${order.status} ${order.fulfillment_status}`],
      ['the shipments', parcelsOf(parcels).join(), parcelsOf(order.shipments).join()],
      ['the payments', records(money.payment).join(), told(order.payments).join()],
      ['the refunds', records(money.refund).join(), told(order.refunds).join()],
    ];
    const isWhole = order.fulfillment_status === 'CANCELLED';
    if (this.total !== null && this.total !== order.total_amount) this.violations.push(`it replays to ${this.total}`);
    for (const { line, quantity, cancelled_quantity } of order.line_items) {
      if (this.quantities.get(line) !== quantity) this.violations.push(`line ${line} replays to another quantity`);
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

/** Returns the units of each line at placing; 0 for a line that was added. */
function placedQuantities({ line_items: lines }: OrderAnswer, events: readonly EventAnswer[]): Map<number, number> {
  const changes = events.flatMap(({ event, details }) =>
    event === 'lines_changed' ? (details as unknown as LinesChanged).items : [],
  );
  return new Map(
    lines.map(({ line, quantity }) => [line, changes.find((change) => change.line === line)?.before ?? quantity]),
  );
}

function sum(records: ReadonlyMap<string, number>): number {
  return [...records.values()].reduce((total, amount) => total + amount, 0);
}
