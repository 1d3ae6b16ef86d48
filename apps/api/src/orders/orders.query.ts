import type { OrderFilter } from '@app/application';
import { FULFILLMENT_STATUSES, ORDER_SOURCES, PAYMENT_STATUSES } from '@app/domain';
import { booleanFilter, exactFilter, searchFilter, wordFilter } from '../query/parameters.js';
import { listQuery, type ValuesOf } from '../query/query.js';

export type OrdersQuery = ValuesOf<typeof ORDERS_QUERY>;

export const ORDERS_QUERY = listQuery<OrderFilter>({
  status: wordFilter('status', 'payment status', PAYMENT_STATUSES, 'PENDING'),
  fulfillmentStatus: wordFilter('fulfillment_status', 'fulfillment stage', FULFILLMENT_STATUSES, 'SHIPPED'),
  source: wordFilter('source', 'source', ORDER_SOURCES, ORDER_SOURCES[0]),
  held: booleanFilter('held', 'only orders under review: neither released nor cancelled', 'only the others'),
  externalReference: exactFilter('external_reference', "the client's own number", 'PO-2026-117'),
  search: searchFilter('the receipt number or the e-mail address on the order', 'ada@example.com'),
});
