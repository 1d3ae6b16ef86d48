import type { OrderEventName } from '@app/domain';
import { updatedAt } from '../feed/updated-at.js';
import type { LargePart } from '../lists/page-bytes.js';
import { unitsByBin } from '../stock/line-units.js';
import { byPipeline } from './order-stages.js';

/** Columns of the order `item` in a list, in addition to its id and time. */
export const ORDER_SUMMARY = `item.receipt_number AS "receiptNumber", item.status, item.fulfillment_status AS "fulfillmentStatus",
  item.payment_method AS "paymentMethod", item.amount, item.total_amount AS "totalAmount", item.currency,
  item.customer_name AS "customerName", item.source`;

const TERMS = `(extract(epoch FROM item.due_at - item.created_at) / 86400)::int AS "paymentTermsDays"`;

/** Columns of the order `item` that a list may include, in addition to {@link INCLUDED}. */
export const INCLUDED_COLUMNS = `item.is_test AS "isTest", item.held_reasons IS NOT NULL AS "isHeld", greatest(-item.balance, 0) AS "refundDue",
  item.cancelled_amount AS "cancelledAmount", item.cancellation_fee AS "cancellationFee", item.tax_included AS "isTaxIncluded", item.units, ${TERMS}, item.customer_id AS "customerId", coalesce(item.external_reference, '') AS "externalReference"`;

/** SQL for what a list may include of the order `page`. */
export const INCLUDED = `${updatedAt('orders', 'page.id', 'page."createdAt"')} AS "updatedAt"`;

/**
 * SQL for who placed an order: `placed_by` is the id of a key, or of a person, who may have been removed.
 * @param order a table with the columns of orders.
 */
export const placerType = (
  order: string,
) => `CASE WHEN NOT ${order}.placed THEN 'system' WHEN ${order}.placed_by IS NULL OR EXISTS (SELECT FROM api_keys
    WHERE api_keys.store_id = ${order}.store_id AND api_keys.id = ${order}.placed_by) THEN 'key' ELSE 'person' END`;

/** The name is empty when the person was removed. */
export const placerName = (order: string) => `coalesce((SELECT api_keys.name FROM api_keys
      WHERE api_keys.store_id = ${order}.store_id AND api_keys.id = ${order}.placed_by), (SELECT people.name FROM people
      WHERE people.store_id = ${order}.store_id AND people.id = ${order}.placed_by), '')`;

const DETAILS = `item.tax_amount AS "taxAmount", item.shipping_amount AS "shippingAmount", item.discount_amount AS "discountAmount",
  item.shipping_tax AS "shippingTax", item.tax_included AS "isTaxIncluded",
  item.cancelled_amount AS "cancelledAmount", item.cancellation_fee AS "cancellationFee",
  item.customer_id AS "customerId", item.customer_email AS "customerEmail", item.customer_phone AS "customerPhone",
  item.shipping_address AS "shippingAddress", item.billing_address AS "billingAddress", item.notes, item.metadata,
  coalesce(item.external_reference, '') AS "externalReference", item.is_test AS "isTest", item.placed, ${TERMS},
  item.held_reasons AS "heldReasons", json_build_object('type', ${placerType('item')}, 'id', coalesce(item.placed_by::text, ''),
    'name', ${placerName('item')})
    AS "placedBy"`;

interface OrderColumns {
  readonly storeId: string;
  readonly id: string;
  readonly fulfillmentStatus: string;
}

const ITEM: OrderColumns = { storeId: 'item.store_id', id: 'item.id', fulfillmentStatus: 'item.fulfillment_status' };

// A subquery collects each part of an order: joins would multiply lines by stages. Amounts are returned as text,
// because JSON numbers are not exact.
const listOf = (order: string, rows: string) =>
  `(SELECT coalesce(json_agg(part ORDER BY ${order}), '[]') FROM (${rows}) AS part)`;

