import { VARIANTS } from './seed-catalog.js';
import { inChunks, type Seeding } from './seeding.js';

const PAYMENT = { SUCCEEDED: 68, PENDING: 12, CANCELLED: 8, REFUNDED: 6, FAILED: 6 };
const FULFILLMENT = {
  DELIVERED: 55,
  SHIPPED: 10,
  PROCESSING: 8,
  PENDING: 8,
  CONFIRMED: 7,
  CANCELLED: 7,
  RETURNED: 5,
};
const LINES = { 1: 15, 2: 20, 3: 30, 4: 20, 5: 15 };
const DAYS = 730;
/** Occurs only in the e-mail of about that many orders of a store. */
export const RARE_TEXT = 'zqxj-rarity';
const RARE_ORDERS = 20;
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** An odd number maps 30 bits one to one, so that the six symbols are unique. */
const SCATTER = 387_420_489;

/** Orders of the last two years, oldest first. One statement per chunk, at whose end every reference holds. */
export async function seedOrders(seeding: Seeding): Promise<void> {
  const { sql, storeId, sizes, draws, people } = seeding;
  const email = `CASE WHEN n % ${Math.max(1, Math.floor(sizes.orders / RARE_ORDERS))} = 0 THEN n || '@${RARE_TEXT}.example'
    WHEN source = 'WEBSITE' OR n % 2 = 0 THEN ${people.email('k')} ELSE '' END`;
  await inChunks(
    sql,
    sizes.orders,
    `WITH drawn AS MATERIALIZED (${drawn(seeding)}), lines AS MATERIALIZED (${lines(seeding)}), placed AS (
       INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
         amount, total_amount, units, customer_id, customer_name, customer_email, customer_phone, shipping_address,
         billing_address, notes, external_reference, created_at)
       SELECT ${storeId}, id, ${receipt()}, source, ${draws.weighted(PAYMENT, 'n', 'payment')},
         ${draws.weighted(FULFILLMENT, 'n', 'fulfillment')},
         CASE WHEN source = 'POS' THEN 'CASH' WHEN n % 4 = 0 THEN 'OFFLINE' ELSE 'COD' END, 'USD',
         sums.amount, sums.amount, sums.units, ${people.id('k')}, ${people.name('k')}, ${email}, ${people.phone('k')}, address, address,
         CASE WHEN n % 10 = 0 THEN 'Please ring twice' ELSE '' END, CASE WHEN source = 'WEBSITE' THEN 'PO-' || n END, at
       FROM drawn JOIN (
         SELECT n, sum(unit_price * quantity) AS amount, sum(quantity) AS units FROM lines GROUP BY n) AS sums USING (n),
         LATERAL (SELECT CASE WHEN source = 'WEBSITE' THEN ${people.address('k')} ELSE '{}' END) AS places (address)
       ORDER BY n
     ), assessed AS (
       INSERT INTO fraud_assessments (store_id, order_id, verdict, score, reasons, created_at)
       SELECT ${storeId}, id, CASE WHEN odd THEN 'REVIEW' ELSE 'ACCEPT' END, CASE WHEN odd THEN 60 ELSE 0 END,
         CASE WHEN odd THEN '[{"rule":"email_velocity","score":30},{"rule":"disposable_email","score":30}]'::jsonb
           ELSE '[]' END, at
       FROM drawn, LATERAL (SELECT ${draws.below(25, 'n', 'odd')} = 0) AS screened (odd) WHERE source = 'WEBSITE'
     ), staged AS (
       INSERT INTO order_stages (store_id, order_id, stage, state, attempts, outcome, updated_at)
       SELECT ${storeId}, id, stage, 'done', 1, 'sent', at + interval '1 second' * position
       FROM drawn, unnest(ARRAY['fraud-analysis', 'inventory', 'notify-customer', 'notify-merchant'])
         WITH ORDINALITY AS stages (stage, position) WHERE source = 'WEBSITE'
     )
     INSERT INTO order_lines (store_id, order_id, position, product_id, variant_id, sku, name, attributes, unit_price,
       quantity, line_total)
     SELECT ${storeId}, id, position, product_id, variant_id, sku, name, attributes, unit_price, quantity,
       unit_price * quantity
     FROM lines ORDER BY n, position`,
  );
}

function drawn({ sizes, draws }: Seeding): string {
  const source = draws.weighted({ POS: 70, WEBSITE: 30 }, 'n', 'source');
  return `
    SELECT n, at, ${draws.uuid('at', 'n', 'order')} AS id, ${source} AS source,
      1 + ${draws.below(sizes.customers, 'n', 'customer of')} AS k, ${draws.weighted(LINES, 'n', 'lines')}::int AS count
    FROM generate_series($1::bigint, $2::bigint) AS n,
      LATERAL (SELECT date_trunc('hour', now()) - interval '3 hours' - interval '${DAYS} days'
        * (1 - (n - 0.9 * ${draws.below(1_000, 'n', 'moment')} / 1000.0) / ${sizes.orders})) AS placed (at)`;
}

function lines({ storeId, sizes, draws, bases }: Seeding): string {
  const line = 'n * 8 + position';
  return `
    SELECT n, drawn.id, position, product.id AS product_id,
      CASE WHEN item > 0 THEN ${bases.product_variants} + (number - 1) * ${VARIANTS} + item END AS variant_id,
      product.sku || CASE WHEN item > 0 THEN '-' || item ELSE '' END AS sku, product.name,
      CASE WHEN item > 0 THEN jsonb_build_object('Size', item::text, 'Color', 'Blue') ELSE '{}' END AS attributes,
      product.price + item * 100 AS unit_price, 1 + ${draws.below(3, line, 'units')} AS quantity
    FROM drawn, generate_series(0, drawn.count - 1) AS position,
      LATERAL (SELECT 1 + ${draws.below(sizes.products, line, 'product of')} AS number,
        ${draws.below(VARIANTS + 1, line, 'item of')} AS item) AS choice
      JOIN products product ON product.store_id = ${storeId} AND product.id = ${bases.products} + number`;
}

/** `POS-0000123`, or `WEB-261120-7K3M9Q`. */
function receipt(): string {
  const scattered = `((n * ${SCATTER}) & 1073741823)`;
  const symbols = [25, 20, 15, 10, 5, 0].map(
    (bits) => `substr('${CROCKFORD}', 1 + (${scattered} >> ${bits} & 31)::int, 1)`,
  );
  return `CASE WHEN source = 'POS' THEN 'POS-' || lpad(n::text, 7, '0')
    ELSE 'WEB-' || to_char(at AT TIME ZONE 'UTC', 'YYMMDD-') || ${symbols.join(' || ')} END`;
}
