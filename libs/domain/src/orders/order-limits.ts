import { TooManyRecords } from './change-errors.js';
import { effectOf, type RecordedShipment, type OrderChange } from './order-change.js';
import type { OrderEventName } from './order-event.js';
import type { PlacedOrder } from './placed-order.js';

export const MAX_PAYMENTS = 100;
export const MAX_REFUNDS = 100;
export const MAX_SHIPMENTS = 200;
/** Counts each order line in each shipment of an order, including void shipments. */
export const MAX_SHIPMENT_ITEMS = 2_000;
/** Counts each bin of each line of an order. */
export const MAX_BINS_OF_ORDER = 1_000;
/** Counts the stock movements of an order: each read of the order sums them up. */
export const MAX_MOVEMENTS = 10_000;
/**
 * An order with this many events refuses changes that could be repeated without end. All other changes have limits of
 * their own.
 */
export const MAX_EVENTS = 5_000;
/** Counts the lines of all refunds of an order. */
export const MAX_REFUND_LINES = 10_000;

interface Limit {
  readonly most: number;
  readonly what: string;
}

/**
 * How often each thing may happen to an order. Shipments, payments and refunds are in each of its answers, and mails
 * reach its customer. The remaining limits bound the history far above what people or an integration need.
 */
const LIMITS: ReadonlyMap<OrderEventName, Limit> = new Map([
  ['payment_recorded', { most: MAX_PAYMENTS, what: 'payments' }],
  ['refund_recorded', { most: MAX_REFUNDS, what: 'refunds' }],
  ['shipment_created', { most: MAX_SHIPMENTS, what: 'shipments' }],
  ['mail_requested', { most: 20, what: 'resent mails' }],
  ['noted', { most: 500, what: 'notes' }],
  ['held', { most: 100, what: 'holds' }],
  ['contact_changed', { most: 100, what: 'contact changes' }],
  ['billing_changed', { most: 100, what: 'billing address changes' }],
  ['terms_changed', { most: 100, what: 'changes of terms' }],
  ['lines_changed', { most: 500, what: 'line changes' }],
  ['units_cancelled', { most: 500, what: 'unit cancellations' }],
  ['metadata_changed', { most: 5_000, what: 'metadata changes' }],
]);

const RECORDS: readonly OrderEventName[] = ['payment_recorded', 'refund_recorded', 'shipment_created'];

/** The events that `PlacedOrderState` counts in `eventCounts`. The index order_events_limited has the same names. */
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
 * Whether the change moves stock and similar changes may follow. The order then needs room for its movements. A change
 * that ends the order is always possible.
 */
export function movesStockAgain({ state }: PlacedOrder, change: OrderChange): boolean {
  const { fulfillmentStatus: to } = change;
  if (to !== state.fulfillmentStatus && (to === 'CANCELLED' || to === 'RETURNED')) return false;
  const isPicked = (effectOf(change, 'shipment')?.picked.length ?? 0) > 0;
  return isPicked || change.effects.some(({ kind }) => kind === 'lines' || kind === 'restock');
}

/** A shipment that exists keeps its items, so only new ones count. */
function assertItems(shipments: readonly RecordedShipment[], change: OrderChange): void {
  const { shipment } = effectOf(change, 'shipment') ?? {};
  if (!shipment || shipments.some(({ reference }) => reference === shipment.reference)) return;
  const items = [...shipments, shipment].reduce((sum, each) => sum + each.items.length, 0);
  if (items > MAX_SHIPMENT_ITEMS) throw new TooManyRecords('lines in its shipments', MAX_SHIPMENT_ITEMS);
}
