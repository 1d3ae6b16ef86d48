import type { TestDatabase } from '../../support/test-database.js';
import type { SeededStore } from '../stores/seed-store.js';

/** The totals of a store's orders since a given moment. */
export interface Books {
  readonly orders: number;
  /** Rows of stock that disagree with the ledger. Must be 0. */
  readonly unequalStock: number;
  /** Ordered units minus units that left the stock for orders. Must not change. */
  readonly unitsNotTaken: number;
}

/** Reads the totals of a store whose orders all come from the service. */
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
  if (!row) throw new Error('The query of the totals returned no row');
  return row;
}

/**
 * @param answered 201s that clients saw. The store may have more orders: those in progress when a round ended.
 * @throws Error when an acknowledged order is missing, or stock disagrees with the orders.
 */
export function assertBalanced(before: Books, after: Books, answered: number, mostUnderWay: number): void {
  const placed = after.orders - before.orders;
  const faults = [
    placed < answered && `${answered} orders were acknowledged and ${placed} exist`,
    placed > answered + mostUnderWay && `${placed} orders exist and only ${answered} were acknowledged`,
    after.unequalStock > 0 && `${after.unequalStock} rows of stock disagree with the ledger`,
    after.unitsNotTaken !== before.unitsNotTaken && 'the units of the orders differ from those that left the stock',
  ].filter((fault) => fault !== false);
  if (faults.length > 0) throw new Error(`After the orders: ${faults.join('; ')}`);
}

/** The number of the store's later orders per verdict. */
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