const linesOf = ({ storeId, id }: OrderColumns) => {
  const sums = (table: string) =>
    `SELECT position, sum(quantity) AS quantity FROM ${table} WHERE store_id = ${storeId} AND order_id = ${id} GROUP BY position`;
  return listOf(
    'part.line',
    `SELECT line.position + 1 AS line, product_id AS "productId", variant_id AS "variantId", sku, name, attributes,
        attribute_names AS "attributeNames", unit_price::text AS "unitPrice", line.quantity, line_total::text AS "lineTotal",
        metadata, tax, discount_amount::text AS discount, price_source AS "priceSource", coalesce(back.quantity, 0) AS "returnedQuantity", coalesce(gone.quantity, 0) AS "cancelledQuantity"
      FROM order_lines AS line
      LEFT JOIN (${sums('returned_units')}) AS back USING (position)
      LEFT JOIN (${sums('cancelled_units')}) AS gone USING (position)
      WHERE line.store_id = ${storeId} AND line.order_id = ${id}`,
  );
};

const shipmentsOf = ({ storeId, id }: OrderColumns) => {
  // An order may have thousands of events, which only an order that is being picked needs. MATERIALIZED reads them once
  // for all shipments.
  const ofPicked = (columns: string, event: OrderEventName) =>
    `SELECT ${columns} FROM order_events WHERE store_id = ${storeId} AND order_id = ${id} AND event = '${event}' AND EXISTS (
          SELECT FROM shipments AS picked WHERE picked.store_id = ${storeId} AND picked.order_id = ${id} AND picked.status = 'picking')`;
  const items = listOf(
    'part.line',
    `SELECT position + 1 AS line, sum(quantity) AS quantity FROM shipment_items AS packed
      WHERE packed.store_id = ${storeId} AND packed.order_id = ${id} AND packed.reference = shipment.reference GROUP BY position`,
  );
  return listOf(
    'part.number',
    `WITH created AS MATERIALIZED (${ofPicked('reference, min(id) AS event', 'shipment_created')} GROUP BY reference),
        contact_changed AS MATERIALIZED (${ofPicked('max(id) AS event', 'contact_changed')})
      SELECT number, reference, status, carrier, tracking_number AS "trackingNumber", tracking_url AS "trackingUrl", notify,
        shipped_at AS "shippedAt", delivered_at AS "deliveredAt", request_hash AS "requestHash", ${items} AS items,
        coalesce(status = 'picking' AND created.event < contact_changed.event, false) AS "isAddressChanged"
      FROM shipments AS shipment
      LEFT JOIN created USING (reference) CROSS JOIN contact_changed
      WHERE shipment.store_id = ${storeId} AND shipment.order_id = ${id}`,
  );
};

const allocationsOf = ({ storeId, id, fulfillmentStatus }: OrderColumns) =>
  listOf(
    'part.line, part.bin_id',
    `SELECT position + 1 AS line, bin_id, warehouses.code AS warehouse, bins.code AS bin, held AS quantity,
        shipped AS "shippedQuantity"
      FROM ${unitsByBin(storeId, id)} AS unit
      JOIN bins ON bins.store_id = ${storeId} AND bins.id = unit.bin_id
      JOIN warehouses ON warehouses.store_id = ${storeId} AND warehouses.id = bins.warehouse_id
      WHERE held > 0 AND ${fulfillmentStatus} <> 'CANCELLED'`,
  );

const moneyOf = (table: 'payments' | 'refunds', more: string, { storeId, id }: OrderColumns) =>
  listOf(
    'part.number',
    `SELECT number, reference, amount::text, at, request_hash AS "requestHash", ${more}
      FROM ${table} AS record WHERE record.store_id = ${storeId} AND record.order_id = ${id}`,
  );

const paymentsOf = (order: OrderColumns) =>
  moneyOf('payments', 'coalesce(written_off, 0)::text AS "writtenOff", method, fee::text, payout, metadata', order);

