import { createHash } from 'node:crypto';
import { dueAtOf, filledFields, ledgerOf, MAX_BINS_OF_ORDER } from '@app/domain';
import { customerOfEmail, takeSold } from '@app/infrastructure';
import { v7 as uuidv7 } from 'uuid';
import type { Batch, Numbered, Owner, WriteLines } from './batch.js';
import { takesStock, type BundleOrderLine, type OrderRecordLine } from '../schema/bundle.js';
import { contradictionsOf } from './order-contradictions.js';
import { placedTaxesOf } from '../schema/order-taxes.js';
import { moneyOf } from './order-money.js';
import { insertInto, PARTS, type OrderToWrite } from './order-parts.js';
import { BadLines, BundleLineError, quoted } from '../check/faults.js';
import { findSellables, type Sellable } from './sellables.js';

const ORDER_COLUMNS = `id, receipt_number, source, status, fulfillment_status, payment_method, currency, amount,
    total_amount, tax_amount, shipping_amount, discount_amount, shipping_tax, tax_included, placed_tax_lines, units, customer_name, customer_email, customer_phone,
    shipping_address, billing_address, notes, metadata, is_test, external_reference, cancelled_amount, cancellation_fee,
    balance, held_reasons,
    imported_at, created_at, due_at`;

// This is what parts_text returns once the shipments and payments are stored. Otherwise, each of them would update the
// order.
const PARTS_TEXT = `coalesce((
      SELECT string_agg(chr(9001) || lower(normalize(text)), '' ORDER BY place)
      FROM jsonb_array_elements_text(line.fields -> 'searched_parts') WITH ORDINALITY AS part (text, place)), '')`;

// An order that is already stored does not change, because history does not change.
const INSERT_ORDERS = `/* import.orders.insert */
  INSERT INTO orders (store_id, customer_id, email_key, phone_key, address_key, search_text, ${ORDER_COLUMNS})
  SELECT $1::int,
    coalesce(linked.id, CASE WHEN NOT (line.fields -> 'is_guest')::boolean THEN ${customerOfEmail('$1', 'given.customer_email')} END),
    email_key(given.customer_email),
    phone_key(given.customer_phone), comparable_address(given.shipping_address),
    order_text(given.customer_email, given.receipt_number, given.customer_name, given.external_reference,
      given.shipping_address, given.billing_address) || ${PARTS_TEXT},
    ${ORDER_COLUMNS.replaceAll(/\w+/g, 'given.$&')}
  FROM jsonb_array_elements($2::jsonb) AS line (fields)
  CROSS JOIN LATERAL jsonb_populate_record(NULL::orders, line.fields) AS given
  LEFT JOIN customers AS linked ON linked.store_id = $1 AND linked.id = given.customer_id
  ON CONFLICT DO NOTHING
  RETURNING id`;

const FIND_STORED = `/* import.orders.find_stored */
  SELECT by_id.receipt_number AS "receiptOfId", by_receipt.id AS "idOfReceipt",
    by_reference.id AS "idOfReference",
    (coalesce(by_id.total_amount, by_receipt.total_amount), coalesce(by_id.is_test, by_receipt.is_test))
      IS DISTINCT FROM (given.total_amount, coalesce(given.is_test, false)) AS "isAnother"
  FROM jsonb_to_recordset($2::jsonb) AS given (number int, id uuid, receipt_number text, external_reference text,
    is_test boolean, total_amount bigint)
  LEFT JOIN orders AS by_id ON by_id.store_id = $1 AND by_id.id = given.id
  LEFT JOIN orders AS by_receipt
    ON by_receipt.store_id = $1 AND upper(by_receipt.receipt_number) = upper(given.receipt_number)
  LEFT JOIN orders AS by_reference ON by_reference.store_id = $1
    AND by_reference.external_reference = given.external_reference AND by_reference.is_test = coalesce(given.is_test, false)
  ORDER BY given.number`;

