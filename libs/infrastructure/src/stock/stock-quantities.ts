import type { Actor } from '@app/domain';
import type { Sql } from '../postgres/sql.js';

export interface StockQuantity {
  readonly binId: number;
  readonly productId: number;
  readonly variantId: number | null;
  readonly quantity: number;
}

/** A quantity before and after it was set. `previous` is null when the product has never been in the bin. */
export type StockChange<Place extends StockQuantity = StockQuantity> = Place & { readonly previous: number | null };

/** Identifies the stock of a product, or of one variant of it, in a bin. */
export interface StockKey {
  readonly bin_id: number;
  readonly product_id: number;
  /** 0 stands for stock of the product itself. */
  readonly variant_key: number;
}

type StockRow = StockKey & { readonly quantity: number };
type Query = (text: string, values: unknown[]) => Promise<StockRow[]>;

const STOCK_KEYS = `unnest($2::int[], $3::int[], $4::int[]) AS stock_key (bin_id, product_id, variant_key)`;

const MAKE_ROWS = `/* stock.make_rows */
  INSERT INTO stock (store_id, bin_id, product_id, variant_id, quantity)
  SELECT $1, stock_key.bin_id, stock_key.product_id, nullif(stock_key.variant_key, 0), 0 FROM ${STOCK_KEYS}
  ORDER BY stock_key.product_id, stock_key.variant_key, stock_key.bin_id
  ON CONFLICT DO NOTHING
  RETURNING bin_id, product_id, variant_key`;

// Every writer locks stock in this sequence, so that writers wait for each other instead of deadlocking.
const LOCK_ROWS = `/* stock.lock_rows */
  SELECT stock.bin_id, stock.product_id, stock.variant_key, stock.quantity
  FROM stock JOIN ${STOCK_KEYS} USING (bin_id, product_id, variant_key)
  WHERE stock.store_id = $1
  /* @protects report-lock-order */
  ORDER BY stock.product_id, stock.variant_key, stock.bin_id
  FOR NO KEY UPDATE OF stock`;

// Counts and sets are recorded even when they do not change the quantity, because they supersede earlier counts. A set
// always updates the row of its bin, so that the feed has a position after it.
export const MOVE = `/* stock.write */
  WITH moved AS (
    SELECT * FROM unnest($2::int[], $3::int[], $4::int[], $5::int[], $6::text[], $7::bigint[]) WITH ORDINALITY
      AS moved (bin_id, product_id, variant_key, difference, kind, counted_at, line)
  ), net AS (
    SELECT bin_id, product_id, variant_key, sum(difference)::int AS difference FROM moved
    GROUP BY bin_id, product_id, variant_key HAVING sum(difference) <> 0 OR bool_or(kind = 'SET')
  ), updated AS (
    UPDATE stock SET quantity = stock.quantity + net.difference
    FROM net
    WHERE stock.store_id = $1 AND stock.bin_id = net.bin_id AND stock.product_id = net.product_id
      AND stock.variant_key = net.variant_key
  )
  INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity, counted_at, actor_type,
    actor_id, actor_name, reference, reason, created_at, booked_at)
  SELECT $1, bin_id, product_id, variant_key, kind, difference, counted_at, $8, $9, $10, $11, nullif($12, ''),
    coalesce($13, now()), CASE WHEN $13 IS NOT NULL THEN now() END
  FROM moved ORDER BY line`;

/** Creates the missing rows of `filled`, and locks those of `stockKeys`. Both maps are by key. */
export async function lockRows(
  query: Query,
  storeId: number,
  stockKeys: readonly StockKey[],
  filled: readonly StockKey[],
): Promise<{ made: ReadonlySet<string>; rows: ReadonlyMap<string, number> }> {
  const valuesOf = (each: readonly StockKey[]) => [
    storeId,
    each.map((stockKey) => stockKey.bin_id),
    each.map((stockKey) => stockKey.product_id),
    each.map((stockKey) => stockKey.variant_key),
  ];
  const distinct = [...new Map(stockKeys.map((stockKey) => [keyOf(stockKey), stockKey])).values()];
  const made = filled.length > 0 ? await query(MAKE_ROWS, valuesOf(filled)) : [];
  const locked = await query(LOCK_ROWS, valuesOf(distinct));
  return { made: new Set(made.map(keyOf)), rows: new Map(locked.map((row) => [keyOf(row), row.quantity])) };
}

/**
 * Sets bins to the given quantities within the caller's transaction. In the ledger, the quantity of a new row is its
 * OPENING and a later difference is a SET, which supersedes counts at older positions. A bin that already holds its
 * quantity is unchanged, without a movement: an export can be imported into its own store.
 * @param quantities must have different stock keys, each with a quantity from 0 to the largest int4.
 */
export async function setStockQuantities<Quantity extends StockQuantity>(
  sql: Sql,
  storeId: number,
  quantities: readonly Quantity[],
  actor: Actor,
): Promise<StockChange<Quantity>[]> {
  if (quantities.length === 0) return [];
  const stockKeys = quantities.map((each) => ({
    bin_id: each.binId,
    product_id: each.productId,
    variant_key: each.variantId ?? 0,
  }));
  const query: Query = (text, values) => sql.query<StockRow>(text, values);
  const { made, rows } = await lockRows(query, storeId, stockKeys, stockKeys);
  const changes = quantities.map((wanted, index) => {
    const row = stockKeys[index] as StockKey;
    const key = keyOf(row);
    return { wanted, row, isNew: made.has(key), before: rows.get(key) ?? 0 };
  });
  const moves = changes.filter(({ wanted, before }) => wanted.quantity !== before);
  if (moves.length > 0) {
    await sql.query(MOVE, [
      storeId,
      moves.map(({ row }) => row.bin_id),
      moves.map(({ row }) => row.product_id),
      moves.map(({ row }) => row.variant_key),
      moves.map(({ wanted, before }) => wanted.quantity - before),
      moves.map(({ isNew }) => (isNew ? 'OPENING' : 'SET')),
      moves.map(() => null),
      actor.type,
      actor.id,
      actor.name,
      null,
      '',
      null,
    ]);
  }
  return changes.map(({ wanted, isNew, before }) => ({ ...wanted, previous: isNew ? null : before }));
}

export function keyOf({ bin_id, product_id, variant_key }: StockKey): string {
  return `${product_id}/${variant_key}/${bin_id}`;
}