const refundsOf = (order: OrderColumns) =>
  moneyOf('refunds', "reason, credited::text, coalesce(lines, '[]') AS lines, restock", order);

const STAGES = `(SELECT coalesce(json_agg(json_build_object('stage', stage.stage, 'reference', stage.reference, 'state', stage.state,
        'attempts', stage.attempts, 'lastError', stage.last_error, 'outcome', stage.outcome, 'at', stage.updated_at)
        ORDER BY ${byPipeline('stage')}), '[]')
      FROM order_stages AS stage WHERE stage.store_id = item.store_id AND stage.order_id = item.id)`;

const PARTS = `${linesOf(ITEM)} AS lines,
    (SELECT json_build_object('verdict', fraud.verdict, 'score', fraud.score, 'reasons', fraud.reasons)
      FROM fraud_assessments AS fraud WHERE fraud.store_id = item.store_id AND fraud.order_id = item.id) AS fraud,
    ${STAGES} AS stages,
    ${shipmentsOf(ITEM)} AS shipments,
    ${paymentsOf(ITEM)} AS payments,
    ${refundsOf(ITEM)} AS refunds`;

const PAGE: OrderColumns = { storeId: '$1', id: 'page.id', fulfillmentStatus: 'page."fulfillmentStatus"' };

/** The parts of the order `page` that its lines are made from. */
export const LINE_PARTS: readonly LargePart[] = [
  { name: 'lines', sql: linesOf(PAGE) },
  { name: 'shipments', sql: shipmentsOf(PAGE) },
  { name: 'allocations', sql: allocationsOf(PAGE) },
];

export const PAYMENTS_PART: LargePart = { name: 'payments', sql: paymentsOf(PAGE) };

/**
 * SQL for the sum of the records of the order `page`, as a single record, or none when there is none: the ledger needs
 * no more.
 */
const sumsOf = (table: 'payments' | 'refunds', column: string, name: string) =>
  `(SELECT coalesce(json_agg(part), '[]') FROM (
      SELECT sum(amount)::text AS amount, coalesce(sum(${column}), 0)::text AS "${name}"
      FROM ${table} WHERE store_id = $1 AND order_id = page.id HAVING count(*) > 0) AS part)`;

export const PAID_PART: LargePart = { name: 'payments', sql: sumsOf('payments', 'written_off', 'writtenOff') };

export const REFUNDED_PART: LargePart = { name: 'refunds', sql: sumsOf('refunds', 'credited', 'credited') };

/** The taxes of each line of the order `page`, then those of its shipping. */
export const TAXES_PART: LargePart = {
  name: 'taxes',
  sql: `(SELECT coalesce(json_agg(tax ORDER BY position), '[]') FROM (
        SELECT position, tax FROM order_lines WHERE store_id = $1 AND order_id = page.id AND tax IS NOT NULL
        UNION ALL
        SELECT NULL, shipping_tax FROM orders AS item WHERE item.store_id = $1 AND item.id = page.id AND shipping_tax IS NOT NULL
      ) AS taxed)`,
};

export const METADATA_PART: LargePart = {
  name: 'metadata',
  sql: '(SELECT metadata FROM orders AS item WHERE item.store_id = $1 AND item.id = page.id)',
};

