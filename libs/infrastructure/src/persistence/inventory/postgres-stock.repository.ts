import { StockRepository } from '@app/application';
import { allocateFromBins, OutOfStock, sameStock, type Shortage, type StockDemand } from '@app/domain';
import { IS_FOR_SALE } from './available-stock.js';
import type { TransactionSql } from '../transaction-sql.js';

interface StockRow {
  readonly product_id: number;
  readonly variant_key: number;
  readonly bin_id: number;
  readonly quantity: number;
}

// Every transaction locks the rows it needs in the order of the primary key, in one statement, so that two orders
// that share products wait for each other instead of deadlocking. READ COMMITTED reads the locked rows anew, so the
// quantities are those after the wait.
const LOCK_STOCK = `
  SELECT stock.product_id, stock.variant_key, stock.bin_id, stock.quantity
  FROM stock
  WHERE stock.store_id = $1
    AND (stock.product_id, stock.variant_key) IN (SELECT * FROM unnest($2::int[], $3::int[]))
    AND ${IS_FOR_SALE}
  ORDER BY stock.product_id, stock.variant_key, stock.bin_id
  FOR NO KEY UPDATE OF stock`;

const TAKE_STOCK = `
  WITH taken AS (
    SELECT * FROM unnest($3::int[], $4::int[], $5::int[], $6::int[]) AS t (product_id, variant_key, bin_id, quantity)
  ), updated AS (
    UPDATE stock SET quantity = stock.quantity - taken.quantity
    FROM taken
    WHERE stock.store_id = $1 AND stock.product_id = taken.product_id AND stock.variant_key = taken.variant_key
      AND stock.bin_id = taken.bin_id AND stock.quantity >= taken.quantity
    RETURNING stock.product_id, stock.variant_key, stock.bin_id, taken.quantity
  ), moved AS (
    INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity)
    SELECT $1, bin_id, product_id, variant_key, $2, 'ORDER', -quantity FROM updated
    RETURNING 1
  )
  SELECT count(*)::int AS moved FROM moved`;

// The rows that the order's movements name, in the order that every writer locks in.
const LOCK_MOVED_STOCK = `
  SELECT FROM stock
  WHERE store_id = $1 AND (product_id, variant_key, bin_id) IN (
    SELECT product_id, variant_key, bin_id FROM stock_movements WHERE store_id = $1 AND order_id = $2)
  ORDER BY product_id, variant_key, bin_id
  FOR NO KEY UPDATE`;

// Run under the lock, this sees what another cancellation returned before: what is outstanding is returned once.
const RETURN_STOCK = `
  WITH outstanding AS (
    SELECT product_id, variant_key, bin_id, -sum(quantity)::int AS quantity
    FROM stock_movements WHERE store_id = $1 AND order_id = $2
    GROUP BY product_id, variant_key, bin_id HAVING sum(quantity) < 0
  ), updated AS (
    UPDATE stock SET quantity = stock.quantity + outstanding.quantity
    FROM outstanding
    WHERE stock.store_id = $1 AND stock.product_id = outstanding.product_id
      AND stock.variant_key = outstanding.variant_key AND stock.bin_id = outstanding.bin_id
    RETURNING stock.product_id, stock.variant_key, stock.bin_id, outstanding.quantity
  ), moved AS (
    INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity)
    SELECT $1, bin_id, product_id, variant_key, $2, 'CANCELLATION', quantity FROM updated
    RETURNING quantity
  )
  SELECT coalesce(sum(quantity), 0)::int AS units FROM moved`;

/** Lives for one transaction: it is built by the unit of work, not by Nest. */
export class PostgresStockRepository extends StockRepository {
  constructor(private readonly sql: TransactionSql) {
    super();
  }

  override async withdraw(storeId: number, orderId: string, demands: readonly StockDemand[]): Promise<void> {
    const rows = await this.sql.query<StockRow>(LOCK_STOCK, [
      storeId,
      demands.map(({ productId }) => productId),
      demands.map(({ variantId }) => variantId ?? 0),
    ]);
    const taken = allocate(demands, rows);
    const [result] = await this.sql.query<{ moved: number }>(TAKE_STOCK, [
      storeId,
      orderId,
      taken.map(({ product_id }) => product_id),
      taken.map(({ variant_key }) => variant_key),
      taken.map(({ bin_id }) => bin_id),
      taken.map(({ quantity }) => quantity),
    ]);
    // The rows are locked, so this cannot happen; if it did, committing would sell what is not there.
    if (result?.moved !== taken.length) throw new Error('Stock changed under its lock');
  }

  override async restock(storeId: number, orderId: string): Promise<number> {
    await this.sql.query(LOCK_MOVED_STOCK, [storeId, orderId]);
    const [result] = await this.sql.query<{ units: number }>(RETURN_STOCK, [storeId, orderId]);
    return result?.units ?? 0;
  }
}

/** @throws OutOfStock naming every line whose demand the rows cannot meet. */
function allocate(demands: readonly StockDemand[], rows: readonly StockRow[]): StockRow[] {
  const taken: StockRow[] = [];
  const shortages: Shortage[] = [];
  for (const demand of demands) {
    const { productId: product_id, quantity: requested } = demand;
    const variant_key = demand.variantId ?? 0;
    const bins = rows
      .filter((row) => sameStock(demand, { productId: row.product_id, variantId: row.variant_key || null }))
      .map(({ bin_id, quantity }) => ({ binId: bin_id, quantity }));
    const withdrawals = allocateFromBins(bins, requested);
    if (withdrawals) {
      taken.push(...withdrawals.map(({ binId, quantity }) => ({ product_id, variant_key, bin_id: binId, quantity })));
    } else {
      const available = bins.reduce((sum, bin) => sum + bin.quantity, 0);
      shortages.push(...demand.lines.map((line) => ({ line, requested, available })));
    }
  }
  if (shortages.length > 0) throw new OutOfStock(shortages.sort((a, b) => a.line - b.line));
  return taken;
}
