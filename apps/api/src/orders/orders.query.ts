import { FULFILLMENT_STATUSES, ORDER_SOURCES, PAYMENT_STATUSES } from '@app/domain';
import { booleanFilter, exactFilter, searchFilter, wordFilter, type Filter } from '../openapi/parameters.js';
import type { QueryReader } from '../query/query-reader.js';

export type OrdersQuery = ReturnType<typeof readOrdersQuery>;

export function readOrdersQuery(query: QueryReader) {
  return {
    filter: {
      status: query.text('status'),
      fulfillmentStatus: query.text('fulfillment_status'),
      source: query.text('source'),
      held: query.boolean('held'),
      externalReference: query.text('external_reference'),
      search: query.search(),
    },
    page: query.page(),
  };
}

export const ORDER_FILTERS: readonly Filter[] = [
  wordFilter('status', 'payment status', PAYMENT_STATUSES, 'PENDING'),
  wordFilter('fulfillment_status', 'fulfillment stage', FULFILLMENT_STATUSES, 'SHIPPED'),
  wordFilter('source', 'source', ORDER_SOURCES, ORDER_SOURCES[0]),
  booleanFilter('held', 'only orders under review: neither released nor cancelled', 'only the others'),
  exactFilter('external_reference', "the client's own number", 'PO-2026-117'),
  searchFilter('the receipt number or the e-mail address on the order', 'ada@example.com'),
];
