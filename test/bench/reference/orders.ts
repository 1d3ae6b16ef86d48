import { countRows, listOf, pageValues, query, theOne, type Page, type Store } from './query.js';

const SUMMARY = `id, receipt_number, status, fulfillment_status, payment_method, amount, total_amount, currency,
  customer_name, source, created_at`;

// Skips rows in the index and fetches only the rows of the page: 0.30 ms against 0.40.
const LIST = `
  SELECT ${SUMMARY} FROM orders
  WHERE store_id = $1 AND (created_at, id) <= (
    SELECT created_at, id FROM orders WHERE store_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET $3)
  ORDER BY created_at DESC, id DESC LIMIT $2`;

const lookUpBy = (key: string) => `
  SELECT ${SUMMARY}, count(*) OVER () AS total FROM orders
  WHERE store_id = $1 AND ${key} ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4`;
const BY_EMAIL = lookUpBy('lower(customer_email) = lower($2)');
const BY_RECEIPT = lookUpBy('upper(receipt_number) = upper($2)');

const FIND = `
  SELECT ${SUMMARY}, tax_amount, shipping_amount, discount_amount,
    total_amount - amount - tax_amount - shipping_amount + discount_amount AS adjustment_amount, customer_id, customer_email, customer_phone, shipping_address, billing_address, notes,
    coalesce(external_reference, '') AS external_reference, is_test, updated_at,
    (SELECT coalesce(json_agg(json_build_object('line', line.position + 1, 'product_id', line.product_id, 'variant_id', line.variant_id,
        'sku', line.sku, 'name', line.name, 'attributes', line.attributes, 'unit_price', line.unit_price,
        'quantity', line.quantity, 'line_total', line.line_total,
        'cancelled_quantity', 0, 'returned_quantity', 0, 'shipped_quantity', coalesce(
          (SELECT sum(item.quantity) FROM shipment_items item
            WHERE item.store_id = $1 AND item.order_id = $2 AND item.position = line.position),
          CASE WHEN orders.fulfillment_status IN ('SHIPPED', 'DELIVERED', 'RETURNED') THEN line.quantity ELSE 0 END),
        'allocations', '[]'::json) ORDER BY line.position), '[]')
      FROM order_lines line WHERE line.store_id = $1 AND line.order_id = $2) AS line_items,
    (SELECT json_build_object('verdict', verdict, 'score', score, 'reasons', reasons)
      FROM fraud_assessments WHERE store_id = $1 AND order_id = $2) AS fraud,
    (SELECT coalesce(json_agg(json_build_object('stage', stage.stage, 'reference', '', 'state', stage.state, 'attempts', stage.attempts,
        'last_error', stage.last_error, 'at', stage.updated_at) ORDER BY stage.stage), '[]')
      FROM order_stages stage WHERE stage.store_id = $1 AND stage.order_id = $2) AS pipeline,
    (SELECT coalesce(json_agg(json_build_object('reference', reference, 'status', shipment.status, 'carrier', carrier,
        'tracking_number', tracking_number, 'tracking_url', tracking_url, 'shipped_at', shipped_at,
        'delivered_at', delivered_at, 'items', (
          SELECT json_agg(json_build_object('line', position + 1, 'quantity', quantity) ORDER BY position)
          FROM shipment_items item
          WHERE item.store_id = $1 AND item.order_id = $2 AND item.reference = shipment.reference))), '[]')
      FROM shipments shipment WHERE store_id = $1 AND order_id = $2) AS shipments,
    (SELECT coalesce(json_agg(payment), '[]') FROM payments AS payment WHERE store_id = $1 AND order_id = $2) AS payments,
    (SELECT coalesce(json_agg(refund), '[]') FROM refunds AS refund WHERE store_id = $1 AND order_id = $2) AS refunds,
    total_amount AS amount_owed, CASE WHEN status = 'SUCCEEDED' THEN total_amount ELSE 0 END AS amount_paid,
    CASE WHEN status = 'SUCCEEDED' AND fulfillment_status = 'CANCELLED' THEN total_amount ELSE 0 END AS refund_due
  FROM orders WHERE store_id = $1 AND id = $2`;

const NOT_SCREENED = { verdict: '', score: 0, reasons: [] };

const ADDRESS = { company: '', vat_id: '', address: '', address2: '', city: '', zip: '', region: '', country: '' };
type Address = Partial<typeof ADDRESS>;

interface FullRow {
  readonly customer_id: string | null;
  readonly customer_name: string;
  readonly customer_email: string;
  readonly customer_phone: string;
  readonly shipping_address: Address;
  readonly billing_address: Address;
  readonly fraud: unknown;
  readonly pipeline: readonly { readonly at: string }[];
}

const totals = await countRows('orders');

export function countOrder({ id }: Store): void {
  totals.set(id, (totals.get(id) ?? 0) + 1);
}

export async function listOrders(store: Store, page: Page) {
  const rows = await query('orders', LIST, [store.id, ...pageValues(page)]);
  return listOf(rows, totals.get(store.id) ?? 0, page);
}

export async function lookUpOrders(store: Store, search: string, page: Page) {
  const values = [store.id, search, ...pageValues(page)];
  const [name, text] = search.includes('@') ? ['by-email', BY_EMAIL] : ['by-receipt', BY_RECEIPT];
  const rows = await query<{ total: number }>(name, text, values);
  return listOf(
    rows.map(({ total: _total, ...summary }) => summary),
    rows[0]?.total ?? 0,
    page,
  );
}

export async function findOrder(store: Store, id: string) {
  const rows = await query<FullRow>('order', FIND, [store.id, id]);
  return theOne(rows, ({ customer_id, customer_email: email, customer_phone: phone, ...row }) => ({
    ...row,
    customer: { id: customer_id, name: row.customer_name, email, phone },
    shipping_address: { ...ADDRESS, ...row.shipping_address },
    billing_address: { name: '', ...ADDRESS, ...row.billing_address },
    fraud: row.fraud ?? NOT_SCREENED,
    pipeline: row.pipeline.map((stage) => ({ ...stage, at: new Date(stage.at) })),
  }));
}
