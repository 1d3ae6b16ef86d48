import type { EntityManager } from 'typeorm';
import type { Numbered } from './batch.js';

// Imports take turns, batch by batch. Two imports into one store could otherwise lock its rows in opposite orders.
const TAKE_TURNS = `/* import.take_turns */ SELECT pg_advisory_xact_lock(hashtextextended('store-commerce bundle import', 0))`;

/** The rows of one store that the batch will lock or move to another bin. */
interface Named {
  /** Slugs of products whose stock the batch sets. */
  readonly stocked: string[];
  /** Slugs of all products in the batch. */
  readonly products: string[];
  readonly warehouses: { readonly code: string; readonly active: boolean }[];
}

// Every writer locks stock in this order.
const LOCK_STOCK = `/* import.stock.lock */
  SELECT FROM stock
  WHERE store_id = $1 AND product_id IN (SELECT id FROM products WHERE store_id = $1 AND slug = ANY($2))
  ORDER BY product_id, variant_key, bin_id
  FOR NO KEY UPDATE`;

// Opening or closing a warehouse changes the stock of the products in its bins.
const LOCK_PRODUCTS = `/* import.products.lock */
  SELECT FROM products
  WHERE store_id = $1 AND id IN (
    SELECT id FROM products WHERE store_id = $1 AND slug = ANY($2)
    UNION
    SELECT stock.product_id
    FROM unnest($3::text[], $4::boolean[]) AS given (code, active)
    JOIN warehouses ON warehouses.store_id = $1 AND warehouses.code = given.code AND warehouses.active <> given.active
    JOIN bins ON bins.store_id = $1 AND bins.warehouse_id = warehouses.id
    JOIN stock ON stock.store_id = $1 AND stock.bin_id = bins.id)
  ORDER BY id
  FOR NO KEY UPDATE`;

/**
 * Waits until no other import writes a batch. Then locks the rows of products on sale that the batch will change, in the order in which orders lock them: stock, then
 * products. The lines themselves come in file order; locking in that order would deadlock with orders.
 */
export async function lockBatch(manager: EntityManager, lines: readonly Numbered[]): Promise<void> {
  await manager.query(TAKE_TURNS);
  const named = namedByStore(lines);
  if (named.size === 0) return;
  // A store that the batch creates has nothing to lock.
  const stores = await manager.query<{ id: number; subdomain: string }[]>(
    '/* import.stores.ids */ SELECT id, subdomain FROM stores WHERE subdomain = ANY($1)',
    [[...named.keys()]],
  );
  for (const { id, subdomain } of stores) {
    const { stocked = [], products = [], warehouses = [] } = named.get(subdomain) ?? {};
    if (stocked.length > 0) await manager.query(LOCK_STOCK, [id, stocked]);
    const [codes, active] = [warehouses.map((each) => each.code), warehouses.map((each) => each.active)];
    await manager.query(LOCK_PRODUCTS, [id, products, codes, active]);
  }
}

function namedByStore(lines: readonly Numbered[]): Map<string, Named> {
  const byStore = new Map<string, Named>();
  for (const { line } of lines) {
    if (line.kind !== 'product' && line.kind !== 'stock' && line.kind !== 'warehouse') continue;
    const named = byStore.get(line.store) ?? { stocked: [], products: [], warehouses: [] };
    byStore.set(line.store, named);
    if (line.kind === 'product') named.products.push(line.slug);
    else if (line.kind === 'stock') {
      named.stocked.push(line.product);
      named.products.push(line.product);
    } else if (line.active !== undefined) named.warehouses.push({ code: line.code, active: line.active });
  }
  return byStore;
}
