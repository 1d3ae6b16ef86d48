import { StockLedger, type StockVerification } from '@app/application';
import { Injectable } from '@nestjs/common';
import { MaintenanceConnection } from '../postgres/maintenance-connection.js';

// One statement, so one snapshot: it sees both the bins and the movements of a concurrent order, or neither.
const VERIFY = `/* stock.verify */
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

@Injectable()
export class PostgresStockLedger extends StockLedger {
  constructor(private readonly connection: MaintenanceConnection) {
    super();
  }

  override async verify(storeId: number | null): Promise<StockVerification> {
    const [result] = await this.connection.run((dataSource) =>
      dataSource.query<StockVerification[]>(VERIFY, [storeId]),
    );
    return result ?? { checked: 0, differences: [] };
  }
}
