import type { TestDatabase } from '../../support/test-database.js';
import type { SeededStore } from '../stores/seed-store.js';

/** What a store's orders have come to since some moment. */
export interface Books {
  readonly orders: number;
  /** Stock that is not what its ledger says. Must be 0. */
  readonly unequalStock: number;
  /** Units that orders have, less units that left the stock for them. Must stay as it is. */
  readonly unitsNotTaken: number;
}

/** Reads the books of a store whose orders all come from the service. */
export async function readBooks(database: TestDatabase, { id }: SeededStore): Promise<Books> {
  const [row] = await database.query<Books>(
    `SELECT (SELECT count(*)::int FROM orders WHERE store_id = $1) AS orders,
       (SELECT count(*)::int FROM stock
        LEFT JOIN (SELECT product_id, variant_key, bin_id, sum(quantity) AS quantity FROM stock_movements
          WHERE store_id = $1 GROUP BY product_id, variant_key, bin_id) AS ledger USING (product_id, variant_key, bin_id)
        WHERE store_id = $1 AND stock.quantity <> coalesce(ledger.quantity, 0)) AS "unequalStock",
       (SELECT sum(quantity)::int FROM order_lines WHERE store_id = $1)
         + (SELECT coalesce(sum(quantity), 0)::int FROM stock_movements WHERE store_id = $1 AND kind = 'ORDER')
         AS "unitsNotTaken"`,
    [id],
  );
  if (!row) throw new Error('There are no books');
  return row;
}

/**
 * @param answered 201s that clients saw. Orders may be more, by those that were under way when a round ended.
 * @throws Error when an acknowledged order is missing, or stock is not what the orders left.
 */
export function assertBalanced(before: Books, after: Books, answered: number, mostUnderWay: number): void {
  const placed = after.orders - before.orders;
  const faults = [
    placed < answered && `${answered} orders were acknowledged and ${placed} are there`,
    placed > answered + mostUnderWay && `${placed} orders are there and only ${answered} were acknowledged`,
    after.unequalStock > 0 && `${after.unequalStock} rows of stock are not what their ledger says`,
    after.unitsNotTaken !== before.unitsNotTaken && 'the units of the orders are not those that left the stock',
  ].filter((fault) => fault !== false);
  if (faults.length > 0) throw new Error(`After the orders: ${faults.join('; ')}`);
}

/** How many of the store's orders since then were judged how. */
export async function verdictsSince(
  database: TestDatabase,
  { id }: SeededStore,
  since: Date,
): Promise<Record<string, number>> {
  const rows = await database.query<{ verdict: string; count: number }>(
    `SELECT verdict, count(*)::int AS count FROM fraud_assessments WHERE store_id = $1 AND created_at >= $2
     GROUP BY verdict ORDER BY verdict`,
    [id, since],
  );
  return Object.fromEntries(rows.map(({ verdict, count }) => [verdict, count]));
}
