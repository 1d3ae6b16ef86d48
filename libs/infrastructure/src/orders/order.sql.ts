import { updatedAt } from '../feed/updated-at.js';
import { IS_HELD } from './order-stages.js';

/** Columns of the order `item` in a list, besides its id and time. */
export const ORDER_SUMMARY = `item.receipt_number AS "receiptNumber", item.status, item.fulfillment_status AS "fulfillmentStatus",
  item.payment_method AS "paymentMethod", item.amount, item.total_amount AS "totalAmount", item.currency,
  item.customer_name AS "customerName", item.source`;

/** Columns of the order `item` that a list includes, besides {@link INCLUDED}. */
export const INCLUDED_COLUMNS = `item.is_test AS "isTest", item.refund_due AS "refundDue", item.units, item.customer_id AS "customerId",
  item.metadata, coalesce(item.external_reference, '') AS "externalReference"`;

/** What a list includes of the order `page`. */
export const INCLUDED = `${updatedAt('orders', 'page.id', 'page."createdAt"')} AS "updatedAt",
  EXISTS (SELECT FROM order_stages AS stage WHERE stage.store_id = $1 AND stage.order_id = page.id AND ${IS_HELD}) AS "isHeld"`;

/**
 * Who placed an order: `placed_by` is the id of a key, or of a person, who may have been removed.
 * @param order a table with the columns of orders.
 */
export const placerType = (
  order: string,
) => `CASE WHEN NOT ${order}.placed THEN 'system' WHEN ${order}.placed_by IS NULL OR EXISTS (SELECT FROM api_keys
    WHERE api_keys.store_id = ${order}.store_id AND api_keys.id = ${order}.placed_by) THEN 'key' ELSE 'person' END`;

/** Empty when the person is removed. */
export const placerName = (order: string) => `coalesce((SELECT api_keys.name FROM api_keys
      WHERE api_keys.store_id = ${order}.store_id AND api_keys.id = ${order}.placed_by), (SELECT people.name FROM people
      WHERE people.store_id = ${order}.store_id AND people.id = ${order}.placed_by), '')`;

const DETAILS = `item.tax_amount AS "taxAmount", item.shipping_amount AS "shippingAmount", item.discount_amount AS "discountAmount",
  item.customer_id AS "customerId", item.customer_email AS "customerEmail", item.customer_phone AS "customerPhone",
  item.shipping_address AS "shippingAddress", item.billing_address AS "billingAddress", item.notes, item.metadata,
  coalesce(item.external_reference, '') AS "externalReference", item.is_test AS "isTest", item.placed,
  json_build_object('type', ${placerType('item')}, 'id', coalesce(item.placed_by::text, ''),
    'name', ${placerName('item')})
    AS "placedBy"`;

// A subquery collects each part of an order: joins would multiply lines by stages. Parts travel as arrays, which take both
// sides half as long as objects with a name for each value. Amounts travel as text, because JSON numbers are not exact.
const PARTS = `(SELECT coalesce(json_agg(json_build_array(line.product_id, line.variant_id, line.sku, line.name, line.attributes,
        line.attribute_names, line.unit_price::text, line.quantity, line.line_total::text, coalesce(back.quantity, 0),
        line.metadata)
        ORDER BY line.position), '[]')
      FROM order_lines AS line LEFT JOIN returned_units AS back USING (store_id, order_id, position)
      WHERE line.store_id = item.store_id AND line.order_id = item.id) AS lines,
    (SELECT json_agg(json_build_array(gone.position + 1, gone.quantity, gone.bins))
      FROM cancelled_units AS gone WHERE gone.store_id = item.store_id AND gone.order_id = item.id) AS cancelled,
    (SELECT json_build_object('verdict', fraud.verdict, 'score', fraud.score, 'reasons', fraud.reasons)
      FROM fraud_assessments AS fraud WHERE fraud.store_id = item.store_id AND fraud.order_id = item.id) AS fraud,
    (SELECT coalesce(json_agg(json_build_array(stage.stage, stage.reference, stage.state, stage.attempts, stage.last_error,
        stage.updated_at) ORDER BY stage.position, stage.stage, stage.reference), '[]')
      FROM order_stages AS stage WHERE stage.store_id = item.store_id AND stage.order_id = item.id) AS stages,
    (SELECT coalesce(json_agg(json_build_array(shipment.reference, shipment.status, carrier, tracking_number, tracking_url,
        shipped_at, delivered_at, (
          SELECT json_agg(json_build_array(position + 1, quantity, bins) ORDER BY position)
          FROM shipment_items AS part
          WHERE part.store_id = item.store_id AND part.order_id = item.id AND part.reference = shipment.reference
        )) ORDER BY number), '[]')
      FROM shipments AS shipment WHERE shipment.store_id = item.store_id AND shipment.order_id = item.id) AS shipments,
    ${money('payments', ', record.written_off::text')},
    ${money('refunds', ', record.lines')}`;

