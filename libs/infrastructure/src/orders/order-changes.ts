import type { OrderKey, OrderTarget } from '@app/application';
import {
  filledFields,
  isReceiptNumber,
  isUuid,
  PlacedOrder,
  refundDueOf,
  wholeAddress,
  type Actor,
  type FraudAssessment,
  type KnownMoney,
  type KnownShipment,
  type LineQuantity,
  type LinesChange,
  type OrderChange,
  type OrderCustomer,
  type OrderEvent,
  type PlacedLine,
  type PlacedOrderState,
  type PostalAddress,
  type ShippingContact,
} from '@app/domain';
import { toSafeInteger } from '../postgres/integers.js';
import type { Statement, TransactionSql } from '../postgres/transaction-sql.js';
import { firstBins, UNCLAIMED_UNITS } from '../stock/line-units.js';
import { insertLines, linesJson } from './insert-order.js';
import { toEventRow } from './order-event.rows.js';
import { HELD_BY_PERSON, mailStage, retryStages, reviewStatement } from './order-stages.js';

const FIND_BY_RECEIPT = `/* orders.find_by_receipt */
  SELECT id FROM orders WHERE store_id = $1 AND upper(receipt_number) = upper($2)`;

const LOCK = `/* orders.lock */
  /* @protects order-lock */
  SELECT FROM orders WHERE store_id = $1 AND id = $2 AND ($3::boolean IS NULL OR is_test = $3) FOR NO KEY UPDATE`;

// Of the fulfillment steps, those with a reference follow from shipments.
const LOAD = `/* orders.load */
  SELECT status, fulfillment_status AS "fulfillmentStatus", total_amount AS "totalAmount", currency, metadata,
    json_build_object('name', customer_name, 'email', customer_email, 'phone', customer_phone) AS customer,
    shipping_address AS "shippingAddress",
    (SELECT coalesce(json_agg(json_build_object('stage', stage, 'reference', reference, 'state', state)), '[]')
      FROM order_stages WHERE store_id = $1 AND order_id = $2) AS mails,
    (SELECT coalesce(json_agg(json_build_object('line', position + 1, 'metadata', line.metadata)), '[]')
      FROM order_lines AS line WHERE store_id = $1 AND order_id = $2 AND line.metadata <> '{}') AS "lineMetadata",
    EXISTS (SELECT FROM order_stages WHERE store_id = $1 AND order_id = $2 AND state = 'held'
      AND '${HELD_BY_PERSON}' = ANY (held_for)) AS "isHeldByPerson",
    EXISTS (SELECT FROM stock_movements WHERE store_id = $1 AND order_id = $2 AND kind = 'ORDER') AS "hasTakenStock",
    (SELECT coalesce(json_agg(json_build_object('line', position + 1, 'quantity', line.quantity,
        'productId', product_id, 'variantId', variant_id, 'unitPrice', unit_price::text,
        'returned', coalesce(back.quantity, 0)) ORDER BY position), '[]')
      FROM order_lines AS line LEFT JOIN returned_units AS back USING (store_id, order_id, position)
      WHERE line.store_id = $1 AND line.order_id = $2) AS lines,
    (SELECT json_object_agg(line, quantity) FROM (
        SELECT position + 1 AS line, sum(quantity) AS quantity FROM cancelled_units
        WHERE store_id = $1 AND order_id = $2 GROUP BY position) AS gone) AS cancelled,
    (SELECT coalesce(json_agg(json_build_object('reference', reference, 'status', shipments.status, 'carrier', carrier,
        'trackingNumber', tracking_number, 'trackingUrl', tracking_url, 'notify', notify, 'shippedAt', shipped_at,
        'deliveredAt', delivered_at, 'requestHash', request_hash, 'items', (
          SELECT json_agg(json_build_object('line', position + 1, 'quantity', quantity) ORDER BY position)
          FROM shipment_items AS item
          WHERE item.store_id = $1 AND item.order_id = $2 AND item.reference = shipments.reference)) ORDER BY number), '[]')
      FROM shipments WHERE store_id = $1 AND order_id = $2) AS shipments,
    (SELECT coalesce(json_agg(json_build_array(reference, amount::text, request_hash, written_off::text)), '[]')
      FROM payments WHERE store_id = $1 AND order_id = $2) AS payments,
    (SELECT coalesce(json_agg(json_build_array(reference, amount::text, request_hash)), '[]')
      FROM refunds WHERE store_id = $1 AND order_id = $2) AS refunds,
    coalesce(
      (SELECT to_value FROM order_events
        WHERE store_id = $1 AND order_id = $2 AND field = 'fulfillment_status' AND reference = '' ORDER BY id DESC LIMIT 1),
      (SELECT from_value FROM order_events
        WHERE store_id = $1 AND order_id = $2 AND field = 'fulfillment_status' ORDER BY id LIMIT 1),
      fulfillment_status) AS "unshippedStatus"
  FROM orders WHERE store_id = $1 AND id = $2`;

