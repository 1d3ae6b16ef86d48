import type { OrderKey } from '@app/application';
import { MAX_BINS_OF_ORDER, MAX_MOVEMENTS, TooManyBinsOfOrder, TooManyRecords } from '@app/domain';
import type { TransactionSql } from '../postgres/transaction-sql.js';

const MOVEMENTS = `/* stock.movements_of_order */
  SELECT count(DISTINCT (position, bin_id)) FILTER (WHERE kind = 'ORDER')::int AS bins, count(*)::int AS movements
  FROM stock_movements WHERE store_id = $1 AND order_id = $2`;

/**
 * Limits what the order has, including the movements of the transaction. A bin counts even after its units are gone.
 * @throws TooManyBinsOfOrder, TooManyRecords
 */
export async function assertFewMovements(sql: TransactionSql, { storeId, orderId }: OrderKey): Promise<void> {
  const [row] = await sql.query<{ bins: number; movements: number }>(MOVEMENTS, [storeId, orderId]);
  if (row && row.bins > MAX_BINS_OF_ORDER) throw new TooManyBinsOfOrder(MAX_BINS_OF_ORDER);
  if (row && row.movements > MAX_MOVEMENTS) throw new TooManyRecords('movements of its stock', MAX_MOVEMENTS);
}