function money(table: 'payments' | 'refunds', more = ''): string {
  return `(SELECT coalesce(json_agg(json_build_array(record.reference, record.amount::text, record.at${more})
        ORDER BY record.number), '[]')
      FROM ${table} AS record WHERE record.store_id = item.store_id AND record.order_id = item.id) AS ${table}`;
}

const TAKEN = `(SELECT coalesce(json_agg(json_build_array(product_id, variant_key, warehouses.code, bins.code, units, bin_id)
        ORDER BY product_id, variant_key, bin_id), '[]')
      FROM (
        SELECT product_id, variant_key, bin_id, -sum(quantity) AS units FROM stock_movements AS moved
        WHERE moved.store_id = item.store_id AND moved.order_id = item.id AND kind = 'ORDER'
          AND item.fulfillment_status <> 'CANCELLED'
        GROUP BY product_id, variant_key, bin_id
      ) AS taken
      JOIN bins ON bins.store_id = item.store_id AND bins.id = taken.bin_id
      JOIN warehouses ON warehouses.store_id = item.store_id AND warehouses.id = bins.warehouse_id) AS taken`;

// What only a store bundle contains.
const BUNDLED = `'[]'::json AS taken,
    (SELECT coalesce(json_agg(json_build_array(product.slug, variant.sku) ORDER BY line.position), '[]')
      FROM order_lines AS line
      LEFT JOIN products AS product ON product.store_id = line.store_id AND product.id = line.product_id
      LEFT JOIN product_variants AS variant ON variant.store_id = product.store_id AND variant.product_id = product.id
        AND variant.id = line.variant_id
      WHERE line.store_id = item.store_id AND line.order_id = item.id) AS catalog,
    (SELECT coalesce(json_agg(shipment.notify ORDER BY shipment.number), '[]')
      FROM shipments AS shipment WHERE shipment.store_id = item.store_id AND shipment.order_id = item.id) AS notified,
    (SELECT coalesce(json_agg(json_build_object('at', event.at,
        'actor', json_build_object('type', event.actor_type, 'id', event.actor_id, 'name', event.actor_name),
        'event', event.event, 'field', event.field, 'from', event.from_value, 'to', event.to_value,
        'reference', event.reference, 'details', event.details) ORDER BY event.id), '[]')
      FROM order_events AS event WHERE event.store_id = item.store_id AND event.order_id = item.id) AS history`;

const ORDER = `item.id, item.created_at AS "createdAt", ${ORDER_SUMMARY}, ${DETAILS}`;

/** Selects orders as `item`, with all that their record has. */
export const SELECT_ORDERS = `SELECT ${ORDER}, ${updatedAt('orders', 'item.id', 'item.created_at')} AS "updatedAt", ${PARTS}, ${TAKEN}
  FROM orders AS item`;

/** Columns of the order `item` in a store bundle: those of its record, without allocations, and its history. */
export const BUNDLED_ORDER_COLUMNS = `${ORDER}, ${PARTS}, ${BUNDLED}`;