// Only a store bundle contains these columns.
const BUNDLED = `'[]'::json AS allocations,
    (SELECT coalesce(json_agg(json_build_array(product.slug, variant.sku) ORDER BY line.position), '[]')
      FROM order_lines AS line
      LEFT JOIN products AS product ON product.store_id = line.store_id AND product.id = line.product_id
      LEFT JOIN product_variants AS variant ON variant.store_id = product.store_id AND variant.product_id = product.id
        AND variant.id = line.variant_id
      WHERE line.store_id = item.store_id AND line.order_id = item.id) AS catalog,
    (SELECT coalesce(json_agg(json_build_object('at', event.at,
        'actor', json_build_object('type', event.actor_type, 'id', event.actor_id, 'name', event.actor_name),
        'event', event.event, 'field', event.field, 'from', event.from_value, 'to', event.to_value,
        'reference', event.reference, 'details', event.details) ORDER BY event.id), '[]')
      FROM order_events AS event WHERE event.store_id = item.store_id AND event.order_id = item.id) AS history,
    (SELECT coalesce(json_agg(json_build_object('at', booking.at, 'bookedAt', booking.booked_at, 'kind', booking.kind,
        'reference', booking.reference, 'charged', booking.charged::text, 'credited', booking.credited::text,
        'paid', booking.paid::text, 'refunded', booking.refunded::text, 'taxLines', booking.tax_lines) ORDER BY booking.id), '[]')
      FROM bookings AS booking WHERE booking.store_id = item.store_id AND booking.order_id = item.id) AS bookings`;

const ORDER = `item.id, item.created_at AS "createdAt", ${ORDER_SUMMARY}, ${DETAILS}`;

const LAST_EVENT_AT = `(SELECT last.at FROM order_events AS last
      WHERE last.store_id = item.store_id AND last.order_id = item.id AND last.event <> ALL ('{noted,shipment_refused,payment_refused}')
      ORDER BY last.id DESC LIMIT 1)`;
// A change that waits for its position in the feed counts by its event, which is never later than the position. The
// record shows no notes and no refusals, so these do not count. Lists do not use this time: a reader that continues at
// the newest time of a list would miss changes that get their positions at that moment.
const UPDATED_AT = `greatest(${updatedAt('orders', 'item.id', 'item.created_at')}, ${LAST_EVENT_AT})`;

const RECORD = `${ORDER}, ${UPDATED_AT} AS "updatedAt", ${PARTS}, ${allocationsOf(ITEM)} AS allocations`;

/** Selects orders as `item`, with all fields of their record. */
export const SELECT_ORDERS = `SELECT ${RECORD} FROM orders AS item`;

/**
 * Selects an order as `item`, with additional columns that decide about its changes. Fulfillment steps with a reference
 * follow from shipments.
 * @param counted the events that count.
 */
export const selectForChange = (
  counted: readonly string[],
) => `SELECT ${RECORD}, coalesce(item.charges_given, false) AS "hasGivenCharges",
    (SELECT coalesce(json_agg(json_build_object('kind', kind, 'reference', reference, 'credited', credited,
          'taxLines', coalesce(tax_lines, '[]')) ORDER BY id), '[]') FROM bookings AS credit
      WHERE credit.store_id = item.store_id AND credit.order_id = item.id AND kind <> 'lines'
        AND (credited <> 0 OR tax_lines IS NOT NULL)) AS credits,
    EXISTS (SELECT FROM stock_movements AS moved
      WHERE moved.store_id = item.store_id AND moved.order_id = item.id AND kind = 'ORDER') AS "hasTakenStock",
    (SELECT coalesce(json_object_agg(event, count), '{}') FROM (
        SELECT event, count(*) FROM order_events AS known WHERE known.store_id = item.store_id AND known.order_id = item.id
          AND event = ANY ('{${counted.join(',')}}') GROUP BY event) AS counted
    ) AS "eventCounts",
    coalesce(
      (SELECT to_value FROM order_events AS last WHERE last.store_id = item.store_id AND last.order_id = item.id
          AND field = 'fulfillment_status' AND reference = '' ORDER BY id DESC LIMIT 1),
      (SELECT from_value FROM order_events AS first WHERE first.store_id = item.store_id AND first.order_id = item.id
          AND field = 'fulfillment_status' ORDER BY id LIMIT 1),
      item.fulfillment_status) AS "unshippedStatus"
  FROM orders AS item`;

/** Columns of the order `item` in a store bundle: those of its record, without allocations, and its history. */
export const BUNDLED_ORDER_COLUMNS = `${ORDER}, ${PARTS}, ${BUNDLED}`;
