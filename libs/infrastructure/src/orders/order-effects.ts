import type { OrderKey } from '@app/application';
import {
  ExternalReferenceTaken,
  filledFields,
  taxLinesOf,
  type EffectKind,
  type EffectOf,
  type LineQuantity,
  type OrderEffect,
} from '@app/domain';
import type { Statement, TransactionSql } from '../postgres/transaction-sql.js';
import { firstUnits, UNCLAIMED_UNITS } from '../stock/line-units.js';
import { restockStatements, type LockedOrder } from '../stock/restock.js';
import { insertLines, linesJson, taxJson } from './insert-order.js';
import { mailStage, retryStages, reviewStatement } from './order-stages.js';

const SET_CONTACT = `/* orders.set_contact */
  UPDATE orders SET customer_name = $3, customer_email = $4, customer_phone = $5, shipping_address = $6,
    billing_address = $7
  WHERE store_id = $1 AND id = $2`;

const FIND_OTHER = `/* orders.find_other_with_reference */
  SELECT other.id FROM orders AS item
  JOIN orders AS other ON other.store_id = item.store_id AND other.external_reference = $3 AND other.is_test = item.is_test
  WHERE item.store_id = $1 AND item.id = $2 AND other.id <> item.id`;

const SET_TERMS = `/* orders.set_terms */
  UPDATE orders SET external_reference = nullif($3, ''), payment_method = $4 WHERE store_id = $1 AND id = $2`;

const ASSESS = `/* orders.assess */
  UPDATE fraud_assessments SET verdict = $3, score = $4, reasons = $5 WHERE store_id = $1 AND order_id = $2`;

// A client's clock may be slightly ahead, so its shipping time may be in the future.
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

const ASKED_UNITS =
  '(SELECT line - 1 AS position, quantity FROM unnest($3::int[], $4::int[]) AS item (line, quantity))';

const SHIP_ITEMS = `/* orders.save_shipment_items */
  INSERT INTO shipment_items (store_id, order_id, reference, position, bin_id, quantity)
  SELECT $1, $2, $5, position, bin_id, quantity FROM ${firstUnits(UNCLAIMED_UNITS, ASKED_UNITS)} AS taken
  WHERE NOT EXISTS (SELECT FROM shipment_items WHERE store_id = $1 AND order_id = $2 AND reference = $5)`;

const CANCEL_UNITS = `/* orders.cancel_units */
  INSERT INTO cancelled_units (store_id, order_id, position, bin_id, quantity)
  SELECT $1, $2, position, bin_id, quantity FROM ${firstUnits(UNCLAIMED_UNITS, ASKED_UNITS)} AS taken`;

const CREDIT_UNITS = `/* orders.credit_units */
  UPDATE orders SET cancelled_amount = cancelled_amount + $3 WHERE store_id = $1 AND id = $2`;

const KEEP_FEE = `/* orders.keep_fee */
  UPDATE orders SET cancellation_fee = $3, cancelled_amount = cancelled_amount + $4 WHERE store_id = $1 AND id = $2`;

const CHANGE_LINES = `/* orders.change_lines */
  UPDATE order_lines SET quantity = changed.quantity, unit_price = changed.unit_price,
    price_source = CASE WHEN order_lines.unit_price = changed.unit_price THEN price_source END,
    line_total = changed.unit_price * changed.quantity, tax = changed.tax, discount_amount = nullif(changed.discount, 0)
  FROM jsonb_to_recordset($3) AS changed (line int, quantity int, unit_price bigint, tax jsonb, discount bigint)
  WHERE store_id = $1 AND order_id = $2 AND position = changed.line - 1`;

const ADD_LINES = `/* orders.add_lines */ ${insertLines('$1', '$2', '$3')}`;

