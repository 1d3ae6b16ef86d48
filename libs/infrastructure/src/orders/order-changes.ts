import type { OrderKey, OrderTarget } from '@app/application';
import {
  bookingsOf,
  COUNTED_EVENTS,
  effectOf,
  isReceiptNumber,
  MAX_EVENTS,
  PlacedOrder,
  readUuid,
  TooManyRecords,
  type Actor,
  type OrderChange,
  type OrderEvent,
  type OrderState,
  type PlacedOrderState,
} from '@app/domain';
import type { Statement, TransactionSql } from '../postgres/transaction-sql.js';
import type { LockedOrder } from '../stock/restock.js';
import { toEventRow } from './order-event.rows.js';
import { toOrderRecord, type OrderRow } from './order.rows.js';
import { selectForChange } from './order.sql.js';

const FIND_BY_RECEIPT = `/* orders.find_by_receipt */
  SELECT id FROM orders WHERE store_id = $1 AND upper(receipt_number) = upper($2)`;

const LOCK = `/* orders.lock */
  /* @protects order-lock */
  SELECT FROM orders WHERE store_id = $1 AND id = $2 AND ($3::boolean IS NULL OR is_test = $3) FOR NO KEY UPDATE`;

const LOAD = `/* orders.load */ ${selectForChange(COUNTED_EVENTS)} WHERE item.store_id = $1 AND item.id = $2`;

// Only the changes that need this check run it, so the others pay nothing.
const HAS_MANY_EVENTS = `/* orders.has_many_events */
  SELECT EXISTS (SELECT FROM order_events WHERE store_id = $1 AND order_id = $2 OFFSET ${MAX_EVENTS - 1}) AS "hasMany"`;

const MAX_REFUSALS = 1_000;

const stateSql = (more = '') => `/* orders.set_state */
  UPDATE orders SET status = $3, fulfillment_status = $4, balance = $5${more}
  WHERE store_id = $1 AND id = $2`;
const SET_STATE = `${stateSql()} AND (status, fulfillment_status, balance) IS DISTINCT FROM ($3, $4, $5)`;
const SET_STATE_AND_SEARCH = stateSql(', search_text = search_text_of(orders)');

// A client that repeats a refused request adds one event only, and the number of refusals is limited.
const RECORD = `/* orders.record_events */
  INSERT INTO order_events (store_id, order_id, actor_type, actor_id, actor_name, event, field, from_value, to_value,
    reference, details)
  SELECT $1, $2, $3, $4, $5, new.event, new.field, new."from", new."to", new.reference, new.details
  FROM jsonb_to_recordset($6) AS new (event text, field text, "from" text, "to" text, reference text, details jsonb)
  WHERE NOT $7 OR NOT EXISTS (
    SELECT FROM order_events AS known
    WHERE known.store_id = $1 AND known.order_id = $2 AND known.event = new.event AND known.reference = new.reference
      AND known.details = new.details)
    AND NOT EXISTS (
      SELECT FROM order_events WHERE store_id = $1 AND order_id = $2 AND event IN ('shipment_refused', 'payment_refused')
      OFFSET ${MAX_REFUSALS - 1})`;

// The bookings count for the time of their payment or refund. Under the lock, the last event of the order belongs to
// this change.
const BOOK = `/* orders.book */
  INSERT INTO bookings (store_id, is_test, order_id, at, kind, reference, charged, credited, paid, refunded, tax_lines, event)
  SELECT $1, is_test, $2, moment.at, new.kind, new.reference, new.charged, new.credited, new.paid, new.refunded,
    nullif(new."taxLines", '[]'),
    (SELECT id FROM order_events AS event WHERE event.store_id = $1 AND event.order_id = $2 ORDER BY id DESC LIMIT 1)
  FROM orders
  CROSS JOIN (SELECT coalesce($3,
    (SELECT at FROM payments WHERE store_id = $1 AND order_id = $2 AND reference = $4),
    (SELECT at FROM refunds WHERE store_id = $1 AND order_id = $2 AND reference = $5), clock_timestamp())) AS moment (at)
  CROSS JOIN ROWS FROM (jsonb_to_recordset($6) AS (kind text, reference text, charged bigint, credited bigint, paid bigint,
    refunded bigint, "taxLines" jsonb)) WITH ORDINALITY AS new (kind, reference, charged, credited, paid, refunded, "taxLines",
    number)
  WHERE store_id = $1 AND orders.id = $2
  ORDER BY number`;

