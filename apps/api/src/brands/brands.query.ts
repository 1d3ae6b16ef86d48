import type { QueryReader } from '../query/query-reader.js';

export type BrandsQuery = ReturnType<typeof readBrandsQuery>;

export function readBrandsQuery(query: QueryReader) {
  return { filter: { search: query.search() }, page: query.page() };
}
