import type { TestDatabase } from '../../../support/test-database.js';
import { UNITS_OF_LINE } from './stock.js';

/** Each query finds orders that break a rule, independent of the clients' view. The store is $1. */
const RULES: Readonly<Record<string, string>> = {
  'has no lines': `
    SELECT id FROM orders o WHERE store_id = $1 AND source = 'WEBSITE'
      AND NOT EXISTS (SELECT FROM order_lines WHERE store_id = $1 AND order_id = o.id)`,
  'has no rows in the ledger': `
    SELECT id FROM orders o WHERE store_id = $1 AND source = 'WEBSITE'
      AND NOT EXISTS (SELECT FROM stock_movements WHERE store_id = $1 AND order_id = o.id)`,
  'has lines that differ from its ledger': `
    WITH lines AS (
      SELECT order_id AS id, product_id, coalesce(variant_id, 0) AS variant_key, sum(${UNITS_OF_LINE}) AS units
      FROM order_lines JOIN orders USING (store_id) WHERE store_id = $1 AND orders.id = order_id
        AND source = 'WEBSITE' GROUP BY 1, 2, 3 HAVING sum(${UNITS_OF_LINE}) > 0
    ), ledger AS (
      SELECT order_id AS id, product_id, variant_key, -sum(quantity) AS units
      FROM stock_movements JOIN orders USING (store_id)
      WHERE store_id = $1 AND orders.id = order_id AND source = 'WEBSITE' GROUP BY 1, 2, 3 HAVING sum(quantity) <> 0
    )
    SELECT DISTINCT id FROM lines FULL JOIN ledger USING (id, product_id, variant_key)
    WHERE lines.units IS DISTINCT FROM ledger.units`,
  'has a line whose total is not its price times its quantity': `
    SELECT order_id AS id FROM order_lines WHERE store_id = $1 AND line_total <> unit_price * quantity`,
  'has totals other than the sum of its lines': `
    SELECT o.id FROM orders o JOIN order_lines l ON l.store_id = o.store_id AND l.order_id = o.id
    WHERE o.store_id = $1 AND o.source = 'WEBSITE' GROUP BY o.store_id, o.id
    HAVING o.amount <> sum(l.line_total) OR o.total_amount <> sum(l.line_total)`,
  'has no assessment': `
    SELECT id FROM orders o WHERE store_id = $1 AND source = 'WEBSITE'
      AND NOT EXISTS (SELECT FROM fraud_assessments WHERE store_id = $1 AND order_id = o.id)`,
  // Holds as long as a proof restores the catalog.
  'has a price that is not the catalog’s': `
    SELECT order_id AS id FROM order_lines l JOIN products p ON p.store_id = l.store_id AND p.id = l.product_id
      LEFT JOIN product_variants v ON v.store_id = l.store_id AND v.id = l.variant_id
      JOIN orders o ON o.store_id = l.store_id AND o.id = l.order_id
    WHERE l.store_id = $1 AND o.source = 'WEBSITE' AND l.unit_price <> coalesce(
      (SELECT listed.price FROM list_prices AS listed
      WHERE listed.store_id = l.store_id AND listed.list = l.price_source AND listed.product_id = l.product_id
        AND listed.variant_key = coalesce(l.variant_id, 0) AND listed.from_quantity <= (
          SELECT sum(other.quantity) FROM order_lines AS other
          WHERE other.store_id = l.store_id AND other.order_id = l.order_id AND other.product_id = l.product_id
            AND other.variant_id IS NOT DISTINCT FROM l.variant_id)
      ORDER BY listed.from_quantity DESC LIMIT 1),
      CASE WHEN l.price_source IS NULL THEN coalesce(v.price, p.price) END, -1)`,
};

// Rows that need an order but have none. A foreign key forbids them; the oracle does not rely on it.
const ORPHANS: Readonly<Record<string, string>> = {
  order_lines: 'order_id IS NOT NULL',
  stock_movements: 'order_id IS NOT NULL',
  order_stages: 'true',
  fraud_assessments: `verdict <> 'REJECT'`,
};

/** Invariant 3, and the first half of 4: orders are complete, and refused ones leave no rows. */
export async function orderViolations(database: TestDatabase, storeId: number): Promise<string[]> {
  const violations: string[] = [];
  for (const [rule, sql] of Object.entries(RULES)) {
    const rows = await database.query<{ id: string }>(sql, [storeId]);
    violations.push(...rows.map(({ id }) => `order ${id} ${rule}`));
  }
  for (const [table, condition] of Object.entries(ORPHANS)) {
    const rows = await database.query<{ order_id: string }>(
      `SELECT order_id FROM ${table} t WHERE store_id = $1 AND ${condition}
         AND NOT EXISTS (SELECT FROM orders WHERE store_id = $1 AND id = t.order_id)`,
      [storeId],
    );
    violations.push(...rows.map(({ order_id }) => `${table} has a row of order ${order_id}, which does not exist`));
  }
  return violations;
}
