import type { QueryReader } from '../query/query-reader.js';

export type OrdersQuery = ReturnType<typeof readOrdersQuery>;

export function readOrdersQuery(query: QueryReader) {
  return {
    filter: {
      status: query.text('status'),
      fulfillmentStatus: query.text('fulfillment_status'),
      source: query.text('source'),
      search: query.search(),
    },
    page: query.page(),
  };
}
