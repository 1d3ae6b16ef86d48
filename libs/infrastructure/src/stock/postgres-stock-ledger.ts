import { StockLedger, type LocatedStock, type StockPlace, type StockVerification } from '@app/application';
import { NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { MaintenanceConnection } from '../postgres/maintenance-connection.js';
import { verifyStock } from './verify-stock.js';

// Always one row, which shows each unknown name as NULL, and so a variant that several letter cases of the SKU could mean.
const FIND_PLACE = `/* stock.find_place */
  SELECT product.id AS product, variant.id AS variant, warehouse.id AS warehouse, bin.id AS bin
  FROM (VALUES (1)) AS one
  LEFT JOIN products AS product ON product.store_id = $1 AND product.slug = $2
  LEFT JOIN LATERAL (
    SELECT min(id) AS id FROM (
      SELECT id, rank() OVER (ORDER BY sku <> $3) AS place FROM product_variants
      WHERE store_id = $1 AND product_id = product.id AND upper(sku) = upper($3)
    ) AS spelled WHERE place = 1 HAVING count(*) = 1
  ) AS variant ON true
  LEFT JOIN warehouses AS warehouse ON warehouse.store_id = $1 AND warehouse.code = $4
  LEFT JOIN bins AS bin ON bin.store_id = $1 AND bin.warehouse_id = warehouse.id AND bin.code = $5`;

type PlaceRow = Record<'product' | 'variant' | 'warehouse' | 'bin', number | null>;

@Injectable()
export class PostgresStockLedger extends StockLedger {
  constructor(private readonly connection: MaintenanceConnection) {
    super();
  }

  override async locate(storeId: number, { product, variant, bin }: StockPlace): Promise<LocatedStock> {
    const slash = bin.indexOf('/');
    const [warehouseCode, binCode] = [bin.slice(0, slash), bin.slice(slash + 1)];
    const values = [storeId, product, variant, warehouseCode, binCode];
    const [ids] = await this.connection.run((dataSource) => dataSource.query<PlaceRow[]>(FIND_PLACE, values));
    if (!ids?.product) throw new NotFound(`Product ${product}`);
    if (variant !== null && !ids.variant) throw new NotFound(`Variant ${variant} of product ${product}`);
    if (!ids.warehouse) throw new NotFound(`Warehouse ${warehouseCode}`);
    if (!ids.bin) throw new NotFound(`Bin ${bin}`);
    return { productId: ids.product, variantId: ids.variant, warehouse: warehouseCode, bin: binCode };
  }

  override verify(storeId: number | null): Promise<StockVerification> {
    return this.connection.run((dataSource) =>
      verifyStock((text, values) => dataSource.query<StockVerification[]>(text, values), storeId),
    );
  }
}
