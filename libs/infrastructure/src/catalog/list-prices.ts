import type { PriceBreak } from '@app/domain';
import type { Sql } from '../postgres/sql.js';
import { columnsOf, type ListedUnit } from './quantity-rules.js';

const READ = `/* list_prices.read */
  SELECT asked.list, asked.product_id AS "productId", asked.variant_key AS "variantKey", unit.sku, (
    SELECT coalesce(json_agg(json_build_object('fromQuantity', from_quantity, 'price', price)), '[]') FROM list_prices
    WHERE store_id = $1 AND product_id = asked.product_id AND variant_key = asked.variant_key AND list = asked.list
  ) AS breaks
  FROM unnest($2::text[], $3::int[], $4::int[]) AS asked (list, product_id, variant_key)
  CROSS JOIN LATERAL (
    SELECT sku FROM products WHERE asked.variant_key = 0 AND store_id = $1 AND id = asked.product_id
    UNION ALL
    SELECT sku FROM product_variants WHERE store_id = $1 AND product_id = asked.product_id AND id = asked.variant_key
    LIMIT 1
  ) AS unit`;

const WRITE = `/* list_prices.write */
  INSERT INTO list_prices (store_id, list, product_id, variant_id, variant_key, from_quantity, price)
  SELECT $1::int, list, product_id, nullif(variant_key, 0), variant_key, from_quantity, price
  FROM unnest($2::text[], $3::int[], $4::int[], $5::int[], $6::bigint[])
    AS given (list, product_id, variant_key, from_quantity, price)
  ORDER BY product_id, variant_key, list, from_quantity
  ON CONFLICT (store_id, product_id, variant_key, list, from_quantity) DO UPDATE SET price = excluded.price`;

// Rows are found by ctid: the lock of the list keeps their ctid, and a join without statistics may read all rows of the
// list for each of them.
const REMOVE = `/* list_prices.remove */
  DELETE FROM list_prices WHERE store_id = $1 AND ctid = ANY (ARRAY(
    SELECT listed.ctid
    FROM unnest($2::text[], $3::int[], $4::int[], $5::int[]) AS gone (list, product_id, variant_key, from_quantity)
    CROSS JOIN LATERAL (
      SELECT ctid FROM list_prices WHERE store_id = $1 AND product_id = gone.product_id AND variant_key = gone.variant_key
        AND list = gone.list AND from_quantity = gone.from_quantity LIMIT 1
    ) AS listed))`;

export interface ListedPrices extends ListedUnit {
  readonly sku: string;
  /** In any order. */
  readonly breaks: readonly PriceBreak[];
}

/** A price of a list that changes; null removes it. */
export interface ListedChange extends ListedUnit {
  readonly fromQuantity: number;
  readonly price: number | null;
}

/** Returns the units that the store has, in any order. */
export function readListed(sql: Sql, storeId: number, units: readonly ListedUnit[]): Promise<ListedPrices[]> {
  return sql.query<ListedPrices>(READ, [storeId, ...columnsOf(units)]);
}

/** Returns the changes that replace the stored prices of a unit by the given ones. */
export function listedChanges(
  { list, productId, variantKey, breaks }: ListedPrices,
  given: readonly PriceBreak[],
): ListedChange[] {
  const before = new Map(breaks.map(({ fromQuantity, price }) => [fromQuantity, price]));
  const after = new Map(given.map(({ fromQuantity, price }) => [fromQuantity, price]));
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((fromQuantity) => before.get(fromQuantity) !== after.get(fromQuantity))
    .map((fromQuantity) => ({ list, productId, variantKey, fromQuantity, price: after.get(fromQuantity) ?? null }));
}

/** The caller has locked the lists. */
export async function writeListed(sql: Sql, storeId: number, changes: readonly ListedChange[]): Promise<void> {
  const columns = (rows: readonly ListedChange[]) => [...columnsOf(rows), rows.map(({ fromQuantity }) => fromQuantity)];
  const gone = changes.filter(({ price }) => price === null);
  if (gone.length > 0) await sql.query(REMOVE, [storeId, ...columns(gone)]);
  const set = changes.filter(({ price }) => price !== null);
  if (set.length > 0) await sql.query(WRITE, [storeId, ...columns(set), set.map(({ price }) => price)]);
}
