import { ReceiptNumberTaken } from '@app/application';
import type { FraudAssessment, Order } from '@app/domain';
import { hasEmail } from '../customers/person.js';
import { isUniqueViolation } from '../postgres/postgres-errors.js';
import { HAS_BEGUN, type Statement } from '../postgres/transaction-sql.js';
import { rulesOf } from './order-stages.js';

// One statement, one round trip: the order, its lines, its stages and its assessment. Pending stages are due at once. A
// position is the place in PIPELINE_STAGES. `placed` stands for the stages that complete in this transaction.
const INSERT_ORDER = `/* orders.insert */
  WITH placed AS (
    INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
      amount, total_amount, customer_name, customer_email, customer_phone, shipping_address, billing_address, notes,
      is_test, created_at, updated_at, external_reference, placed, placed_by, email_key, phone_key, address_key, customer_id)
    VALUES ($1, CASE WHEN ${HAS_BEGUN} THEN $2::uuid END, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15, $16, $17, $17, $22, true, $25,
      email_key($12), comparable_phone($13), comparable_address($14),
      (SELECT id FROM customers WHERE store_id = $1 AND ${hasEmail('customers', '$12')}))
  ), lines AS (
    INSERT INTO order_lines (store_id, order_id, position, product_id, variant_id, sku, name, attributes,
      attribute_names, unit_price, quantity, line_total)
    SELECT $1, $2, line.*
    FROM jsonb_to_recordset($18) AS line (position int, product_id int, variant_id int, sku text, name text,
      attributes jsonb, attribute_names text[], unit_price bigint, quantity int, line_total bigint)
  ), stages AS (
    INSERT INTO order_stages (store_id, order_id, stage, state, position, held_for)
    VALUES ($1, $2, 'notify-customer', $23, 3, $24), ($1, $2, 'notify-merchant', 'pending', 4, NULL)
  )
  INSERT INTO fraud_assessments (store_id, order_id, verdict, score, reasons, created_at)
  VALUES ($1, $2, $19, $20, $21, $17)`;

/** An order with this id is already committed, by an attempt whose answer was lost. */
export class OrderExists extends Error {}

/** A committed order has the reference: PostgreSQL waits for a running transaction that inserted it. */
export class ReferenceInUse extends Error {}

/** Inserts the order, its lines, its stages and its assessment. Under REVIEW the customer's confirmation is held. */
export function orderInsertion(order: Order, assessment: FraudAssessment): Statement {
  const { customer, address } = order;
  const { verdict, score, reasons } = assessment;
  const isHeld = verdict === 'REVIEW';
  const lines = order.lines.map((line, position) => ({
    position,
    product_id: line.productId,
    variant_id: line.variantId,
    sku: line.sku,
    name: line.name,
    attributes: line.attributes,
    attribute_names: Object.keys(line.attributes),
    unit_price: line.unitPrice.minor,
    quantity: line.quantity,
    line_total: line.total.minor,
  }));
  const values = [
    order.storeId,
    order.id,
    order.receiptNumber,
    order.source,
    order.status,
    order.fulfillmentStatus,
    order.paymentMethod,
    order.currency,
    order.subtotal.minor,
    order.total.minor,
    customer.name,
    customer.email,
    customer.phone,
    JSON.stringify(address),
    order.notes,
    order.isTest,
    order.placedAt,
    JSON.stringify(lines),
    verdict,
    score,
    JSON.stringify(reasons),
    order.externalReference || null,
    isHeld ? 'held' : 'pending',
    isHeld ? rulesOf(assessment) : null,
    order.placedBy,
  ];
  return { text: INSERT_ORDER, values };
}

/** Translates an error of the insertion: OrderExists, ReceiptNumberTaken, ReferenceInUse, or the error itself. */
export function insertionError(error: unknown): unknown {
  if (isUniqueViolation(error, 'orders_by_receipt')) return new ReceiptNumberTaken();
  if (isUniqueViolation(error, 'orders_by_external_reference')) return new ReferenceInUse();
  // Both keys begin with the order's id; either INSERT of the statement may fail first.
  if (isUniqueViolation(error, 'orders_pkey', 'fraud_assessments_pkey')) return new OrderExists();
  return error;
}
