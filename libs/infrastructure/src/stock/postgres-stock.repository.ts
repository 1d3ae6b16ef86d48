import { StockRepository } from '@app/application';
import { OutOfStock, type StockDemand } from '@app/domain';
import { IS_FOR_SALE } from './available-stock.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';

interface Withdrawal {
  readonly available: number;
  readonly taken: number;
}

// One statement, so that no answer has to travel while the rows are held. Every transaction locks the rows it needs in
// the order of the primary key, so two orders that share products wait for each other instead of deadlocking. READ
// COMMITTED reads the locked rows anew, so the quantities are those after the wait. The UPDATE begins with the rows as they
// were when the statement did, and fails there when they break a CHECK: it takes from what was found under the lock. The
// fullest bins give first. When anything is short, nothing is taken.
const WITHDRAW = `/* stock.withdraw */
  WITH demand AS (
    SELECT * FROM unnest($3::int[], $4::int[], $5::int[]) WITH ORDINALITY
      AS demand (product_id, variant_key, requested, position)
  ), locked AS MATERIALIZED (
    SELECT stock.product_id, stock.variant_key, stock.bin_id, stock.quantity
    FROM stock
    WHERE stock.store_id = $1
      AND (stock.product_id, stock.variant_key) IN (SELECT * FROM unnest($3::int[], $4::int[]))
      AND ${IS_FOR_SALE}
    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
    FOR NO KEY UPDATE OF stock
  ), offered AS (
    SELECT demand.position, demand.requested, locked.*, coalesce(sum(locked.quantity) OVER fullest_first, 0) AS through
    FROM demand LEFT JOIN locked USING (product_id, variant_key)
    WINDOW fullest_first AS (PARTITION BY demand.position ORDER BY locked.quantity DESC, locked.bin_id)
  ), totals AS (
    SELECT position, requested, max(through) AS available FROM offered GROUP BY position, requested
  ), chosen AS (
    SELECT product_id, variant_key, bin_id, quantity AS found,
      least(quantity, requested - (through - quantity))::int AS quantity
    FROM offered
    WHERE through - quantity < requested AND quantity > 0 AND NOT EXISTS (SELECT FROM totals WHERE available < requested)
  ), updated AS (
    UPDATE stock SET quantity = chosen.found - chosen.quantity
    FROM chosen
    WHERE stock.store_id = $1 AND stock.product_id = chosen.product_id AND stock.variant_key = chosen.variant_key
      AND stock.bin_id = chosen.bin_id
    RETURNING stock.product_id, stock.variant_key, stock.bin_id, chosen.quantity
  ), moved AS (
    INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity)
    SELECT $1, bin_id, product_id, variant_key, $2, 'ORDER', -quantity FROM updated
    RETURNING quantity
  )
  SELECT available::float8, (SELECT coalesce(-sum(quantity), 0)::int FROM moved) AS taken FROM totals ORDER BY position`;

// The rows that the order's movements name, in the order that every writer locks in.
const LOCK_MOVED_STOCK = `/* stock.lock_moved */
  SELECT FROM stock
  WHERE store_id = $1 AND (product_id, variant_key, bin_id) IN (
    SELECT product_id, variant_key, bin_id FROM stock_movements WHERE store_id = $1 AND order_id = $2)
  ORDER BY product_id, variant_key, bin_id
  FOR NO KEY UPDATE`;

// Run under the lock, this sees what another cancellation returned before: what is outstanding is returned once.
const RETURN_STOCK = `/* stock.return */
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
    const withdrawals = await this.sql.query<Withdrawal>(WITHDRAW, [
      storeId,
      orderId,
      demands.map(({ productId }) => productId),
      demands.map(({ variantId }) => variantId ?? 0),
      demands.map(({ quantity }) => quantity),
    ]);
    const shortages = demands.flatMap(({ quantity: requested, lines }, index) => {
      const available = withdrawals[index]?.available ?? 0;
      return available < requested ? lines.map((line) => ({ line, requested, available })) : [];
    });
    if (shortages.length > 0) throw new OutOfStock(shortages.sort((a, b) => a.line - b.line));
    // The rows are locked, so this cannot happen; if it did, committing would sell what is not there.
    const requested = demands.reduce((sum, { quantity }) => sum + quantity, 0);
    if (withdrawals[0]?.taken !== requested) throw new Error('Stock changed under its lock');
  }

  override async restock(storeId: number, orderId: string): Promise<number> {
    await this.sql.query(LOCK_MOVED_STOCK, [storeId, orderId]);
    const [result] = await this.sql.query<{ units: number }>(RETURN_STOCK, [storeId, orderId]);
    return result?.units ?? 0;
  }
}
