import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './api.js';
import { retryingFetch, type RetryOptions } from './retrying-fetch.js';

export type Order = components['schemas']['OrderListItem'];
export type NewOrder = components['schemas']['CreateOrderRequest'];
export type PlacedOrder = components['schemas']['CreatedOrder'];

/** A response without data, from the service or from a proxy in front of it. */
export class RequestFailed extends Error {
  readonly status: number;
  /** `X-Error-Code`: decide by it. `""` when the response comes from a proxy. */
  readonly code: string;
  /** The service's `error`, which lists every fault of a body. */
  readonly reason: string;
  /** Quote it when you report a problem; `""` when the request never reached the service. */
  readonly requestId: string;

  /** @param body the parsed response: the service's `{ error }`, or any text from a proxy. */
  constructor({ status, headers }: Response, body: unknown) {
    const requestId = headers.get('X-Request-Id') ?? '';
    const message = (body as { error?: unknown } | null | undefined)?.error;
    const reason = typeof message === 'string' ? message : 'the response comes from a proxy, not from the service';
    super(`${status}: ${reason}${requestId && ` (request ${requestId})`}`);
    this.status = status;
    this.code = headers.get('X-Error-Code') ?? '';
    this.reason = reason;
    this.requestId = requestId;
  }
}

/** The API typed by its OpenAPI document: the compiler checks paths, parameters, bodies and responses. */
export function storeClient(baseUrl: string, apiKey: string, retries: RetryOptions = {}): Client<paths> {
  return createClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    fetch: retryingFetch(retries),
  });
}

/**
 * Yields every order that exists at the first request once, newest first. Money is in minor units.
 *
 * An order placed meanwhile moves all others down by one, so that a page repeats the last order of the page before it:
 * known ids are skipped. Do not filter by status here: an order that leaves the filter moves the others up across the
 * page boundary, and one would be missed. Check `order.status` instead.
 *
 * To poll, follow the feed of changes (erp.ts).
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
 * Places an order exactly once, regardless of the number of attempts. Money is in major units.
 *
 * @param idempotencyKey the same for every attempt at this order, even after a restart: for example the cart's number.
 * @throws RequestFailed whose status says what to do: 400 and 422 will not succeed without a change.
 */
export async function placeOrder(client: Client<paths>, order: NewOrder, idempotencyKey: string): Promise<PlacedOrder> {
  const header = { 'Idempotency-Key': idempotencyKey };
  const { data, error, response } = await client.POST('/v1/orders', { params: { header }, body: order });
  if (!data) throw new RequestFailed(response, error);
  return data.data;
}