const INSERT_LINES = `/* import.order_lines.insert */
  INSERT INTO order_lines (store_id, order_id, position, product_id, variant_id, sku, name, attributes,
    attribute_names, unit_price, quantity, line_total, metadata, tax, discount_amount, price_source)
  SELECT $1::int, given.order_id, given.position, given.product_id, given.variant_id, given.sku, given.name,
    coalesce(given.attributes, variant.attributes, '{}'),
    coalesce(given.attribute_names, variant.attribute_names, '{}'), given.unit_price, given.quantity, given.line_total,
    given.metadata, given.tax, given.discount_amount, given.price_source
  FROM jsonb_populate_recordset(NULL::order_lines, $2::jsonb) AS given
  LEFT JOIN LATERAL (
    SELECT attributes, attribute_names FROM product_variants WHERE store_id = $1 AND id = given.variant_id
    OFFSET 0 -- OFFSET keeps the planner from reading all variants
  ) AS variant ON true`;

type Identified = Numbered<OrderRecordLine> & OrderToWrite;

interface Stored {
  readonly receiptOfId: string | null;
  readonly idOfReceipt: string | null;
  readonly idOfReference: string | null;
  /** Whether it is probably a different sale: a point of sale may have restarted its numbering. */
  readonly isAnother: boolean;
}

/** Writes orders without running a pipeline. Only point-of-sale orders move stock. */
export const writeOrders: WriteLines<'order'> = async (batch, store, lines) => {
  const references = lines.flatMap(({ number, line }) =>
    (line.line_items ?? []).map((reference) => ({ number, reference })),
  );
  const sellables = await findSellables(batch, store, references);
  const orders = batch.good(lines, (each) => ({ ...each, id: each.line.id ?? derivedId(store, each.line) }));

  const rows = JSON.stringify(orders.map(orderRow));
  const inserted = await batch.sql.query<{ id: string }>(INSERT_ORDERS, [store.id, rows]);
  const created = new Set(inserted.map(({ id }) => id));
  const newOrders = orders.filter(({ id }) => created.has(id));
  batch.note(newOrders.map((order) => ({ ...order, outcome: 'created' as const })));
  const stored = orders.filter(({ id }) => !created.has(id));
  await noteStored(batch, store, stored);

  const insert = async (sql: string, rows: readonly object[]) => {
    if (rows.length > 0) await batch.sql.query(sql, [store.id, JSON.stringify(rows)]);
  };
  for (const { number, line } of newOrders) {
    for (const problem of contradictionsOf(line)) batch.warn(number, problem);
  }
  await insert(
    INSERT_LINES,
    newOrders.flatMap(({ id, line: { line_items = [] } }) =>
      line_items.map((item, position) => lineRow(id, position, item, sellables.get(item))),
    ),
  );
  for (const [table, rowsOf] of Object.entries(PARTS)) {
    const rows = newOrders.flatMap(rowsOf);
    await insert(insertInto(table, { ...rows[0] }), rows);
  }
  await takeUnits(batch, store, newOrders, sellables);
};

async function takeUnits(
  batch: Batch,
  store: Owner,
  orders: readonly Identified[],
  sellables: ReadonlyMap<BundleOrderLine, Sellable>,
): Promise<void> {
  const sold = orders.flatMap(({ number, id: orderId, line }) =>
    (takesStock(line) ? (line.line_items ?? []) : []).flatMap((item, index) => {
      const { quantity } = item;
      const { productId = null, variantId = null } = sellables.get(item) ?? {};
      const sku = item.sku || item.variant || item.product || '';
      // A bag has neither product nor SKU.
      if (item.sku && !item.product)
        batch.warn(number, `order.line_items[${index}] has no product, so it takes no stock`);
      return productId && quantity > 0 ? [{ number, index, orderId, productId, variantId, quantity, sku }] : [];
    }),
  );
  const taken = await takeSold(batch.sql, store.id, sold);
  const bins = new Map<number, number>();
  sold.forEach(({ number }, place) => bins.set(number, (bins.get(number) ?? 0) + (taken[place]?.bins ?? 0)));
  const problem = `order.line_items would take units from more than ${MAX_BINS_OF_ORDER} bins`;
  const refused = [...bins].filter(([, count]) => count > MAX_BINS_OF_ORDER);
  if (refused.length > 0) throw new BadLines(refused.map(([number]) => new BundleLineError(number, problem)));
  sold.forEach(({ number, index, quantity }, place) => {
    const available = quantity - (taken[place]?.short ?? 0);
    if (available === quantity) return;
    batch.warn(number, `order.line_items[${index}] is short: requested ${quantity}, available ${available}`);
  });
}

