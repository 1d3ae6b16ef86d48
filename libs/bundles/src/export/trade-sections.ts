import { sortAttributes, stagesOfPlacement, toSafeInteger } from '@app/infrastructure';
import type { BundleAddress, BundleOrderLine, CustomerLine, OrderRecordLine } from '../bundle/schema/bundle.js';
import type { Section } from './section.js';

type Secrets = 'password_hash' | 'verification_token' | 'national_id';
type CustomerFields = Omit<Required<CustomerLine>, 'kind' | 'store' | Secrets>;

/** `total_spent` is text, because pg returns bigint as text. */
export interface CustomerRow extends Omit<CustomerFields, 'total_spent' | 'created_at' | 'last_login'> {
  readonly total_spent: string;
  readonly created_at: Date;
  readonly last_login: Date | null;
}

/** Without their secrets, which are in another table. */
export const CUSTOMERS: Section<CustomerRow> = {
  kind: 'customer',
  columns: `item.id, item.name, item.email, item.phone, item.status, item.email_verified, item.loyalty_points,
    item.total_spent, item.tags, item.city, item.created_at, item.last_login`,
  rows: 'customers AS item WHERE item.store_id = $1',
  changed: 'item.updated_at >= $2',
  key: ['item.id'],
  toLine: (row, { subdomain }) => ({
    kind: 'customer',
    store: subdomain,
    id: row.id,
    name: row.name,
    email: row.email,
    phone: row.phone,
    status: row.status,
    email_verified: row.email_verified,
    loyalty_points: row.loyalty_points,
    total_spent: toSafeInteger(row.total_spent),
    tags: row.tags,
    city: row.city,
    created_at: row.created_at.toISOString(),
    last_login: row.last_login?.toISOString() ?? null,
  }),
};

interface ItemJson extends Pick<BundleOrderLine, 'product' | 'variant' | 'quantity'> {
  readonly sku: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly attribute_names: readonly string[];
  readonly unit_price: string;
}

type Stage = NonNullable<OrderRecordLine['pipeline']>[number];
type Whole = 'receipt_number' | 'source' | 'status' | 'fulfillment_status' | 'payment_method' | 'currency' | 'is_test';
type Contact = 'customer_name' | 'customer_email' | 'customer_phone' | 'notes';

export interface OrderRow extends Pick<Required<OrderRecordLine>, 'id' | Whole | Contact> {
  readonly amount: string;
  readonly total_amount: string;
  readonly customer_id: string | null;
  readonly external_reference: string;
  readonly shipping_address: BundleAddress;
  readonly billing_address: BundleAddress;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly items: readonly ItemJson[];
  readonly fraud: NonNullable<OrderRecordLine['fraud']> | null;
  readonly placed: boolean;
  readonly stages: readonly Required<Stage>[];
}

// Amounts travel as text, because JSON numbers are not exact.
export const ORDERS: Section<OrderRow> = {
  kind: 'order',
  columns: `item.id, item.receipt_number, item.source, item.status, item.fulfillment_status, item.payment_method,
    item.currency, item.amount, item.total_amount, item.customer_id, item.customer_name, item.customer_email, item.customer_phone,
    item.shipping_address, item.billing_address, item.notes, item.is_test, item.placed,
    coalesce(item.external_reference, '') AS external_reference, item.created_at, item.updated_at,
    (SELECT coalesce(json_agg(json_build_object('product', product.slug, 'variant', variant.sku, 'sku', line.sku,
        'name', line.name, 'attributes', line.attributes, 'attribute_names', line.attribute_names,
        'unit_price', line.unit_price::text, 'quantity', line.quantity) ORDER BY line.position), '[]')
      FROM order_lines AS line
      LEFT JOIN products AS product ON product.store_id = line.store_id AND product.id = line.product_id
      LEFT JOIN product_variants AS variant ON variant.store_id = product.store_id AND variant.product_id = product.id
        AND variant.id = line.variant_id
      WHERE line.store_id = item.store_id AND line.order_id = item.id) AS items,
    (SELECT json_build_object('verdict', fraud.verdict, 'score', fraud.score, 'reasons', fraud.reasons)
      FROM fraud_assessments AS fraud WHERE fraud.store_id = item.store_id AND fraud.order_id = item.id) AS fraud,
    (SELECT coalesce(json_agg(json_build_object('stage', stage.stage, 'state', stage.state,
        'attempts', stage.attempts, 'last_error', stage.last_error, 'at', stage.updated_at)
        ORDER BY stage.position, stage.stage), '[]')
      FROM order_stages AS stage WHERE stage.store_id = item.store_id AND stage.order_id = item.id) AS stages`,
  rows: 'orders AS item WHERE item.store_id = $1',
  changed: `item.updated_at >= $2 OR EXISTS (SELECT FROM order_stages AS stage
    WHERE stage.store_id = item.store_id AND stage.order_id = item.id AND stage.updated_at >= $2)`,
  key: ['item.id'],
  toLine: (row, { subdomain }) => ({
    kind: 'order',
    store: subdomain,
    id: row.id,
    receipt_number: row.receipt_number,
    source: row.source,
    status: row.status,
    fulfillment_status: row.fulfillment_status,
    payment_method: row.payment_method,
    currency: row.currency,
    amount: toSafeInteger(row.amount),
    total_amount: toSafeInteger(row.total_amount),
    customer_id: row.customer_id,
    customer_name: row.customer_name,
    customer_email: row.customer_email,
    customer_phone: row.customer_phone,
    shipping_address: addressOf(row.shipping_address),
    billing_address: addressOf(row.billing_address),
    notes: row.notes,
    is_test: row.is_test,
    ...(row.external_reference && { external_reference: row.external_reference }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    line_items: row.items.map(itemOf),
    ...(row.fraud && {
      fraud: { ...row.fraud, reasons: row.fraud.reasons.map(({ rule, score }) => ({ rule, score })) },
    }),
    pipeline: [
      ...(row.placed ? stagesOfPlacement(row.created_at) : []).map(({ lastError, ...stage }) => ({
        ...stage,
        last_error: lastError,
      })),
      ...row.stages,
    ].map(({ at, ...stage }) => ({ ...stage, at: new Date(at).toISOString() })),
  }),
};

function addressOf({ address = '', city = '', zip = '' }: BundleAddress): BundleAddress {
  return { address, city, zip };
}

/** A product that no longer exists is not named. */
function itemOf({ product, variant, sku, name, attributes, attribute_names, unit_price, quantity }: ItemJson) {
  return {
    ...(product && { product }),
    ...(variant && { variant }),
    sku,
    name,
    attributes: sortAttributes(attributes, attribute_names),
    unit_price: toSafeInteger(unit_price),
    quantity,
  };
}
