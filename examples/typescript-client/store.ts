import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './api.js';
import { retryingFetch, type RetryOptions } from './retrying-fetch.js';

export type Order = components['schemas']['OrderListItem'];
export type NewOrder = components['schemas']['CreateOrderRequest'];
export type PlacedOrder = components['schemas']['CreatedOrder'];

/** An answer without data, of the service or of a proxy before it. */
export class RequestFailed extends Error {
  readonly status: number;
  /** To be quoted when something went wrong; `""` when the service never saw the request. */
  readonly requestId: string;

  /** @param body what was read of the answer: the service's `{ error }`, or anything a proxy sends. */
  constructor({ status, headers }: Response, body: unknown) {
    const requestId = headers.get('X-Request-Id') ?? '';
    const told = (body as { error?: unknown } | null | undefined)?.error;
    const text = typeof told === 'string' ? told : 'the answer is not one of the service, but of something before it';
    super(`${status}: ${text}${requestId && ` (request ${requestId})`}`);
    this.status = status;
    this.requestId = requestId;
  }
}

/** The API with the types of its document: paths, parameters, bodies and answers are checked by the compiler. */
export function storeClient(baseUrl: string, apiKey: string, retries: RetryOptions = {}): Client<paths> {
  return createClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    fetch: retryingFetch(retries),
  });
}

/**
 * Every order there was at the first request, once, newest first. Money is in minor units.
 *
 * An order that is placed meanwhile moves all others down by one, so that a page begins with what the page before it
 * ended with: known ids are left out. There is no filter by status: an order that leaves the filter would move the
 * others up, over the edge between two pages, and one would be missed. Look at `order.status` instead.
 *
 * @throws RequestFailed
 */
export async function* allOrders(client: Client<paths>): AsyncGenerator<Order> {
  const known = new Set<string>();
  for (let page = 1; ; page += 1) {
    const { data, error, response } = await client.GET('/v1/orders', { params: { query: { page, limit: 100 } } });
    if (!data) throw new RequestFailed(response, error);
    for (const order of data.data) {
      if (!known.has(order.id)) yield order;
      known.add(order.id);
    }
    if (page * data.pagination.limit >= data.pagination.total) return;
  }
}

/**
 * The orders placed from `since` on, newest first. To poll, every 30 seconds or less often: ask from a minute before the
 * newest order of the last time, because an order is dated a moment before it can be seen, and leave out known ids.
 *
 * @throws RequestFailed
 */
export async function* ordersSince(client: Client<paths>, since: Date): AsyncGenerator<Order> {
  for await (const order of allOrders(client)) {
    if (new Date(order.created_at) < since) return;
    yield order;
  }
}

/**
 * Places an order once, however often it has to be sent. Money is in major units.
 *
 * @param idempotencyKey the same for every attempt at this order, also after a restart: the number of the cart.
 * @throws RequestFailed whose status tells what to do: 400 and 422 will not succeed as they are.
 */
export async function placeOrder(client: Client<paths>, order: NewOrder, idempotencyKey: string): Promise<PlacedOrder> {
  const header = { 'Idempotency-Key': idempotencyKey };
  const { data, error, response } = await client.POST('/v1/orders', { params: { header }, body: order });
  if (!data) throw new RequestFailed(response, error);
  return data.data;
}
