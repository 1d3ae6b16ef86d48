import type { QueryReader } from '../query/query-reader.js';

export type CustomersQuery = ReturnType<typeof readCustomersQuery>;

export function readCustomersQuery(query: QueryReader) {
  return { filter: { status: query.text('status'), search: query.search() }, page: query.page() };
}
