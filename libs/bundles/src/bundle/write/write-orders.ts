import { createHash } from 'node:crypto';
import { UNAVAILABLE } from '@app/domain';
import { hasEmail } from '@app/infrastructure';
import { v7 as uuidv7 } from 'uuid';
import type { Batch, Numbered, Owner, WriteLines } from './batch.js';
import type { BundleOrderLine, OrderRecordLine } from '../schema/bundle.js';
import { LIFE } from './order-life.js';
import { BundleLineError, quoted } from '../check/faults.js';
import { findSellables, type Sellable } from './sellables.js';

// An order that is already stored stays unchanged: history does not change.
const INSERT_ORDERS = `/* import.orders.insert */
  INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
    amount, total_amount, customer_id, customer_name, customer_email, customer_phone, shipping_address,
    billing_address, notes, is_test, external_reference, created_at, updated_at, tax_amount, shipping_amount,
    discount_amount)
  SELECT $1::int, given.id, receipt_number, source, given.status, fulfillment_status, payment_method, currency,
    amount, total_amount, coalesce(linked.id, customers.id), customer_name, customer_email, customer_phone, shipping_address,
    coalesce(billing_address, shipping_address), notes, coalesce(is_test, false), nullif(external_reference, ''),
    given.created_at, coalesce(given.updated_at, given.created_at), coalesce(tax_amount, 0), coalesce(shipping_amount, 0),
    coalesce(discount_amount, 0)
  FROM jsonb_to_recordset($2::jsonb) AS given (id uuid, receipt_number text, source text, status text,
    fulfillment_status text, payment_method text, currency text, amount bigint, total_amount bigint,
    customer_id uuid, is_guest boolean, customer_name text, customer_email text, customer_phone text, shipping_address jsonb, billing_address jsonb,
    notes text, is_test boolean, external_reference text, created_at timestamptz, updated_at timestamptz, tax_amount bigint,
    shipping_amount bigint, discount_amount bigint)
  LEFT JOIN customers AS linked ON linked.store_id = $1 AND linked.id = given.customer_id
  LEFT JOIN customers ON customers.store_id = $1 AND ${hasEmail('customers', 'given.customer_email')}
    AND NOT given.is_guest
  ON CONFLICT DO NOTHING
  RETURNING id`;

const FIND_STORED = `/* import.orders.find_stored */
  SELECT by_id.receipt_number AS "receiptOfId", by_receipt.id AS "idOfReceipt",
    by_reference.id AS "idOfReference"
  FROM jsonb_to_recordset($2::jsonb) AS given (number int, id uuid, receipt_number text, external_reference text,
    is_test boolean)
  LEFT JOIN orders AS by_id ON by_id.store_id = $1 AND by_id.id = given.id
  LEFT JOIN orders AS by_receipt
    ON by_receipt.store_id = $1 AND upper(by_receipt.receipt_number) = upper(given.receipt_number)
  LEFT JOIN orders AS by_reference ON by_reference.store_id = $1
    AND by_reference.external_reference = given.external_reference AND by_reference.is_test = coalesce(given.is_test, false)
  ORDER BY given.number`;

const INSERT_LINES = `/* import.order_lines.insert */
  INSERT INTO order_lines (store_id, order_id, position, product_id, variant_id, sku, name, attributes,
    attribute_names, unit_price, quantity, line_total)
  SELECT $1::int, given.order_id, given.position, given.product_id, given.variant_id, given.sku, given.name,
    coalesce(given.attributes, variant.attributes, '{}'),
    coalesce(given.attribute_names, variant.attribute_names, '{}'), given.unit_price, given.quantity, given.line_total
  FROM jsonb_to_recordset($2::jsonb) AS given (order_id uuid, position int, product_id int, variant_id int, sku text,
    name text, attributes jsonb, attribute_names text[], unit_price bigint, quantity int, line_total bigint)
  LEFT JOIN product_variants AS variant ON variant.store_id = $1 AND variant.id = given.variant_id`;

const INSERT_ASSESSMENTS = `/* import.fraud_assessments.insert */
  INSERT INTO fraud_assessments (store_id, order_id, verdict, score, reasons, created_at)
  SELECT $1::int, given.* FROM jsonb_to_recordset($2::jsonb) AS given (order_id uuid, verdict text, score int,
    reasons jsonb, created_at timestamptz)
  ON CONFLICT DO NOTHING`;

const INSERT_STAGES = `/* import.order_stages.insert */
  INSERT INTO order_stages (store_id, order_id, stage, reference, state, attempts, last_error, position, updated_at, held_for,
    set_aside)
  SELECT $1::int, given.*, state = 'dead' FROM jsonb_to_recordset($2::jsonb) AS given (order_id uuid, stage text,
    reference text, state text, attempts int, last_error text, position int, updated_at timestamptz, held_for text[])`;

type Identified = Numbered<OrderRecordLine> & { readonly id: string };

/** The stored orders that have the id, the receipt number or the external reference of a line. */
interface Stored {
  readonly receiptOfId: string | null;
  readonly idOfReceipt: string | null;
  readonly idOfReference: string | null;
}

