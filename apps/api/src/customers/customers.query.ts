import { searchFilter, wordFilter, type Filter } from '../openapi/parameters.js';
import type { QueryReader } from '../query/query-reader.js';

export type CustomersQuery = ReturnType<typeof readCustomersQuery>;

export function readCustomersQuery(query: QueryReader) {
  return { filter: { status: query.text('status'), search: query.search() }, page: query.page() };
}

export const CUSTOMER_FILTERS: readonly Filter[] = [
  wordFilter('status', 'account status, for example `Active`', null, 'Active'),
  searchFilter('the name or the e-mail address', 'lovelace'),
];
