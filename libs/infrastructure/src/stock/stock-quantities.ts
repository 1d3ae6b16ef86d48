import type { Actor } from '@app/domain';
import type { EntityManager } from 'typeorm';

/** The wanted quantity of a product, or of one variant of it, in a bin. */
export interface StockQuantity {
  readonly binId: number;
  readonly productId: number;
  /** `null` = stock at product level. */
  readonly variantId: number | null;
  readonly quantity: number;
}

/** A quantity before and after it was set. `previous` is null when the product was never in the bin. */
export interface StockChange extends StockQuantity {
  readonly previous: number | null;
}

const PLACES = `unnest($2::int[], $3::int[], $4::int[]) AS place (bin_id, product_id, variant_id)`;

export const MAKE_ROWS = `/* stock.make_rows */
  INSERT INTO stock (store_id, bin_id, product_id, variant_id, quantity)
  SELECT $1, place.bin_id, place.product_id, place.variant_id, 0 FROM ${PLACES}
  ORDER BY place.product_id, coalesce(place.variant_id, 0), place.bin_id
  ON CONFLICT DO NOTHING
  RETURNING bin_id, product_id, variant_key`;

// The order in which every writer locks stock, so that they wait for each other instead of deadlocking.
export const LOCK_ROWS = `/* stock.lock_rows */
  SELECT stock.bin_id, stock.product_id, stock.variant_key, stock.quantity
  FROM stock JOIN ${PLACES} ON stock.bin_id = place.bin_id AND stock.product_id = place.product_id
    AND stock.variant_key = coalesce(place.variant_id, 0)
  WHERE stock.store_id = $1
  /* @protects report-lock-order */
  ORDER BY stock.product_id, stock.variant_key, stock.bin_id
  FOR NO KEY UPDATE OF stock`;

const MOVE = `/* stock.move */
  WITH moved AS (
    SELECT * FROM unnest($2::int[], $3::int[], $4::int[], $5::int[], $6::text[])
      AS moved (bin_id, product_id, variant_key, difference, kind)
  ), updated AS (
    UPDATE stock SET quantity = stock.quantity + moved.difference
    FROM moved
    WHERE stock.store_id = $1 AND stock.bin_id = moved.bin_id AND stock.product_id = moved.product_id
      AND stock.variant_key = moved.variant_key
  )
  INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity, actor_type, actor_id, actor_name)
  SELECT $1, bin_id, product_id, variant_key, kind, difference, $7, $8, $9 FROM moved`;

export interface StockRow {
  readonly bin_id: number;
  readonly product_id: number;
  readonly variant_key: number;
  readonly quantity: number;
}

/**
 * Brings bins to the given quantities within the caller's transaction. In the ledger, the quantity of a new row is its
 * OPENING and a later difference is a SET, which supersedes counts at older places. A bin that holds its quantity stays as it
 * is, without a movement: an export can be imported into its own store.
 *
 * @param wanted of different places, each with a quantity from 0 to the largest int4.
 */
export async function setStockQuantities(
  manager: EntityManager,
  storeId: number,
  wanted: readonly StockQuantity[],
  actor: Actor,
): Promise<StockChange[]> {
  if (wanted.length === 0) return [];
  const places = [
    storeId,
    wanted.map(({ binId }) => binId),
    wanted.map(({ productId }) => productId),
    wanted.map(({ variantId }) => variantId),
  ];
  const made = new Set((await manager.query<StockRow[]>(MAKE_ROWS, places)).map(keyOf));
  const locked = await manager.query<StockRow[]>(LOCK_ROWS, places);
  const found = new Map(locked.map((row) => [keyOf(row), row.quantity]));

  const changes = wanted.map((place) => {
    const row = { bin_id: place.binId, product_id: place.productId, variant_key: place.variantId ?? 0 };
    const key = keyOf(row);
    return { place, row, isNew: made.has(key), before: found.get(key) ?? 0 };
  });
  const moves = changes.filter(({ place, before }) => place.quantity !== before);
  if (moves.length > 0) {
    await manager.query(MOVE, [
      storeId,
      moves.map(({ row }) => row.bin_id),
      moves.map(({ row }) => row.product_id),
      moves.map(({ row }) => row.variant_key),
      moves.map(({ place, before }) => place.quantity - before),
      moves.map(({ isNew }) => (isNew ? 'OPENING' : 'SET')),
      ...[actor.type, actor.id, actor.name],
    ]);
  }
  return changes.map(({ place, isNew, before }) => ({ ...place, previous: isNew ? null : before }));
}

export function keyOf({ bin_id, product_id, variant_key }: Omit<StockRow, 'quantity'>): string {
  return `${product_id}/${variant_key}/${bin_id}`;
}
