import type { StockDemand } from '@app/domain';
import type { Statement } from '../postgres/transaction-sql.js';
import { hasVariants, IS_FOR_SALE } from './available-stock.js';

// The demand is one JSON value: with arrays, the server would make a new plan for each length.
const PREVIEW = `/* stock.preview */
  SELECT available::float8, available < requested AND offered.variant_key = 0 AND ${hasVariants('offered.product_id')} AS lacks_variant
  FROM (
    SELECT demand.*, (SELECT coalesce(sum(stock.quantity), 0) FROM stock
      WHERE stock.store_id = $1 AND stock.product_id = demand.product_id AND stock.variant_key = demand.variant_key
        AND ${IS_FOR_SALE}) AS available
    FROM jsonb_to_recordset($2) AS demand (position int, product_id int, variant_key int, requested bigint)
  ) AS offered
  ORDER BY position`;

/**
 * Selects what is available for each demand, by the rule of the withdrawal, without locks. `shortagesOf` reads the
 * rows.
 */
export function stockPreview(storeId: number, demand: readonly StockDemand[]): Statement {
  const rows = demand.map(({ productId, variantId, quantity }, position) => {
    return { position, product_id: productId, variant_key: variantId ?? 0, requested: quantity };
  });
  return { text: PREVIEW, values: [storeId, JSON.stringify(rows)] };
}
