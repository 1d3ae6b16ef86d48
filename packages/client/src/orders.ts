import { RequestFailed, type StoreClient } from './client.js';
import type { FullOrder, NewOrder, Order, OrderEvent, PlacedOrder, Sku } from './records.js';

/** `refused`: the order was not placed, and will not be until something changes. */
export type Outcome =
  | { readonly result: 'placed'; readonly orderId: string; readonly receiptNumber: string }
  | { readonly result: 'refused'; readonly code: string; readonly reason: string };

/** Reads an order with its lines, by id or receipt number. @throws RequestFailed */
export async function readOrder(client: StoreClient, id: string): Promise<FullOrder> {
  const { data, error, response } = await client.GET('/v1/orders/{id}', { params: { path: { id } } });
  if (!data) throw new RequestFailed(response, error);
  return data.data;
}

/**
 * Reads the order with your own number; `null` when it was not placed. A live and a test order can have the same number.
 *
 * @throws RequestFailed
 */
export async function orderByReference(
  client: StoreClient,
  reference: string,
  { isTest = false } = {},
): Promise<FullOrder | null> {
  const query = { external_reference: reference };
  const { data, error, response } = await client.GET('/v1/orders', { params: { query } });
  if (!data) throw new RequestFailed(response, error);
  for (const { id } of data.data) {
    const order = await readOrder(client, id);
    if (order.is_test === isTest) return order;
  }
  return null;
}

/** Returns the order line for a unit, even when other units share its SKU. */
export function orderLine({ product_id, variant_id }: Sku, quantity: number): NewOrder['items'][number] {
  return { product_id, variant_id, quantity };
}

/**
 * Places an order exactly once, however often it is called with the same `external_reference`, also after a restart.
 * The client repeats a request without an answer and after 409, 429 and 5xx.
 *
 * @throws RequestFailed or the TypeError of `fetch` when the client gave up: the order may have been placed. Call again.
 * @throws RequestFailed with status 401 or 403: the key does not open the store.
 */
export async function placeOnce(
  client: StoreClient,
  order: NewOrder & { readonly external_reference: string },
): Promise<Outcome> {
  const header = { 'Idempotency-Key': crypto.randomUUID() };
  const { data, error, response } = await client.POST('/v1/orders', { params: { header }, body: order });
  if (data) return { result: 'placed', orderId: data.data.order_id, receiptNumber: data.data.receipt_number };

  const failure = new RequestFailed(response, error);
  if (failure.status !== 400 && failure.status !== 422) throw failure;
  const existingId = response.headers.get('X-Existing-Order');
  if (existingId) {
    // An earlier call placed it and its answer was lost, or another purchase has the same number.
    const existing = await readOrder(client, existingId);
    const isOurs = haveSameLines(order.items, existing.line_items);
    if (isOurs) return { result: 'placed', orderId: existing.id, receiptNumber: existing.receipt_number };
  }
  return { result: 'refused', code: failure.code, reason: failure.reason };
}

function haveSameLines(items: NewOrder['items'], lines: FullOrder['line_items']): boolean {
  const isSame = (item: NewOrder['items'][number], line?: FullOrder['line_items'][number]) => {
    if (item.quantity !== line?.quantity) return false;
    if (item.sku) return item.sku.toUpperCase() === line.sku.toUpperCase();
    return item.product_id === line.product_id && (item.variant_id ?? null) === line.variant_id;
  };
  return items.length === lines.length && items.every((item, index) => isSame(item, lines[index]));
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
export async function* allOrders(client: StoreClient): AsyncGenerator<Order> {
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
export async function placeOrder(client: StoreClient, order: NewOrder, idempotencyKey: string): Promise<PlacedOrder> {
  const header = { 'Idempotency-Key': idempotencyKey };
  const { data, error, response } = await client.POST('/v1/orders', { params: { header }, body: order });
  if (!data) throw new RequestFailed(response, error);
  return data.data;
}

/** The newest orders with a text under a key of their metadata, up to 100. */
export async function ordersByMetadata(client: StoreClient, key: string, text: string): Promise<readonly Order[]> {
  const query = { metadata: { [key]: text }, limit: 100 };
  const { data, error, response } = await client.GET('/v1/orders', { params: { query } });
  if (!data) throw new RequestFailed(response, error);
  return data.data;
}

/** Yields what happened to an order, oldest first. Refused shipments and payments are events, too. */
export async function* orderHistory(client: StoreClient, id: string): AsyncGenerator<OrderEvent> {
  for (let page = 1; ; page += 1) {
    const params = { path: { id }, query: { page, limit: 100 } };
    const { data, error, response } = await client.GET('/v1/orders/{id}/history', { params });
    if (!data) throw new RequestFailed(response, error);
    yield* data.data;
    if (page * data.pagination.limit >= data.pagination.total) return;
  }
}