/** Writes orders as history: no stock moves, no pipeline runs. */
export const writeOrders: WriteLines<'order'> = async (batch, store, lines) => {
  const orders = lines.map((source) => ({ ...source, id: source.line.id ?? derivedId(store, source.line) }));
  const references = orders.flatMap(({ number, line }) =>
    (line.line_items ?? []).map((reference) => ({ number, reference })),
  );
  const sellables = await findSellables(batch, store, references);

  const rows = JSON.stringify(orders.map(orderRow));
  const inserted = await batch.manager.query<{ id: string }[]>(INSERT_ORDERS, [store.id, rows]);
  const created = new Set(inserted.map(({ id }) => id));
  batch.counts.order.created += created.size;
  await countStored(
    batch,
    store,
    orders.filter(({ id }) => !created.has(id)),
  );

  const items = orders.flatMap(({ id, line }) =>
    (line.line_items ?? []).map((item, position) => lineRow(id, position, item, sellables.get(item))),
  );
  const insert = async (sql: string, parts: readonly { readonly order_id: string }[]) => {
    const ofCreated = parts.filter(({ order_id }) => created.has(order_id));
    if (ofCreated.length > 0) await batch.manager.query(sql, [store.id, JSON.stringify(ofCreated)]);
  };
  await insert(INSERT_LINES, items);
  await insert(INSERT_ASSESSMENTS, orders.flatMap(assessmentRows));
  await insert(INSERT_STAGES, orders.flatMap(stageRows));
  for (const [sql, rows] of LIFE) await insert(sql, orders.flatMap(rows));
};

/** Counts stored orders as unchanged. @throws BundleLineError for another order than the stored one. */
async function countStored(batch: Batch, store: Owner, orders: readonly Identified[]): Promise<void> {
  if (orders.length === 0) return;
  const keys = orders.map(({ number, id, line: { receipt_number, external_reference, is_test } }) => {
    return { number, id, receipt_number, external_reference, is_test };
  });
  const found = await batch.manager.query<Stored[]>(FIND_STORED, [store.id, JSON.stringify(keys)]);
  orders.forEach((order, index) => {
    const problem = differenceOf(store, order, found[index]);
    if (problem) throw new BundleLineError(order.number, problem);
    batch.counts.order.unchanged++;
  });
}

/** An order imported without an id is the same order when a later line gives one. */
function differenceOf(store: Owner, { id, line }: Identified, stored?: Stored): string | null {
  const { receiptOfId = null, idOfReceipt = null, idOfReference = null } = stored ?? {};
  if (receiptOfId !== null && receiptOfId.toUpperCase() !== line.receipt_number.toUpperCase()) {
    return `order.id is already the id of order ${quoted(receiptOfId)}`;
  }
  // Nothing else of the line is stored, so the reference is why it was not inserted.
  if (receiptOfId === null && idOfReceipt === null) {
    return `order.external_reference is already the reference of order ${idOfReference}`;
  }
  if (line.id === undefined || idOfReceipt === id || idOfReceipt === derivedId(store, line)) return null;
  return `order.receipt_number is already the number of order ${idOfReceipt}`;
}

/**
 * Every import gives the same order the same id. It begins with the time, like the ids of new orders, so that the
 * indexes grow at their end.
 */
function derivedId({ subdomain }: Owner, { receipt_number, created_at }: OrderRecordLine): string {
  const random = createHash('sha256').update(`${subdomain}/${receipt_number.toUpperCase()}`).digest();
  return uuidv7({ msecs: Math.max(0, Date.parse(created_at)), random: random.subarray(0, 16) });
}

function orderRow({ id, line }: Identified) {
  const { kind: _, store: __, line_items: ___, fraud: ____, pipeline: _____, ...others } = line;
  const { shipments: ______, payments: _______, refunds: ________, history: _________, ...fields } = others;
  const texts = { customer_name: '', customer_email: '', customer_phone: '', notes: '' };
  return { ...texts, shipping_address: {}, ...fields, id, is_guest: line.customer_id === null };
}

function lineRow(orderId: string, position: number, item: BundleOrderLine, sellable: Sellable | undefined) {
  const { sku = item.variant ?? '', name, attributes, unit_price, quantity } = item;
  return {
    order_id: orderId,
    position,
    product_id: sellable?.productId,
    variant_id: sellable?.variantId,
    sku,
    name,
    ...(attributes && { attributes, attribute_names: Object.keys(attributes) }),
    unit_price,
    quantity,
    line_total: unit_price * quantity,
  };
}

function assessmentRows({ id, line: { fraud, created_at } }: Identified) {
  return fraud ? [{ order_id: id, ...fraud, created_at }] : [];
}

/**
 * A stage that could still run by itself must not: the installation that the order comes from runs it. A pending stage
 * becomes dead, which `orders retry-pipeline` revives; no dead stage is a dead letter of this installation. A stage that is held for want of an analysis is held without its
 * reason, so that no worker screens the order again.
 */
function stageRows({ id, line: { fraud, pipeline = [] } }: Identified) {
  const rules = fraud?.reasons.map(({ rule }) => rule) ?? [];
  const heldFor = rules.includes(UNAVAILABLE) ? null : rules;
  return pipeline.map(({ stage, reference = '', state, attempts, last_error = '', at }, position) => ({
    order_id: id,
    stage,
    reference,
    attempts,
    ...(state === 'pending' ? { state: 'dead', last_error: 'imported' } : { state, last_error }),
    position: position + 1,
    updated_at: at,
    held_for: state === 'held' ? heldFor : null,
  }));
}