const CHANGE_AMOUNTS = `/* orders.change_amounts */
  UPDATE orders SET amount = amount + $3, units = units + $4, total_amount = $5, tax_amount = $6, discount_amount = $7,
    shipping_amount = $8, shipping_tax = nullif($9::jsonb, '[]'), tax_included = $10, charges_given = nullif($11::boolean, false),
    placed_tax_lines = coalesce(placed_tax_lines, $12)
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
const PAY = recordIn(
  'payments',
  ', written_off, method, fee, payout, metadata',
  ', nullif($7::bigint, 0), $8, $9, $10, $11',
);
const REFUND = recordIn('refunds', ', lines, restock, reason, credited', ", nullif($7::jsonb, '[]'), $8, $9, $10");

// An answer cannot show a greater integer exactly.
const MOST = Number.MAX_SAFE_INTEGER;

const SPEND = `/* orders.add_to_total_spent */
  UPDATE customers SET total_spent = least(greatest(total_spent + $3, -${MOST}), ${MOST})
  FROM orders JOIN stores ON stores.id = orders.store_id AND stores.currency = orders.currency
  WHERE orders.store_id = $1 AND orders.id = $2 AND NOT orders.is_test
    AND customers.store_id = $1 AND customers.id = orders.customer_id`;

/**
 * What the effects of a change write, in the sequence in which every writer locks: the order, its stock, its lines, its
 * customer.
 */
export interface Writes {
  readonly order: readonly Statement[];
  readonly stock: readonly Statement[];
  /** These statements run after cancelled units have gone back, and before units for the lines are withdrawn. */
  readonly lines: readonly Statement[];
  readonly customer: readonly Statement[];
}

type Interpreter<Effect> = (
  order: LockedOrder & { readonly sql: TransactionSql },
  effect: Effect,
) => Partial<Writes> | Promise<Partial<Writes>>;

const INTERPRETERS: { readonly [Kind in EffectKind]: Interpreter<EffectOf<Kind>> } = {
  shipment({ key }, { shipment }) {
    const { reference, status, carrier, trackingNumber, trackingUrl, notify, shippedAt, deliveredAt, items } = shipment;
    const how = [status, carrier, trackingNumber, trackingUrl, notify, shippedAt, deliveredAt, shipment.requestHash];
    return {
      order: [statement(SHIP, key, reference, ...how), statement(SHIP_ITEMS, key, ...columnsOf(items), reference)],
    };
  },

  payment({ key }, { reference, amount, at, requestHash, writtenOff, method, fee, payout, ...payment }) {
    const how = [writtenOff, method, fee, payout, JSON.stringify(payment.metadata)];
    return {
      order: [statement(PAY, key, reference, amount, at, requestHash, ...how)],
      customer: payment.isOfStatus ? [] : spending(key, amount),
    };
  },

  refund({ key }, { reference, amount, at, requestHash, lines, restock, reason, credited }) {
    const units = lines.map(({ line, quantity, cancelledQuantity }) => {
      return { line, quantity, ...(cancelledQuantity > 0 && { cancelled_quantity: cancelledQuantity }) };
    });
    const what = [JSON.stringify(units), restock, reason, credited];
    return {
      order: [statement(REFUND, key, reference, amount, at, requestHash, ...what)],
      customer: spending(key, -amount),
    };
  },

  cancelledUnits({ key }, { lines, amount }) {
    return {
      order: [
        statement(CANCEL_UNITS, key, ...columnsOf(lines)),
        ...(amount > 0 ? [statement(CREDIT_UNITS, key, amount)] : []),
      ],
    };
  },

  cancellationFee({ key }, { amount, credited }) {
    return { order: [statement(KEEP_FEE, key, amount, credited)] };
  },

  lines({ key, state }, { changed, added, amount, units, shippingTax, isTaxIncluded, hasGivenCharges, ...amounts }) {
    const { totalAmount, taxAmount, discountAmount, shippingAmount } = amounts;
    const sums = [amount, units, totalAmount, taxAmount, discountAmount, shippingAmount];
    const charges = [JSON.stringify(shippingTax), isTaxIncluded, hasGivenCharges];
    const lines = changed.map(({ tax, unitPrice, ...line }) => ({ ...line, unit_price: unitPrice, tax: taxJson(tax) }));
    return {
      lines: [
        statement(CHANGE_LINES, key, JSON.stringify(lines)),
        statement(ADD_LINES, key, linesJson(added, state.lines.length)),
        statement(CHANGE_AMOUNTS, key, ...sums, ...charges, JSON.stringify(taxLinesOf(state))),
      ],
    };
  },

  async restock({ sql, ...order }, restock) {
    return { stock: await restockStatements(sql, order, restock) };
  },

  review({ key }, { to }) {
    return { order: [reviewStatement(key, to)] };
  },

  assessment({ key }, { verdict, score, reasons }) {
    return { order: [statement(ASSESS, key, verdict, score, JSON.stringify(reasons))] };
  },

  contact({ key }, { customer: { name, email, phone }, shippingAddress, billingAddress }) {
    const addresses = [shippingAddress, billingAddress].map((address) => JSON.stringify(filledFields(address)));
    return { order: [statement(SET_CONTACT, key, name, email, phone, ...addresses)] };
  },

  async terms({ sql, key }, { externalReference, paymentMethod }) {
    const [other] = await sql.query<{ id: string }>(FIND_OTHER, [key.storeId, key.orderId, externalReference]);
    if (other) throw new ExternalReferenceTaken(other.id);
    return { order: [statement(SET_TERMS, key, externalReference, paymentMethod)] };
  },

  mail({ key }, mail) {
    return { order: [mailStage(key, mail)] };
  },

  repeatedMail({ key }, mail) {
    return { order: [retryStages(key, [mail])] };
  },

  metadata({ key }, { ofOrder, lines }) {
    return {
      order: [
        statement(SET_METADATA, key, JSON.stringify(ofOrder)),
        ...(lines.length > 0 ? [statement(SET_LINE_METADATA, key, JSON.stringify(lines))] : []),
      ],
    };
  },
};

/** @throws StockRefused, UnitsWithoutBin when the search for the bins of a return throws them */
export async function writesOf(
  sql: TransactionSql,
  order: LockedOrder,
  effects: readonly OrderEffect[],
): Promise<Writes> {
  const all: Partial<Writes>[] = [];
  for (const effect of effects) {
    const interpret = INTERPRETERS[effect.kind] as Interpreter<OrderEffect>;
    all.push(await interpret({ ...order, sql }, effect));
  }
  const phase = (name: keyof Writes) => all.flatMap((writes) => writes[name] ?? []);
  return { order: phase('order'), stock: phase('stock'), lines: phase('lines'), customer: phase('customer') };
}

function spending({ storeId, orderId }: OrderKey, amount: number): Statement[] {
  // @protects total-spent
  return amount === 0 ? [] : [{ text: SPEND, values: [storeId, orderId, amount] }];
}

function statement(text: string, { storeId, orderId }: OrderKey, ...values: readonly unknown[]): Statement {
  return { text, values: [storeId, orderId, ...values] };
}

function columnsOf(units: readonly LineQuantity[]): unknown[] {
  return [units.map(({ line }) => line), units.map(({ quantity }) => quantity)];
}
