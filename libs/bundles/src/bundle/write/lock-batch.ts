import type { EntityManager } from 'typeorm';
import { takesStock } from '../schema/bundle.js';
import type { Numbered } from './batch.js';

const TAKE_TURNS = `/* import.take_turns */ SELECT pg_advisory_xact_lock(hashtextextended('store-commerce bundle import', 0))`;

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

/** Two imports into one store could lock its rows in opposite orders. */
export async function takeTurns(manager: EntityManager): Promise<void> {
  await manager.query(TAKE_TURNS);
}

/** Locks in the order of orders: stock, then products. The order of the file would deadlock with them. */
export async function lockBatch(manager: EntityManager, lines: readonly Numbered[]): Promise<void> {
  await takeTurns(manager);
  const changing = lines
    .map(({ line }) => line)
    .filter(
      (line) => line.kind === 'product' || line.kind === 'stock' || line.kind === 'warehouse' || takesStock(line),
    );
  if (changing.length === 0) return;
  // A store that the batch creates has nothing to lock.
  const stores = await manager.query<{ id: number; subdomain: string }[]>(
    '/* import.stores.ids */ SELECT id, subdomain FROM stores WHERE subdomain = ANY($1)',
    [changing.map(({ store }) => store)],
  );
  for (const { id, subdomain } of stores) {
    const own = changing.filter(({ store }) => store === subdomain);
    const stocked = own.flatMap((line) => {
      if (line.kind === 'stock') return [line.product];
      return line.kind === 'order' ? (line.line_items ?? []).flatMap(({ product }) => product ?? []) : [];
    });
    const products = own.filter((line) => line.kind === 'product').map(({ slug }) => slug);
    const warehouses = own.filter((line) => line.kind === 'warehouse');
    if (stocked.length > 0) await manager.query(LOCK_STOCK, [id, stocked]);
    const codes = warehouses.map(({ code }) => code);
    const active = warehouses.map((warehouse) => warehouse.active);
    await manager.query(LOCK_PRODUCTS, [id, [...products, ...stocked], codes, active]);
  }
}
