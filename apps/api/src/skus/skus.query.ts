import type { SkuFilter } from '@app/application';
import { flagFilter, idFilter, searchFilter, wordsFilter } from '../query/parameters.js';
import { listQuery, type ValuesOf } from '../query/query.js';

export type SkusQuery = ValuesOf<typeof SKUS_QUERY>;

export const SKUS_QUERY = listQuery<SkuFilter>({
  skus: wordsFilter('sku', 'one of these SKUs', 'R-1-42,R-1-43'),
  productId: idFilter('product_id', 'Only the SKUs of this product.'),
  inStock: flagFilter('in_stock', 'only SKUs with available stock'),
  search: searchFilter('the SKU or the name', 'runner'),
});
