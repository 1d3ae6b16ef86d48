import type { Shortage, StockDemand } from '@app/domain';
import { errorCode } from '../platform/error-code.js';
import type { Statement } from '../postgres/transaction-sql.js';
import { hasVariants, IS_FOR_SALE } from './available-stock.js';

export interface AvailableRow {
  readonly available: number;
  readonly lacks_variant: boolean;
}

interface Withdrawal extends AvailableRow {
  readonly taken: number;
}

// Most demands come from one line, and the fullest bin has enough. This statement then does what WITHDRAW would do,
// without its windows and sums, and otherwise takes nothing.
const withdrawFromFullest = (name: string, taken: string) => `/* ${name} */
  WITH locked AS MATERIALIZED (
    SELECT stock.product_id, stock.variant_key, stock.bin_id, stock.quantity, demand.requested, demand.line
    FROM unnest($3::int[], $4::int[], $5::int[], $6::int[]) AS demand (product_id, variant_key, requested, line)
    JOIN stock ON stock.store_id = $1 AND stock.product_id = demand.product_id
      AND stock.variant_key = demand.variant_key
    WHERE ${IS_FOR_SALE}
    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
    FOR NO KEY UPDATE OF stock
  ), fullest AS (
    SELECT DISTINCT ON (product_id, variant_key) * FROM locked
    ORDER BY product_id, variant_key, quantity DESC, bin_id
  ), updated AS (
    UPDATE stock SET quantity = fullest.quantity - fullest.requested
    FROM fullest
    WHERE stock.store_id = $1 AND stock.product_id = fullest.product_id AND stock.variant_key = fullest.variant_key
      AND stock.bin_id = fullest.bin_id
      AND (SELECT count(*) FROM fullest WHERE quantity >= requested) = cardinality($3::int[])
    RETURNING stock.product_id, stock.variant_key, stock.bin_id, fullest.requested, fullest.line
  ), moved AS (
    INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity, position)
    SELECT $1, bin_id, product_id, variant_key, $2, 'ORDER', -requested, line FROM updated
    RETURNING quantity
  )
  SELECT ${taken} AS taken FROM moved`;

const TAKEN = 'coalesce(-sum(quantity), 0)::int';
const WITHDRAW_FROM_FULLEST = withdrawFromFullest('stock.withdraw_from_fullest', TAKEN);
const WITHDRAW_FROM_FULLEST_OR_FAIL = withdrawFromFullest(
  'stock.withdraw_from_fullest_or_fail',
  /* @protects withdrawal-with-commit */
  `withdrawn_or_fail(${TAKEN})`,
);

