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
