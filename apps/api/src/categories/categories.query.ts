import type { QueryReader } from '../query/query-reader.js';

export type CategoriesQuery = ReturnType<typeof readCategoriesQuery>;

export function readCategoriesQuery(query: QueryReader) {
  return { filter: { parentId: query.id('parent_id'), search: query.search() }, page: query.page() };
}
