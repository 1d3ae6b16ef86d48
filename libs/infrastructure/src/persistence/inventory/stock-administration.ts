import { NotFound } from '@app/domain';
import type { DataSource, EntityManager } from 'typeorm';
import { setStockQuantities } from './stock-quantities.js';

/** A place of stock by its natural keys. */
export interface StockPlace {
  /** Subdomain. */
  readonly store: string;
  /** Slug. */
  readonly product: string;
  /** SKU; `null` = stock at product level. */
  readonly variant: string | null;
  /** `WAREHOUSE/BIN` */
  readonly bin: string;
}

/** A place whose quantity is not what its ledger adds up to. */
export interface StockDifference extends StockPlace {
  readonly quantity: number;
  /** The sum of all movements. */
  readonly ledger: number;
}

export interface StockVerification {
  /** Places compared. */
  readonly checked: number;
  readonly differences: readonly StockDifference[];
}

// One row, so that each name that is not known can be told apart.
const FIND_PLACE = `
  SELECT store.id AS store, product.id AS product, variant.id AS variant, warehouse.id AS warehouse, bin.id AS bin
  FROM (VALUES (1)) AS one
  LEFT JOIN stores AS store ON store.subdomain = $1
  LEFT JOIN products AS product ON product.store_id = store.id AND product.slug = $2
  LEFT JOIN product_variants AS variant
    ON variant.store_id = store.id AND variant.product_id = product.id AND variant.sku = $3
  LEFT JOIN warehouses AS warehouse ON warehouse.store_id = store.id AND warehouse.code = $4
  LEFT JOIN bins AS bin ON bin.store_id = store.id AND bin.warehouse_id = warehouse.id AND bin.code = $5`;

// One statement and so one snapshot: orders that are placed meanwhile are in both sides or in neither.
const VERIFY = `
  WITH ledger AS (
    SELECT store_id, product_id, variant_key, bin_id, sum(quantity) AS quantity
    FROM stock_movements GROUP BY store_id, product_id, variant_key, bin_id
  ), compared AS (
    SELECT stock.store_id, stock.product_id, stock.variant_id, stock.bin_id, stock.quantity,
      coalesce(ledger.quantity, 0) AS ledger
    FROM stock LEFT JOIN ledger USING (store_id, product_id, variant_key, bin_id)
    WHERE $1::int IS NULL OR stock.store_id = $1
  ), wrong AS (
    SELECT stores.subdomain AS store, products.slug AS product, product_variants.sku AS variant,
      warehouses.code || '/' || bins.code AS bin, compared.quantity, compared.ledger
    FROM compared
    JOIN stores ON stores.id = compared.store_id
    JOIN products ON products.store_id = compared.store_id AND products.id = compared.product_id
    JOIN bins ON bins.store_id = compared.store_id AND bins.id = compared.bin_id
    JOIN warehouses ON warehouses.store_id = bins.store_id AND warehouses.id = bins.warehouse_id
    LEFT JOIN product_variants
      ON product_variants.store_id = compared.store_id AND product_variants.id = compared.variant_id
    WHERE compared.quantity <> compared.ledger
    ORDER BY compared.store_id, compared.product_id, compared.variant_id NULLS FIRST, compared.bin_id
  )
  SELECT (SELECT count(*)::int FROM compared) AS checked,
    (SELECT coalesce(json_agg(wrong), '[]') FROM wrong) AS differences`;

/** What an operator does with stock. */
export class StockAdministration {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Brings one bin to a quantity, by a movement in the ledger. Makes no products, warehouses or bins.
   *
   * @returns the quantity before; `null` when the product had not been in the bin.
   * @throws NotFound naming what is not known.
   */
  set(place: StockPlace, quantity: number): Promise<number | null> {
    return this.dataSource.transaction('READ COMMITTED', async (manager) => {
      const { store, ...ids } = await findPlace(manager, place);
      const [change] = await setStockQuantities(manager, store, [{ ...ids, quantity }]);
      return change?.previous ?? null;
    });
  }

  /**
   * Proves that every bin holds what its ledger adds up to.
   *
   * @param store subdomain; `null` = all stores.
   * @throws NotFound when there is no such store.
   */
  async verify(store: string | null): Promise<StockVerification> {
    const storeId = store === null ? null : await this.storeId(store);
    const [result] = await this.dataSource.query<StockVerification[]>(VERIFY, [storeId]);
    return result ?? { checked: 0, differences: [] };
  }

  private async storeId(subdomain: string): Promise<number> {
    const [store] = await this.dataSource.query<{ id: number }[]>('SELECT id FROM stores WHERE subdomain = $1', [
      subdomain,
    ]);
    if (!store) throw new NotFound(`Store ${subdomain}`);
    return store.id;
  }
}

async function findPlace(manager: EntityManager, { store, product, variant, bin }: StockPlace) {
  const slash = bin.indexOf('/');
  const [warehouseCode, binCode] = [bin.slice(0, slash), bin.slice(slash + 1)];
  const values = [store, product, variant, warehouseCode, binCode];
  const [ids] = await manager.query<Record<'store' | 'product' | 'variant' | 'warehouse' | 'bin', number | null>[]>(
    FIND_PLACE,
    values,
  );
  if (!ids?.store) throw new NotFound(`Store ${store}`);
  if (!ids.product) throw new NotFound(`Product ${product}`);
  if (variant !== null && !ids.variant) throw new NotFound(`Variant ${variant} of product ${product}`);
  if (!ids.warehouse) throw new NotFound(`Warehouse ${warehouseCode}`);
  if (!ids.bin) throw new NotFound(`Bin ${bin}`);
  return { store: ids.store, productId: ids.product, variantId: ids.variant, binId: ids.bin };
}
