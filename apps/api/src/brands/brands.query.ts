import { searchFilter, type Filter } from '../openapi/parameters.js';
import type { QueryReader } from '../query/query-reader.js';

export type BrandsQuery = ReturnType<typeof readBrandsQuery>;

export function readBrandsQuery(query: QueryReader) {
  return { filter: { search: query.search() }, page: query.page() };
}

export const BRAND_FILTERS: readonly Filter[] = [searchFilter('the name', 'globex')];
