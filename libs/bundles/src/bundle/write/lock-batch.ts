import { folded, lockNewLists, type Sql } from '@app/infrastructure';
import { takesStock, type BundleKind, type BundleLine, type StoreLine, type WarehouseLine } from '../schema/bundle.js';
import type { Numbered } from './batch.js';

const OF_COMMANDS = `hashtextextended('store-commerce bundle import', 0)`;
const LOCK_COMMANDS = `/* import.lock_commands */ SELECT pg_advisory_xact_lock(${OF_COMMANDS})`;
const LOCK_STORES = `/* import.lock_stores */
  SELECT pg_advisory_xact_lock(hashtext('import'), id) FROM (
    SELECT id FROM stores WHERE subdomain = ANY ($1) ORDER BY id OFFSET 0) AS written`;
const LOCK_STORE = `/* import.lock_store */ SELECT pg_advisory_xact_lock(hashtext('import'), $1)`;

const ASSERT_WRITABLE = `/* import.stores.assert_writable */
  SELECT assert_writable(id) FROM stores WHERE subdomain = ANY($1)`;

// Every writer locks stock in this sequence.
const LOCK_STOCK = `/* import.stock.lock */
  SELECT FROM stock
  WHERE store_id = $1 AND product_id IN (SELECT id FROM products WHERE store_id = $1 AND lower(slug COLLATE "C") = ANY ($2))
  ORDER BY product_id, variant_key, bin_id
  FOR NO KEY UPDATE`;

// Opening or closing a warehouse changes the stock of the products in its bins.
const FIND_STOCKED = `/* import.products.stocked */
  SELECT DISTINCT stock.product_id AS id
  FROM unnest($2::text[], $3::boolean[]) AS given (code, active)
  JOIN warehouses ON warehouses.store_id = $1 AND warehouses.code = given.code AND warehouses.active <> given.active
  JOIN bins ON bins.store_id = $1 AND bins.warehouse_id = warehouses.id
  JOIN stock ON stock.store_id = $1 AND stock.bin_id = bins.id`;

// An array is used because a join would read all products of a store that the planner considers small.
const LOCK_PRODUCTS = `/* import.products.lock_batch */
  SELECT FROM products
  WHERE store_id = $1 AND id = ANY (ARRAY(
    SELECT id FROM products WHERE store_id = $1 AND lower(slug COLLATE "C") = ANY ($2) UNION ALL SELECT unnest($3::int[])))
  ORDER BY id
  FOR NO KEY UPDATE`;

/**
 * Makes imports into one store wait for each other, because two of them could lock its rows in opposite sequences.
 * Commands also wait for each other, because two of them could add the same store.
 * @param stores the stores that the command writes to.
 */
export async function lockStoresForImport(sql: Sql, stores: readonly string[]): Promise<void> {
  await sql.query(LOCK_COMMANDS);
  await sql.query(LOCK_STORES, [stores]);
  await sql.query(ASSERT_WRITABLE, [stores]);
}

/** Like `lockStoresForImport`, for an import over HTTP, which adds no store. */
export async function lockStoreForImport(sql: Sql, storeId: number): Promise<void> {
  await sql.query(LOCK_STORE, [storeId]);
}

// The writers of a list wait for each other, as in a change of prices.
const LOCK_LISTS = `/* import.price_lists.lock_batch */
  SELECT FROM price_lists WHERE store_id = $1 AND code = ANY ($2) ORDER BY code FOR NO KEY UPDATE`;

const LOCKING: ReadonlySet<BundleKind> = new Set([
  'product',
  'stock',
  'warehouse',
  'price_list',
  'list_price',
  'quantity_rule',
]);

function isLocking(line: BundleLine): line is Exclude<BundleLine, StoreLine> {
  return LOCKING.has(line.kind) || takesStock(line);
}

/** Locks in the same sequence as orders: stock, then products. The sequence of the file would deadlock with orders. */
export async function lockBatch(sql: Sql, lines: readonly Numbered[]): Promise<void> {
  const changing = lines.map(({ line }) => line).filter(isLocking);
  if (changing.length === 0) return;
  // A store that the batch creates has nothing to lock.
  const stores = await sql.query<{ id: number; subdomain: string }>(
    '/* import.stores.ids */ SELECT id, subdomain FROM stores WHERE subdomain = ANY($1)',
    [changing.map(({ store }) => store)],
  );
  for (const { id, subdomain } of stores) {
    const own = changing.filter(({ store }) => store === subdomain);
    const stocked = own.flatMap((line) => {
      if (line.kind === 'stock') return [line.product];
      return line.kind === 'order' ? (line.line_items ?? []).flatMap(({ product }) => product ?? []) : [];
    });
    const products = own.flatMap((line) => {
      if (line.kind === 'quantity_rule') return [line.product];
      return line.kind === 'product' ? [line.slug] : [];
    });
    const lists = own.flatMap((line) => {
      if (line.kind === 'list_price') return [line.list];
      return line.kind === 'price_list' ? [line.code] : [];
    });
    const moving = own.filter((line) => line.kind === 'warehouse').filter(({ active }) => active !== undefined);
    if (stocked.length > 0) await sql.query(LOCK_STOCK, [id, stocked.map(folded)]);
    const inWarehouses = moving.length > 0 ? await findStocked(sql, id, moving) : [];
    await sql.query(LOCK_PRODUCTS, [id, [...products, ...stocked].map(folded), inWarehouses]);
    if (own.some(({ kind }) => kind === 'price_list')) await lockNewLists(sql, id);
    if (lists.length > 0) await sql.query(LOCK_LISTS, [id, lists]);
  }
}

async function findStocked(sql: Sql, storeId: number, warehouses: readonly WarehouseLine[]): Promise<number[]> {
  const codes = warehouses.map(({ code }) => code);
  const active = warehouses.map((warehouse) => warehouse.active);
  const rows = await sql.query<{ id: number }>(FIND_STOCKED, [storeId, codes, active]);
  return rows.map(({ id }) => id);
}
