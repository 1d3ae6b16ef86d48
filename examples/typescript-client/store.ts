import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './api.js';
import { retryingFetch, type RetryOptions } from './retrying-fetch.js';

export type Order = components['schemas']['OrderListItem'];
export type NewOrder = components['schemas']['CreateOrderRequest'];
export type PlacedOrder = components['schemas']['CreatedOrder'];

/** The API with the types of its document: paths, parameters, bodies and answers are checked by the compiler. */
export function storeClient(baseUrl: string, apiKey: string, retries: RetryOptions = {}): Client<paths> {
  return createClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    fetch: retryingFetch(retries),
  });
}

/** All orders that match, page by page. Money is in minor units. */
export async function* allOrders(client: Client<paths>, filter: { status?: Order['status'] } = {}) {
  for (let page = 1; ; page += 1) {
    const { data, error } = await client.GET('/v1/orders', { params: { query: { ...filter, page, limit: 100 } } });
    if (!data) throw new Error(error.error);
    yield* data.data;
    if (page * data.pagination.limit >= data.pagination.total) return;
  }
}

/**
 * Places an order once, however often it has to be sent. Money is in major units.
 *
 * @param idempotencyKey the same for every attempt at this order, also after a restart: the number of the cart.
 */
export async function placeOrder(client: Client<paths>, order: NewOrder, idempotencyKey: string): Promise<PlacedOrder> {
  const header = { 'Idempotency-Key': idempotencyKey };
  const { data, error } = await client.POST('/v1/orders', { params: { header }, body: order });
  if (!data) throw new Error(error.error);
  return data.data;
}
