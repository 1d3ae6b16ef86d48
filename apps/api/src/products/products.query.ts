import type { ProductFilter } from '@app/application';
import { flagFilter, idFilter, searchFilter } from '../query/parameters.js';
import { listQuery, type ValuesOf } from '../query/query.js';

export type ProductsQuery = ValuesOf<typeof PRODUCTS_QUERY>;

export const PRODUCTS_QUERY = listQuery<ProductFilter>({
  categoryId: idFilter('category_id', 'Only the products of this category.'),
  search: searchFilter('the name', 'runner'),
  featured: flagFilter('featured', 'only featured products'),
  inStock: flagFilter('in_stock', 'only products with available stock'),
});
