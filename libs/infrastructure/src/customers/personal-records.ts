import type { OrderLineRecord, PipelineStageRecord } from '@app/application';
import type { BookedAmounts, BookingKind, PaymentRecord, RefundRecord, TaxLine } from '@app/domain';
import { toOrderRecord, type OrderRow } from '../orders/order.rows.js';
import { toSafeInteger } from '../postgres/integers.js';

// These statements read the rows that contain personal data, with the fields of a store bundle. The table is called
// `item`.

/** The columns of a customer. The secrets are in another table. */
export const CUSTOMER_COLUMNS = `item.id, item.name, item.email, item.phone, item.status, item.email_verified,
  item.loyalty_points, item.total_spent, item.tags, item.city, item.payment_terms_days,
  item.company, item.vat_id, item.groups, item.price_list, item.addresses, item.contacts, item.metadata, item.created_at, item.last_login`;

export { BUNDLED_ORDER_COLUMNS as ORDER_COLUMNS } from '../orders/order.sql.js';

/** Null where the product or variant of a line no longer exists. */
type CatalogJson = readonly [product: string | null, variant: string | null];

export interface OrderColumns extends OrderRow {
  /** Contains one entry for each line. */
  readonly catalog: readonly CatalogJson[];
  readonly history: readonly { readonly at: string }[];
  readonly bookings: readonly BookingJson[];
}

const AMOUNTS = ['charged', 'credited', 'paid', 'refunded'] as const;

/** Amounts are text, because JSON numbers are not exact. */
interface BookingJson extends Record<(typeof AMOUNTS)[number], string> {
  readonly at: string;
  readonly bookedAt: string;
  readonly kind: BookingKind;
  readonly reference: string;
  readonly taxLines: readonly TaxLine[] | null;
}

/** Returns the fields of an order in a store bundle. */
export function orderRecord(row: OrderColumns) {
  const order = toOrderRecord(row);
  const { externalReference, heldReasons, fraud, shipments, payments, refunds } = order;
  return {
    id: order.id,
    receipt_number: order.receiptNumber,
    source: order.source,
    status: order.status,
    fulfillment_status: order.fulfillmentStatus,
    payment_method: order.paymentMethod,
    currency: order.currency,
    amount: order.amount,
    total_amount: order.totalAmount,
    tax_amount: order.taxAmount,
    shipping_amount: order.shippingAmount,
    discount_amount: order.discountAmount,
    ...(order.shippingTax.length > 0 && { shipping_tax: order.shippingTax }),
    ...(order.isTaxIncluded && { tax_included: true }),
    cancelled_amount: order.cancelledAmount,
    ...(order.cancellationFee && { cancellation_fee: order.cancellationFee }),
    customer_id: order.customerId,
    customer_name: order.customer.name,
    customer_email: order.customer.email,
    customer_phone: order.customer.phone,
    shipping_address: order.shippingAddress,
    billing_address: order.billingAddress,
    notes: order.notes,
    metadata: order.metadata,
    is_test: order.isTest,
    created_at: order.createdAt,
    ...(order.paymentTermsDays !== null && { payment_terms_days: order.paymentTermsDays }),
    ...(externalReference !== '' && { external_reference: externalReference }),
    line_items: order.lines.map((line, index) => itemRecord(line, row.catalog[index])),
    ...(heldReasons && { held_reasons: heldReasons }),
    ...(fraud && { fraud: { ...fraud, reasons: fraud.reasons.map(({ rule, score }) => ({ rule, score })) } }),
    pipeline: order.pipeline.map(stageRecord),
    ...(shipments.length > 0 && {
      shipments: shipments.map(
        ({ reference, status, items, carrier, trackingNumber, trackingUrl, notify, shippedAt, deliveredAt }) => ({
          ...{ reference, status, items, carrier, notify },
          tracking_number: trackingNumber,
          tracking_url: trackingUrl,
          shipped_at: shippedAt && shippedAt.toISOString(),
          delivered_at: deliveredAt && deliveredAt.toISOString(),
        }),
      ),
    }),
    ...(payments.length > 0 && { payments: payments.map(paymentRecord) }),
    ...(refunds.length > 0 && { refunds: refunds.map(refundRecord) }),
    ...(row.bookings.length > 0 && { bookings: row.bookings.map(bookingRecord) }),
    ...(row.history.length > 0 && {
      history: row.history.map((event) => withText({ ...event, at: new Date(event.at) })),
    }),
  };
}

function itemRecord(line: OrderLineRecord, [product, variant]: CatalogJson = [null, null]) {
  return {
    ...(product && { product }),
    ...(variant && { variant }),
    sku: line.sku,
    name: line.name,
    attributes: line.attributes,
    ...(line.tax.length > 0 && { tax: line.tax }),
    ...(line.discount !== 0 && { discount_amount: line.discount }),
    ...(line.priceSource !== null && { price_source: line.priceSource }),
    unit_price: line.unitPrice,
    quantity: line.quantity,
    metadata: line.metadata,
    ...(line.returnedQuantity > 0 && { returned_quantity: line.returnedQuantity }),
    ...(line.cancelledQuantity > 0 && { cancelled_quantity: line.cancelledQuantity }),
  };
}

function stageRecord({ reference, lastError, at, ...stage }: PipelineStageRecord) {
  return { ...stage, ...(reference && { reference }), last_error: lastError, at: at.toISOString() };
}

function paymentRecord({ reference, amount, at, writtenOff, method, fee, payout, metadata }: PaymentRecord) {
  return {
    ...withText({ reference, amount, at }),
    ...(writtenOff !== 0 && { written_off: writtenOff }),
    ...(method && { method }),
    ...(fee > 0 && { fee }),
    ...(payout && { payout }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

function refundRecord({ reference, amount, at, reason, credited, lines, restock }: RefundRecord) {
  const units = lines.map(({ line, quantity, cancelledQuantity: cancelled_quantity }) => {
    return { line, quantity, cancelled_quantity };
  });
  return {
    ...withText({ reference, amount, at, reason, credited }),
    ...(units.length > 0 && { lines: units }),
    ...(restock && { restock }),
  };
}

/** Omits amounts of 0. */
function bookingRecord({ at, bookedAt, kind, reference, taxLines, ...booking }: BookingJson) {
  const amounts = AMOUNTS.filter((name) => booking[name] !== '0').map((name) => [name, toSafeInteger(booking[name])]);
  return {
    ...{ at: new Date(at).toISOString(), booked_at: new Date(bookedAt).toISOString(), kind },
    ...(reference && { reference }),
    ...(Object.fromEntries(amounts) as Partial<BookedAmounts>),
    ...(taxLines && { tax_lines: taxLines }),
  };
}

/** Converts the time of a part to text. */
function withText<T extends { readonly at: Date }>(part: T) {
  return { ...part, at: part.at.toISOString() };
}