type LoadedRow = OrderRow &
  Pick<
    PlacedOrderState,
    keyof OrderState | 'credits' | 'hasGivenCharges' | 'hasTakenStock' | 'eventCounts' | 'unshippedStatus'
  >;

export async function lockOrder(sql: TransactionSql, target: OrderTarget): Promise<LockedOrder | null> {
  const { storeId, isTest } = target;
  const orderId = await findId(sql, target);
  if (orderId === null) return null;
  // Both statements travel in one packet. The second one sees what the first has waited for.
  const [locked = [], [row] = []] = await sql.pipeline([
    { text: LOCK, values: [storeId, orderId, isTest] },
    { text: LOAD, values: [storeId, orderId] },
  ]);
  return locked.length === 0 ? null : { key: { storeId, orderId }, state: toState(row as LoadedRow) };
}

async function findId(sql: TransactionSql, { storeId, reference }: OrderTarget): Promise<string | null> {
  const id = readUuid(reference);
  if (id !== null || !isReceiptNumber(reference)) return id;
  const [row] = await sql.query<{ id: string }>(FIND_BY_RECEIPT, [storeId, reference]);
  return row?.id ?? null;
}

function toState(row: LoadedRow): PlacedOrderState {
  const { status, fulfillmentStatus, placed: isPlaced, hasGivenCharges, hasTakenStock } = row;
  const { eventCounts, unshippedStatus, credits } = row;
  const { customer, shippingAddress, billingAddress, ...order } = toOrderRecord(row);
  return {
    ...{ ...order, status, fulfillmentStatus },
    lines: order.lines.map((line) => ({
      ...line,
      binQuantity: line.allocations.reduce((units, { quantity }) => units + quantity, 0),
    })),
    contact: { customer, shippingAddress, billingAddress },
    credits,
    lineMetadata: order.lines.filter(({ metadata }) => Object.keys(metadata).length > 0),
    ...{ mails: row.stages, isPlaced, hasGivenCharges, hasTakenStock, eventCounts, unshippedStatus },
  };
}

/** @throws TooManyRecords */
export async function assertFewEvents(sql: TransactionSql, { storeId, orderId }: OrderKey): Promise<void> {
  const [row] = await sql.query<{ hasMany: boolean }>(HAS_MANY_EVENTS, [storeId, orderId]);
  if (row?.hasMany) throw new TooManyRecords('events', MAX_EVENTS);
}

/** Returns the events of a refusal, except those that the order already has. */
export function refusalEvents(order: OrderKey, actor: Actor, events: readonly OrderEvent[]): Statement {
  return eventsOf(order, actor, events, true);
}

export function changeEvents(order: OrderKey, actor: Actor, events: readonly OrderEvent[]): Statement {
  // @protects change-events
  return eventsOf(order, actor, events, false);
}

/**
 * Writes the statuses and the balance. It runs after the shipment or the payment is written, because the search text
 * includes them.
 */
export function setState({ key, state }: LockedOrder, change: OrderChange): Statement {
  const { status, fulfillmentStatus } = change;
  const { balance } = new PlacedOrder(state).ledgerAfter(change);
  const isSearched = effectOf(change, 'shipment') ?? effectOf(change, 'payment');
  return {
    text: isSearched ? SET_STATE_AND_SEARCH : SET_STATE,
    values: [key.storeId, key.orderId, status, fulfillmentStatus, balance],
  };
}

/** Books what the change does to the amounts of the order. It runs after its events, payment and refund are written. */
export function bookings({ key, state }: LockedOrder, change: OrderChange): Statement[] {
  const booked = bookingsOf(new PlacedOrder(state), change);
  if (booked.length === 0) return [];
  const [payment, refund] = [effectOf(change, 'payment'), effectOf(change, 'refund')];
  // A payment that only stands for a status was made at another time.
  const paid = payment && !payment.isOfStatus ? payment.reference : null;
  const when = [change.at ?? null, paid, refund?.reference ?? null];
  return [{ text: BOOK, values: [key.storeId, key.orderId, ...when, JSON.stringify(booked)] }];
}

function eventsOf(order: OrderKey, { type, id, name }: Actor, events: readonly OrderEvent[], once: boolean): Statement {
  return {
    text: RECORD,
    values: [order.storeId, order.orderId, type, id, name, JSON.stringify(events.map(toEventRow)), once],
  };
}