// A single statement takes the stock, so no round trip happens while the rows are locked. Every transaction locks its
// rows in primary-key order, so two orders that share products wait for each other instead of deadlocking. READ
// COMMITTED rereads the locked rows, so the quantities are those after the wait. The UPDATE starts from the rows as
// they were when the statement began, and setting these would violate a CHECK: it subtracts from the quantity found
// under the lock. `StockDemand` states why the fullest bin gives first. Bins and lines are both ranges of the units:
// where two overlap, the line gets these units of the bin. A shortage of any product takes nothing at all.
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
    /* @protects lock-order */
    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
    /* @protects stock-lock */
    FOR NO KEY UPDATE OF stock
  ), offered AS (
    SELECT demand.position, demand.requested, demand.product_id AS asked, demand.variant_key AS asked_variant, locked.*,
      coalesce(sum(locked.quantity) OVER fullest_first, 0) AS through
    FROM demand LEFT JOIN locked USING (product_id, variant_key)
    WINDOW fullest_first AS (PARTITION BY demand.position ORDER BY locked.quantity DESC, locked.bin_id)
  ), totals AS (
    SELECT position, requested, asked, asked_variant, max(through) AS available FROM offered
    GROUP BY position, requested, asked, asked_variant
  ), chosen AS (
    SELECT position, product_id, variant_key, bin_id, quantity AS found, through - quantity AS before,
      least(quantity, requested - (through - quantity))::int AS quantity
    FROM offered
    WHERE through - quantity < requested AND quantity > 0 AND NOT EXISTS (SELECT FROM totals WHERE available < requested)
  ), updated AS (
    UPDATE stock SET quantity = chosen.found - chosen.quantity
    FROM chosen
    WHERE stock.store_id = $1 AND stock.product_id = chosen.product_id AND stock.variant_key = chosen.variant_key
      AND stock.bin_id = chosen.bin_id
    RETURNING chosen.*
  ), line AS (
    SELECT given.*,
      /* @protects line-units */
      sum(quantity) OVER (PARTITION BY demand ORDER BY position) - quantity AS before
    FROM unnest($6::int[], $7::int[], $8::int[]) AS given (demand, position, quantity)
  ), moved AS (
    INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity, position)
    SELECT $1, bin_id, product_id, variant_key, $2, 'ORDER', -part.units, line.position
    FROM updated AS bin JOIN line ON line.demand = bin.position
    CROSS JOIN LATERAL (
      SELECT least(line.before + line.quantity, bin.before + bin.quantity) - greatest(line.before, bin.before)
    ) AS part (units)
    WHERE part.units > 0
    RETURNING quantity
  )
  SELECT available::float8, (SELECT coalesce(-sum(quantity), 0)::int FROM moved) AS taken,
    available < requested AND asked_variant = 0 AND ${hasVariants('totals.asked')} AS lacks_variant
  FROM totals ORDER BY position`;

interface Withdrawals {
  /** Takes nothing when no single bin has enough. */
  readonly first: Statement;
  /**
   * Works like `first`, but fails with {@link isInNoSingleBin} instead; null when several lines want the same units.
   */
  readonly firstOrFail: Statement | null;
  readonly fromAny: Statement;
}

/**
 * Returns the ways to withdraw the demand of an order from the bins of the store's active warehouses.
 * @param positions the positions in the order of the demand's lines; when absent, the lines are these positions.
 */
export function withdrawals(
  storeId: number,
  orderId: string,
  demand: readonly StockDemand[],
  positions?: readonly number[],
): Withdrawals {
  const lines = demand.flatMap(({ lines: of }, index) => {
    return of.map(({ line, quantity }) => ({ demand: index + 1, position: positions?.[line] ?? line, quantity }));
  });
  const values = [
    storeId,
    orderId,
    demand.map(({ productId }) => productId),
    demand.map(({ variantId }) => variantId ?? 0),
    demand.map(({ quantity }) => quantity),
  ];
  const ofLines = [
    lines.map((line) => line.demand),
    lines.map(({ position }) => position),
    lines.map(({ quantity }) => quantity),
  ];
  const fromAny = { text: WITHDRAW, values: [...values, ...ofLines] };
  if (lines.length > demand.length) return { first: fromAny, firstOrFail: null, fromAny };
  const ofSingleBins = [...values, lines.map(({ position }) => position)];
  return {
    first: { text: WITHDRAW_FROM_FULLEST, values: ofSingleBins },
    firstOrFail: { text: WITHDRAW_FROM_FULLEST_OR_FAIL, values: ofSingleBins },
    fromAny,
  };
}

/** Whether `firstOrFail` failed: no single bin has the units of a line. */
export const isInNoSingleBin = (error: unknown): boolean => errorCode(error) === 'SU001';

export function shortagesOf(rows: readonly AvailableRow[], demand: readonly StockDemand[]): Shortage[] {
  const shortages = demand.flatMap(({ quantity: requested, lines }, index) => {
    const { available = 0, lacks_variant: lacksVariant = false } = rows[index] ?? {};
    if (available >= requested) return [];
    return lines.map(({ line }) => ({ line, requested, available, ...(lacksVariant && { lacksVariant }) }));
  });
  return shortages.sort((a, b) => a.line - b.line);
}

export function isWithdrawn(rows: unknown): boolean {
  const [row] = rows as readonly Pick<Withdrawal, 'taken'>[];
  return row !== undefined && row.taken > 0;
}

/**
 * Reads the result of a withdrawal from any bins.
 *
 * @returns the lines that are short, by line; empty when the demand was withdrawn.
 */
export function shortagesIn(rows: unknown, demand: readonly StockDemand[]): Shortage[] {
  const withdrawals = rows as readonly Withdrawal[];
  const shortages = shortagesOf(withdrawals, demand);
  if (shortages.length > 0) return shortages;
  // The rows are locked, so this cannot happen; if it did, committing would sell missing units.
  const requested = demand.reduce((sum, { quantity }) => sum + quantity, 0);
  if (withdrawals[0]?.taken !== requested) throw new Error('Stock changed under its lock');
  return [];
}
