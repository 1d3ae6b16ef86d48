import { idFilter, searchFilter, type Filter } from '../openapi/parameters.js';
import type { QueryReader } from '../query/query-reader.js';

export type CategoriesQuery = ReturnType<typeof readCategoriesQuery>;

export function readCategoriesQuery(query: QueryReader) {
  return { filter: { parentId: query.id('parent_id'), search: query.search() }, page: query.page() };
}

export const CATEGORY_FILTERS: readonly Filter[] = [
  idFilter('parent_id', 'Only the sub-categories of this category.'),
  searchFilter('the name', 'shoe'),
];