async function noteStored(batch: Batch, store: Owner, orders: readonly Identified[]): Promise<void> {
  if (orders.length === 0) return;
  const keys = orders.map(({ number, id, line: { receipt_number, external_reference, is_test, total_amount } }) => {
    return { number, id, receipt_number, external_reference, is_test, total_amount };
  });
  const found = await batch.sql.query<Stored>(FIND_STORED, [store.id, JSON.stringify(keys)]);
  const placed = orders.map((order, index) => ({ ...order, found: found[index] }));
  const unchanged = batch.good(placed, ({ found, ...order }) => {
    const problem = differenceOf(store, order, found);
    if (problem) throw new BundleLineError(order.number, problem);
    if (found?.isAnother) {
      batch.warn(order.number, 'order.receipt_number belongs to a stored order with another total_amount or is_test');
    }
    return { ...order, id: found?.idOfReceipt ?? order.id, outcome: 'unchanged' } as const;
  });
  batch.note(unchanged);
}

/**
 * Describes how a stored order differs. An order imported without an id is the same order when a later line gives one.
 */
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

/** Returns an id that begins with the time, like the ids of new orders, so that the indexes grow at their end. */
function derivedId({ subdomain }: Owner, { receipt_number, created_at }: OrderRecordLine): string {
  const random = createHash('sha256').update(`${subdomain}/${receipt_number.toUpperCase()}`).digest();
  return uuidv7({ msecs: Math.max(0, Date.parse(created_at)), random: random.subarray(0, 16) });
}

function orderRow({ id, line }: Identified) {
  const {
    line_items = [],
    history: _,
    bookings: _bookings,
    shipping_address: shipping = {},
    billing_address: billing,
    ...fields
  } = line;
  const money = moneyOf(line);
  return {
    customer_name: '',
    customer_email: '',
    customer_phone: '',
    notes: '',
    metadata: {},
    tax_amount: 0,
    shipping_amount: 0,
    discount_amount: 0,
    is_test: false,
    tax_included: false,
    ...fields,
    shipping_tax: line.shipping_tax?.length ? line.shipping_tax : null,
    placed_tax_lines: placedTaxesOf(line),
    shipping_address: filledFields(shipping),
    billing_address: filledFields(billing ?? shipping),
    cancelled_amount: money.cancelledAmount,
    cancellation_fee: money.cancellationFee,
    balance: ledgerOf(money).balance,
    held_reasons: heldReasonsOf(line),
    imported_at: new Date(),
    due_at: dueAtOf({ createdAt: new Date(line.created_at), paymentTermsDays: line.payment_terms_days ?? null }),
    id,
    units: line_items.reduce((sum, { quantity }) => sum + quantity, 0),
    external_reference: line.external_reference || null,
    is_guest: line.customer_id === null,
    searched_parts: searchedPartsOf(line),
  };
}

function searchedPartsOf({ shipments = [], payments = [] }: OrderRecordLine): string[] {
  const tracked = shipments.flatMap(({ tracking_number }) => tracking_number || []);
  return [...tracked, ...payments.map(({ reference }) => reference)];
}

/** In earlier bundles, a held stage means that the order is under review. */
function heldReasonsOf({ held_reasons, pipeline = [], fraud }: OrderRecordLine): readonly string[] | null {
  if (held_reasons) return held_reasons;
  return pipeline.some(({ state }) => state === 'held') ? (fraud?.reasons ?? []).map(({ rule }) => rule) : null;
}

function lineRow(orderId: string, position: number, item: BundleOrderLine, sellable: Sellable | undefined) {
  const { sku = item.variant ?? '', name, attributes, unit_price, quantity, metadata = {} } = item;
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
    metadata,
    tax: item.tax?.length ? item.tax : null,
    discount_amount: item.discount_amount || null,
    price_source: item.price_source ?? null,
  };
}
