import { NotFound } from '@app/domain';
import type { DataSource, EntityManager } from 'typeorm';
import { setStockQuantities } from './stock-quantities.js';
import { verifyStock, type StockPlace, type StockVerification } from './verify-stock.js';

// One row, so that each name that is not known can be told apart.
const FIND_PLACE = `/* stock.find_place */
  SELECT store.id AS store, product.id AS product, variant.id AS variant, warehouse.id AS warehouse, bin.id AS bin
  FROM (VALUES (1)) AS one
  LEFT JOIN stores AS store ON store.subdomain = $1
  LEFT JOIN products AS product ON product.store_id = store.id AND product.slug = $2
  LEFT JOIN product_variants AS variant
    ON variant.store_id = store.id AND variant.product_id = product.id AND variant.sku = $3
  LEFT JOIN warehouses AS warehouse ON warehouse.store_id = store.id AND warehouse.code = $4
  LEFT JOIN bins AS bin ON bin.store_id = store.id AND bin.warehouse_id = warehouse.id AND bin.code = $5`;

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
    return verifyStock((text, values) => this.dataSource.query<StockVerification[]>(text, values), storeId);
  }

  private async storeId(subdomain: string): Promise<number> {
    const [store] = await this.dataSource.query<{ id: number }[]>(
      '/* stock.find_store */ SELECT id FROM stores WHERE subdomain = $1',
      [subdomain],
    );
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
