import { TooManyRecords } from '../errors.js';
import { effectOf, type RecordedShipment, type OrderChange } from './order-change.js';
import type { OrderEventName } from './order-event.js';
import type { PlacedOrder } from './placed-order.js';

export const MAX_PAYMENTS = 100;
export const MAX_REFUNDS = 100;
export const MAX_SHIPMENTS = 200;
/** Counts all shipments of an order, void ones included: each line of the order in a shipment. */
export const MAX_SHIPMENT_ITEMS = 2_000;
/** Counts each bin of each line. */
export const MAX_BINS_OF_ORDER = 1_000;
/** Movements of its stock: each read of the order sums them up. */
export const MAX_MOVEMENTS = 10_000;
/** An order with so many events refuses what could happen any number of times. The rest has limits of its own. */
export const MAX_EVENTS = 5_000;
/** Counts the lines of all refunds of an order. */
export const MAX_REFUND_LINES = 10_000;

interface Limit {
  readonly most: number;
  readonly what: string;
}

/**
 * How often each thing may happen to an order. Shipments, payments and refunds are in each of its answers, and mails reach its
 * customer. The rest bounds the history, far above what people or an integration need.
 */
const LIMITS: ReadonlyMap<OrderEventName, Limit> = new Map([
  ['payment_recorded', { most: MAX_PAYMENTS, what: 'payments' }],
  ['refund_recorded', { most: MAX_REFUNDS, what: 'refunds' }],
  ['shipment_created', { most: MAX_SHIPMENTS, what: 'shipments' }],
  ['mail_requested', { most: 20, what: 'mails sent again' }],
  ['noted', { most: 500, what: 'notes' }],
  ['held', { most: 100, what: 'holds' }],
  ['contact_changed', { most: 100, what: 'corrections of the contact' }],
  ['billing_changed', { most: 100, what: 'corrections of the billing address' }],
  ['terms_changed', { most: 100, what: 'changes of its terms' }],
  ['lines_changed', { most: 500, what: 'changes of lines' }],
  ['units_cancelled', { most: 500, what: 'cancellations of units' }],
  ['metadata_changed', { most: 5_000, what: 'changes of metadata' }],
]);

const RECORDS: readonly OrderEventName[] = ['payment_recorded', 'refund_recorded', 'shipment_created'];

/**
 * The events whose number `PlacedOrderState` has as `eventCounts`. The index order_events_limited has their names, too.
 */
export const COUNTED_EVENTS = [...LIMITS.keys()].filter((event) => !RECORDS.includes(event));

/** @throws TooManyRecords */
export function withinLimits({ state }: PlacedOrder, change: OrderChange): OrderChange {
  if (change.refusal) return change;
  const { payments, refunds, shipments, eventCounts } = state;
  const counts = new Map<string, number>([
    ...Object.entries(eventCounts),
    ['payment_recorded', payments.length],
    ['refund_recorded', refunds.length],
    ['shipment_created', shipments.length],
  ]);
  for (const { event } of change.events) {
    const limit = LIMITS.get(event);
    if (limit && (counts.get(event) ?? 0) >= limit.most) throw new TooManyRecords(limit.what, limit.most);
  }
  assertItems(shipments, change);
  return change;
}

/**
 * Whether the change moves stock, and others like it may follow: the order then needs room for its movements. One that ends the
 * order is always possible.
 */
export function movesStockAgain({ state }: PlacedOrder, change: OrderChange): boolean {
  const { fulfillmentStatus: to } = change;
  if (to !== state.fulfillmentStatus && (to === 'CANCELLED' || to === 'RETURNED')) return false;
  const isPicked = (effectOf(change, 'shipment')?.picked.length ?? 0) > 0;
  return isPicked || change.effects.some(({ kind }) => kind === 'lines' || kind === 'restock');
}

/** A shipment keeps its items. */
function assertItems(shipments: readonly RecordedShipment[], change: OrderChange): void {
  const { shipment } = effectOf(change, 'shipment') ?? {};
  if (!shipment || shipments.some(({ reference }) => reference === shipment.reference)) return;
  const items = [...shipments, shipment].reduce((sum, each) => sum + each.items.length, 0);
  if (items > MAX_SHIPMENT_ITEMS) throw new TooManyRecords('lines in its shipments', MAX_SHIPMENT_ITEMS);
}