// The address of an invoice that was that of the shipment stays it.
const SET_CONTACT = `/* orders.set_contact */
  UPDATE orders SET customer_name = $3, customer_email = $4, customer_phone = $5, shipping_address = $6,
    billing_address = CASE billing_address WHEN shipping_address THEN $6 ELSE billing_address END
  WHERE store_id = $1 AND id = $2`;

const ASSESS = `/* orders.assess */
  UPDATE fraud_assessments SET verdict = $3, score = $4, reasons = $5 WHERE store_id = $1 AND order_id = $2`;

const MOST_REFUSALS = 1_000;

const setState = (more = '') => `/* orders.set_state */
  UPDATE orders SET status = $3, fulfillment_status = $4, refund_due = $5${more}
  WHERE store_id = $1 AND id = $2`;
const SET_STATE = `${setState()} AND (status, fulfillment_status, refund_due) IS DISTINCT FROM ($3, $4, $5)`;
const SET_STATE_AND_TRACKING = setState(', search_text = search_text_of(orders)');

// A client that repeats what is refused adds one event, and refusals without end are not kept.
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
      OFFSET ${MOST_REFUSALS - 1})`;

// A client's clock may have shipped it a moment ahead of this one.
const SHIP = `/* orders.save_shipment */
  WITH saved AS (
    SELECT CASE WHEN $4 IN ('shipped', 'delivered') THEN coalesce($9, clock_timestamp()) ELSE $9 END AS shipped_at,
      CASE WHEN $4 = 'delivered' THEN coalesce($10, greatest(clock_timestamp(), $9)) END AS delivered_at
  )
  INSERT INTO shipments (store_id, order_id, reference, number, status, carrier, tracking_number, tracking_url, notify,
    shipped_at, delivered_at, request_hash)
  SELECT $1, $2, $3, (SELECT count(*) + 1 FROM shipments WHERE store_id = $1 AND order_id = $2), $4, $5, $6, $7, $8,
    shipped_at, delivered_at, $11
  FROM saved
  ON CONFLICT (store_id, order_id, reference) DO UPDATE SET status = excluded.status, carrier = excluded.carrier,
    tracking_number = excluded.tracking_number, tracking_url = excluded.tracking_url, notify = excluded.notify,
    request_hash = excluded.request_hash, shipped_at = excluded.shipped_at, delivered_at = excluded.delivered_at`;

const SHIP_ITEMS = `/* orders.save_shipment_items */
  WITH ${UNCLAIMED_UNITS}
  INSERT INTO shipment_items (store_id, order_id, reference, position, quantity, bins)
  SELECT $1, $2, $5, item.line - 1, item.quantity, ${firstBins('unclaimed', 'item.line - 1', 'item.quantity')}
  FROM unnest($3::int[], $4::int[]) AS item (line, quantity)
  ON CONFLICT DO NOTHING`;

const CANCEL_UNITS = `/* orders.cancel_units */
  WITH ${UNCLAIMED_UNITS}
  INSERT INTO cancelled_units (store_id, order_id, position, quantity, bins)
  SELECT $1, $2, item.line - 1, item.quantity, ${firstBins('unclaimed', 'item.line - 1', 'item.quantity')}
  FROM unnest($3::int[], $4::int[]) AS item (line, quantity)`;

const CHANGE_LINES = `/* orders.change_lines */
  UPDATE order_lines SET quantity = changed.quantity, line_total = unit_price * changed.quantity
  FROM unnest($3::int[], $4::int[]) AS changed (line, quantity)
  WHERE store_id = $1 AND order_id = $2 AND position = changed.line - 1`;

const ADD_LINES = `/* orders.add_lines */ ${insertLines('$1', '$2', '$3')}`;

const CHANGE_AMOUNTS = `/* orders.change_amounts */
  UPDATE orders SET amount = amount + $3, total_amount = $4, units = units + $5
  WHERE store_id = $1 AND id = $2`;

const SET_METADATA = `/* orders.set_metadata */
  UPDATE orders SET metadata = $3 WHERE store_id = $1 AND id = $2 AND metadata <> $3`;

const SET_LINE_METADATA = `/* orders.set_line_metadata */
  UPDATE order_lines AS item SET metadata = given.metadata
  FROM jsonb_to_recordset($3) AS given (line int, metadata jsonb)
  WHERE item.store_id = $1 AND item.order_id = $2 AND item.position = given.line - 1`;

const recordIn = (table: 'payments' | 'refunds', column = '', value = '') => `/* orders.save_${table} */
  INSERT INTO ${table} (store_id, order_id, reference, number, amount, at, request_hash${column})
  SELECT $1, $2, $3, count(*) + 1, $4, coalesce($5, clock_timestamp()), $6${value}
  FROM ${table} WHERE store_id = $1 AND order_id = $2`;
const PAY = recordIn('payments', ', written_off', ', nullif($7::bigint, 0)');
const REFUND = recordIn('refunds', ', lines', ", nullif($7::jsonb, '[]')");

// An answer shows no greater integer.
const MOST = Number.MAX_SAFE_INTEGER;

const SPEND = `/* orders.add_to_total_spent */
  UPDATE customers SET total_spent = least(greatest(total_spent + $3, -${MOST}), ${MOST})
  FROM orders JOIN stores ON stores.id = orders.store_id AND stores.currency = orders.currency
  WHERE orders.store_id = $1 AND orders.id = $2 AND NOT orders.is_test
    AND customers.store_id = $1 AND customers.id = orders.customer_id`;

type LoadedRow = Omit<
  PlacedOrderState,
  'lines' | 'contact' | 'isHeld' | 'isConfirmationHeld' | 'shipments' | 'payments' | 'refunds'
> & {
  readonly customer: OrderCustomer;
  readonly shippingAddress: Partial<PostalAddress>;
  readonly lines: readonly LineJson[];
  readonly cancelled: Readonly<Record<number, number>> | null;
  readonly shipments: readonly ShipmentJson[];
  readonly payments: readonly PaymentJson[];
  readonly refunds: readonly MoneyJson[];
};

type LineJson = Omit<PlacedLine, 'unitPrice' | 'cancelledQuantity'> & { readonly unitPrice: string };

type MoneyJson = readonly [reference: string, amount: string, requestHash: string];
type PaymentJson = readonly [...MoneyJson, writtenOff: string | null];

type ShipmentJson = Omit<KnownShipment, 'items' | 'shippedAt' | 'deliveredAt'> & {
  readonly items: readonly LineQuantity[] | null;
  readonly shippedAt: string | null;
  readonly deliveredAt: string | null;
};

/** An order that the transaction holds until it ends, and what decides about its change. */
export interface LockedOrder {
  readonly key: OrderKey;
  readonly state: PlacedOrderState;
}

export async function lockOrder(sql: TransactionSql, target: OrderTarget): Promise<LockedOrder | null> {
  const { storeId, isTest } = target;
  const orderId = await findId(sql, target);
  if (orderId === null) return null;
  // One packet. The second statement sees what the first has waited for.
  const [locked = [], [row] = []] = await sql.pipeline([
    { text: LOCK, values: [storeId, orderId, isTest] },
    { text: LOAD, values: [storeId, orderId] },
  ]);
  return locked.length === 0 ? null : { key: { storeId, orderId }, state: toState(row as LoadedRow) };
}

async function findId(sql: TransactionSql, { storeId, reference }: OrderTarget): Promise<string | null> {
  if (isUuid(reference)) return reference;
  if (!isReceiptNumber(reference)) return null;
  const [row] = await sql.query<{ id: string }>(FIND_BY_RECEIPT, [storeId, reference]);
  return row?.id ?? null;
}

function toState({ cancelled, customer, shippingAddress, ...row }: LoadedRow): PlacedOrderState {
  return {
    ...row,
    contact: { customer, shippingAddress: wholeAddress(shippingAddress) },
    isHeld: row.mails.some(({ state }) => state === 'held'),
    isConfirmationHeld: row.mails.some(({ stage, state }) => stage === 'notify-customer' && state === 'held'),
    lines: row.lines.map(({ unitPrice, ...line }) => ({
      ...line,
      unitPrice: toSafeInteger(unitPrice),
      cancelledQuantity: cancelled?.[line.line] ?? 0,
    })),
    shipments: row.shipments.map(({ items, shippedAt, deliveredAt, ...shipment }) => ({
      ...shipment,
      items: items ?? [],
      shippedAt: shippedAt === null ? null : new Date(shippedAt),
      deliveredAt: deliveredAt === null ? null : new Date(deliveredAt),
    })),
    payments: row.payments.map(([reference, amount, requestHash, writtenOff]) => ({
      ...toMoney([reference, amount, requestHash]),
      writtenOff: toSafeInteger(writtenOff ?? '0'),
    })),
    refunds: row.refunds.map(toMoney),
  };
}

function toMoney([reference, amount, requestHash]: MoneyJson): KnownMoney {
  return { reference, amount: toSafeInteger(amount), requestHash };
}

/** The events alone, without those that the order has already. */
export function refusalEvents(order: OrderKey, actor: Actor, events: readonly OrderEvent[]): Statement {
  return eventsOf(order, actor, events, true);
}

/** All that a change writes, except the stock. */
export function statementsOf({ key: order, state }: LockedOrder, actor: Actor, change: OrderChange): Statement[] {
  const key = [order.storeId, order.orderId];
  const { status, fulfillmentStatus, events, shipment, cancelled, payment, refund, review, mail } = change;
  const { repeatedMail, metadata, contact, assessment } = change;
  return [
    ...(shipment ? shipmentStatements(key, shipment) : []),
    {
      text: shipment ? SET_STATE_AND_TRACKING : SET_STATE,
      values: [...key, status, fulfillmentStatus, refundDueAfter(state, change)],
    },
    // @protects change-events
    eventsOf(order, actor, events, false),
    ...(cancelled ? [{ text: CANCEL_UNITS, values: [...key, ...columnsOf(cancelled)] }] : []),
    ...(payment ? [{ text: PAY, values: [...key, ...moneyValues(payment), payment.writtenOff] }] : []),
    ...(refund ? [{ text: REFUND, values: [...key, ...moneyValues(refund), JSON.stringify(refund.lines)] }] : []),
    ...(contact ? [{ text: SET_CONTACT, values: [...key, ...contactValues(contact)] }] : []),
    ...(review ? [reviewStatement(order, review, assessment)] : []),
    ...(assessment ? [{ text: ASSESS, values: [...key, ...assessmentValues(assessment)] }] : []),
    ...(mail ? [mailStage(order, mail)] : []),
    ...(repeatedMail ? [retryStages(order, [repeatedMail])] : []),
    ...(metadata ? metadataStatements(key, metadata) : []),
  ];
}

/** After the units that the lines give up have gone back, before the units that they need are withdrawn. */
export function linesStatements({ key: { storeId, orderId }, state }: LockedOrder, lines: LinesChange): Statement[] {
  const { quantities, added, amount, totalAmount, units } = lines;
  const key = [storeId, orderId];
  return [
    { text: CHANGE_LINES, values: [...key, ...columnsOf(quantities)] },
    { text: ADD_LINES, values: [...key, linesJson(added, state.lines.length)] },
    { text: CHANGE_AMOUNTS, values: [...key, amount, totalAmount, units] },
  ];
}

/** After the stock: an import locks its stock, then its customers. */
export function spendingStatements({ key }: LockedOrder, { payment, refund }: OrderChange): Statement[] {
  // @protects total-spent
  const spent = (payment?.amount ?? 0) - (refund?.amount ?? 0);
  return spent === 0 ? [] : [{ text: SPEND, values: [key.storeId, key.orderId, spent] }];
}

function refundDueAfter(state: PlacedOrderState, change: OrderChange): number {
  const { status, fulfillmentStatus, payment, refund, cancelled = [], lines } = change;
  const { payments, refunds, ...before } = new PlacedOrder(state).without(cancelled).state;
  const after = {
    payments: payment ? [...payments, payment] : payments,
    refunds: refund ? [...refunds, refund] : refunds,
  };
  const { totalAmount } = lines ?? before;
  return refundDueOf({ ...before, totalAmount, status, fulfillmentStatus, ...after });
}

function eventsOf(order: OrderKey, { type, id, name }: Actor, events: readonly OrderEvent[], once: boolean): Statement {
  return {
    text: RECORD,
    values: [order.storeId, order.orderId, type, id, name, JSON.stringify(events.map(toEventRow)), once],
  };
}

function shipmentStatements(key: readonly unknown[], shipment: KnownShipment): Statement[] {
  const { reference, status, carrier, trackingNumber, trackingUrl, notify, shippedAt, deliveredAt, items } = shipment;
  const how = [status, carrier, trackingNumber, trackingUrl, notify, shippedAt, deliveredAt, shipment.requestHash];
  return [
    { text: SHIP, values: [...key, reference, ...how] },
    { text: SHIP_ITEMS, values: [...key, ...columnsOf(items), reference] },
  ];
}

function metadataStatements(
  key: readonly unknown[],
  { ofOrder, lines }: NonNullable<OrderChange['metadata']>,
): Statement[] {
  return [
    { text: SET_METADATA, values: [...key, JSON.stringify(ofOrder)] },
    ...(lines.length > 0 ? [{ text: SET_LINE_METADATA, values: [...key, JSON.stringify(lines)] }] : []),
  ];
}

function columnsOf(units: readonly LineQuantity[]): unknown[] {
  return [units.map(({ line }) => line), units.map(({ quantity }) => quantity)];
}

function contactValues({ customer: { name, email, phone }, shippingAddress }: ShippingContact): unknown[] {
  return [name, email, phone, JSON.stringify(filledFields(shippingAddress))];
}

function assessmentValues({ verdict, score, reasons }: FraudAssessment): unknown[] {
  return [verdict, score, JSON.stringify(reasons)];
}

function moneyValues({ reference, amount, at, requestHash }: KnownMoney & { readonly at: Date | null }): unknown[] {
  return [reference, amount, at, requestHash];
}
