import { flagFilter, idFilter, searchFilter, type Filter } from '../openapi/parameters.js';
import type { QueryReader } from '../query/query-reader.js';

export type ProductsQuery = ReturnType<typeof readProductsQuery>;

export function readProductsQuery(query: QueryReader) {
  return {
    filter: {
      categoryId: query.id('category_id'),
      search: query.search(),
      featured: query.flag('featured'),
      inStock: query.flag('in_stock'),
    },
    page: query.page(),
  };
}

export const PRODUCT_FILTERS: readonly Filter[] = [
  idFilter('category_id', 'Only the products of this category.'),
  searchFilter('the name', 'runner'),
  flagFilter('featured', 'only featured products'),
  flagFilter('in_stock', 'only products with available stock'),
];
