import { flagFilter, idFilter, searchFilter, wordsFilter, type Filter } from '../openapi/parameters.js';
import type { QueryReader } from '../query/query-reader.js';

export type SkusQuery = ReturnType<typeof readSkusQuery>;

/** @throws BadRequestException for too many SKUs. */
export function readSkusQuery(query: QueryReader) {
  return {
    filter: {
      skus: query.texts('sku'),
      productId: query.id('product_id'),
      inStock: query.flag('in_stock'),
      search: query.search(),
    },
    page: query.page(),
  };
}

export const SKU_FILTERS: readonly Filter[] = [
  wordsFilter('sku', 'one of these SKUs', 'R-1-42,R-1-43'),
  idFilter('product_id', 'Only the SKUs of this product.'),
  flagFilter('in_stock', 'only SKUs with available stock'),
  searchFilter('the SKU or the name', 'runner'),
];
