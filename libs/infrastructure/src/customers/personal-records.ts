import { stagesOfPlacement } from '@app/application';
import type { PostalAddress } from '@app/domain';
import { sortAttributes } from '../postgres/attributes.js';
import { toSafeInteger } from '../postgres/integers.js';

// The rows that contain personal data, with the fields of a store bundle. The table is `item`.

/** Without the secrets, which are in another table. */
export const CUSTOMER_COLUMNS = `item.id, item.name, item.email, item.phone, item.status, item.email_verified,
  item.loyalty_points, item.total_spent, item.tags, item.city, item.created_at, item.last_login`;

function moneyColumn(table: 'payments' | 'refunds'): string {
  return `(SELECT coalesce(json_agg(json_build_object('reference', record.reference, 'amount', record.amount::text,
      'at', record.at) ORDER BY record.number), '[]')
    FROM ${table} AS record WHERE record.store_id = item.store_id AND record.order_id = item.id) AS ${table}`;
}

// Amounts travel as text, because JSON numbers are not exact.
export const ORDER_COLUMNS = `item.id, item.receipt_number, item.source, item.status, item.fulfillment_status,
  item.payment_method, item.currency, item.amount, item.total_amount, item.tax_amount,
  item.shipping_amount, item.discount_amount, item.customer_id, item.customer_name,
  item.customer_email, item.customer_phone, item.shipping_address, item.billing_address, item.notes, item.is_test, item.placed,
  item.external_reference, item.created_at, item.updated_at,
  (SELECT coalesce(json_agg(json_build_object('product', product.slug, 'variant', variant.sku, 'sku', line.sku,
      'name', line.name, 'attributes', line.attributes, 'attribute_names', line.attribute_names,
      'unit_price', line.unit_price::text, 'quantity', line.quantity, 'returned_quantity', back.quantity)
      ORDER BY line.position), '[]')
    FROM order_lines AS line
    LEFT JOIN returned_units AS back USING (store_id, order_id, position)
    LEFT JOIN products AS product ON product.store_id = line.store_id AND product.id = line.product_id
    LEFT JOIN product_variants AS variant ON variant.store_id = product.store_id AND variant.product_id = product.id
      AND variant.id = line.variant_id
    WHERE line.store_id = item.store_id AND line.order_id = item.id) AS line_items,
  (SELECT json_build_object('verdict', fraud.verdict, 'score', fraud.score, 'reasons', fraud.reasons)
    FROM fraud_assessments AS fraud WHERE fraud.store_id = item.store_id AND fraud.order_id = item.id) AS fraud,
  (SELECT coalesce(json_agg(json_build_object('stage', stage.stage, 'reference', stage.reference, 'state', stage.state,
      'attempts', stage.attempts, 'last_error', stage.last_error, 'at', stage.updated_at)
      ORDER BY stage.position, stage.stage, stage.reference), '[]')
    FROM order_stages AS stage WHERE stage.store_id = item.store_id AND stage.order_id = item.id) AS pipeline,
  (SELECT coalesce(json_agg(json_build_object('reference', shipment.reference, 'status', shipment.status, 'items', (
        SELECT coalesce(json_agg(json_build_object('line', part.position + 1, 'quantity', part.quantity)
          ORDER BY part.position), '[]')
        FROM shipment_items AS part
        WHERE part.store_id = item.store_id AND part.order_id = item.id AND part.reference = shipment.reference),
      'carrier', shipment.carrier, 'tracking_number', shipment.tracking_number, 'tracking_url', shipment.tracking_url,
      'notify', shipment.notify, 'shipped_at', shipment.shipped_at, 'delivered_at', shipment.delivered_at) ORDER BY shipment.number), '[]')
    FROM shipments AS shipment WHERE shipment.store_id = item.store_id AND shipment.order_id = item.id) AS shipments,
  ${moneyColumn('payments')},
  ${moneyColumn('refunds')},
  (SELECT coalesce(json_agg(json_build_object('at', event.at,
      'actor', json_build_object('type', event.actor_type, 'id', event.actor_id, 'name', event.actor_name),
      'event', event.event, 'field', event.field, 'from', event.from_value, 'to', event.to_value,
      'reference', event.reference, 'details', event.details) ORDER BY event.id), '[]')
    FROM order_events AS event WHERE event.store_id = item.store_id AND event.order_id = item.id) AS history`;

