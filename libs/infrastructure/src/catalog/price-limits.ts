import { MAX_PRICE_LISTS, TooManyPriceLists } from '@app/domain';
import type { Sql } from '../postgres/sql.js';

// A store makes one list at a time: each transaction counts after the commit of the one before.
const LOCK = `/* price_lists.lock_new */ SELECT pg_advisory_xact_lock(hashtext('new_price_lists'), $1)`;

const COUNT = `/* price_lists.count_others */
  SELECT count(*)::int AS count FROM price_lists WHERE store_id = $1 AND code <> ALL ($2::text[])`;

/** Comes before the locks of lists. */
export async function lockNewLists(sql: Sql, storeId: number): Promise<void> {
  await sql.query(LOCK, [storeId]);
}

/** How many lists a store may have besides the given ones. */
export async function roomForLists(sql: Sql, storeId: number, codes: readonly string[]): Promise<number> {
  await lockNewLists(sql, storeId);
  const [row] = await sql.query<{ count: number }>(COUNT, [storeId, codes]);
  return MAX_PRICE_LISTS - (row?.count ?? 0);
}

/** @throws TooManyPriceLists */
export async function assertRoomForList(sql: Sql, storeId: number, code: string): Promise<void> {
  // @protects price-list-limit
  if ((await roomForLists(sql, storeId, [code])) < 1) throw new TooManyPriceLists(MAX_PRICE_LISTS);
}