/** A row of {@link CUSTOMER_COLUMNS}, as far as its record differs. pg returns bigint as text. */
export interface CustomerColumns {
  readonly total_spent: string;
}

interface ItemJson {
  readonly product: string | null;
  readonly variant: string | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly attribute_names: readonly string[];
  readonly unit_price: string;
  readonly returned_quantity: number | null;
}

interface ShipmentJson {
  readonly shipped_at: string | null;
  readonly delivered_at: string | null;
}

interface MoneyJson {
  readonly amount: string;
  readonly at: string;
}

type Address = Partial<PostalAddress>;

/** A row of {@link ORDER_COLUMNS}, as far as its record differs. */
export interface OrderColumns {
  readonly amount: string;
  readonly total_amount: string;
  readonly tax_amount: string;
  readonly shipping_amount: string;
  readonly discount_amount: string;
  readonly shipping_address: Address;
  readonly billing_address: Address;
  readonly external_reference: string | null;
  readonly line_items: readonly ItemJson[];
  readonly fraud: { readonly reasons: readonly { readonly rule: string; readonly score: number }[] } | null;
  readonly placed: boolean;
  readonly created_at: Date;
  readonly pipeline: readonly { readonly stage: string; readonly at: string; readonly reference: string }[];
  readonly shipments: readonly ShipmentJson[];
  readonly payments: readonly MoneyJson[];
  readonly refunds: readonly MoneyJson[];
  readonly history: readonly { readonly at: string }[];
}

/** The fields of a customer in a store bundle. */
export function customerRecord(row: CustomerColumns) {
  return { ...row, total_spent: toSafeInteger(row.total_spent) };
}

/** The fields of an order in a store bundle. */
export function orderRecord({ external_reference, fraud, placed, ...columns }: OrderColumns) {
  const { shipments, payments, refunds, history, ...row } = columns;
  const done = placed ? stagesOfPlacement(row.created_at) : [];
  return {
    ...row,
    amount: toSafeInteger(row.amount),
    total_amount: toSafeInteger(row.total_amount),
    tax_amount: toSafeInteger(row.tax_amount),
    shipping_amount: toSafeInteger(row.shipping_amount),
    discount_amount: toSafeInteger(row.discount_amount),
    shipping_address: wholeAddress(row.shipping_address),
    billing_address: wholeAddress(row.billing_address),
    ...(external_reference !== null && { external_reference }),
    line_items: row.line_items.map(itemRecord),
    ...(fraud && { fraud: { ...fraud, reasons: fraud.reasons.map(({ rule, score }) => ({ rule, score })) } }),
    pipeline: [
      ...done.map(({ lastError, at, ...stage }) => ({ ...stage, last_error: lastError, at })),
      ...row.pipeline,
    ].map(({ stage, reference, ...others }) => ({
      stage,
      ...(reference && { reference }),
      ...others,
      at: isoTime(others.at),
    })),
    ...(shipments.length > 0 && { shipments: shipments.map(shipmentRecord) }),
    ...(payments.length > 0 && { payments: payments.map(moneyRecord) }),
    ...(refunds.length > 0 && { refunds: refunds.map(moneyRecord) }),
    ...(history.length > 0 && { history: history.map((event) => ({ ...event, at: isoTime(event.at) })) }),
  };
}

function shipmentRecord({ shipped_at, delivered_at, ...shipment }: ShipmentJson) {
  return {
    ...shipment,
    shipped_at: shipped_at && isoTime(shipped_at),
    delivered_at: delivered_at && isoTime(delivered_at),
  };
}

function moneyRecord({ amount, at, ...record }: MoneyJson) {
  return { ...record, amount: toSafeInteger(amount), at: isoTime(at) };
}

function isoTime(time: string | Date): string {
  return new Date(time).toISOString();
}

function wholeAddress({ address = '', city = '', zip = '', region = '', country = '' }: Address): Address {
  return { address, city, zip, region, country };
}

/** A product that no longer exists is not named. */
function itemRecord({
  product,
  variant,
  attributes,
  attribute_names,
  unit_price,
  returned_quantity,
  ...item
}: ItemJson) {
  return {
    ...(product && { product }),
    ...(variant && { variant }),
    ...item,
    attributes: sortAttributes(attributes, attribute_names),
    unit_price: toSafeInteger(unit_price),
    ...(returned_quantity !== null && { returned_quantity }),
  };
}
