import { randomUUID } from 'node:crypto';
import type { Client } from 'openapi-fetch';
import type { components, paths } from './api.js';
import { RequestFailed, type NewOrder, type Order } from './store.js';

export type Sku = components['schemas']['SkuListItem'];
export type FullOrder = components['schemas']['Order'];

/** `refused`: the order was not placed, and will not be until something changes. */
export type Outcome =
  | { readonly result: 'placed'; readonly orderId: string; readonly receiptNumber: string }
  | { readonly result: 'refused'; readonly code: string; readonly reason: string };

const PASSES = 3;

/**
 * Yields every SKU with its price and quantity once, sorted by SKU. Prices are in major units.
 *
 * A change of the catalog can move a SKU to a page that was already read. The total shows that one is missing, and the
 * pages are read again.
 *
 * @throws RequestFailed
 */
export async function* allSkus(client: Client<paths>): AsyncGenerator<Sku> {
  const known = new Set<string>();
  for (let page = 1, pass = 1; ; page += 1) {
    const { data, error, response } = await client.GET('/v1/skus', { params: { query: { page, limit: 100 } } });
    if (!data) throw new RequestFailed(response, error);
    const { total, limit } = data.pagination;
    for (const unit of data.data) {
      const id = `${unit.product_id}/${unit.variant_id}`;
      if (!known.has(id)) yield unit;
      known.add(id);
    }
    if (page * limit < total) continue;
    if (known.size >= total || pass === PASSES) return;
    page = 0;
    pass += 1;
  }
}

/**
 * Brings `skus` up to date, by the ids of the feed (`70` for a product, `70-12` for its variant 12): all of them without a
 * cursor, later those that changed. Waits up to 25 s for a change. Returns the cursor for the next call; store it with the
 * SKUs. Prices are in major units.
 *
 * @throws RequestFailed with the code `cursor_expired` after 90 days without a call: clear `skus`, and begin without a
 * cursor.
 */
export async function followSkus(client: Client<paths>, skus: Map<string, Sku>, cursor?: string): Promise<string> {
  for (let from = cursor; ;) {
    const query = { kinds: 'skus', limit: 100, wait: 25, ...(from !== undefined && { cursor: from }) };
    const { data, error, response } = await client.GET('/v1/changes', { params: { query } });
    if (!data) throw new RequestFailed(response, error);
    // The service lost changes that this copy has: the feed begins again.
    if (data.rewound) skus.clear();
    for (const change of data.data) {
      if (change.kind !== 'skus') continue;
      if (change.data) skus.set(change.id, change.data);
      else skus.delete(change.id);
    }
    if (!data.has_more) return data.cursor;
    from = data.cursor;
  }
}

/**
 * Yields every order that is not in `known` once, newest first, and adds its id to `known`. Money is in minor units.
 *
 * Reads from page 1 until `known` has as many orders as the store. The total and the rows of a page are of one moment,
 * and orders are never deleted: equal numbers mean that no order is missing, whatever its date and however late it was
 * committed.
 *
 * @throws RequestFailed
 */
export async function* newOrders(client: Client<paths>, known: Set<string>): AsyncGenerator<Order> {
  let total: number | undefined;
  for (let page = 1; ; page += 1) {
    const { data, error, response } = await client.GET('/v1/orders', { params: { query: { page, limit: 100 } } });
    if (!data) throw new RequestFailed(response, error);
    // Later pages also count the orders that were placed since the first. The next poll reads those.
    total ??= data.pagination.total;
    for (const order of data.data) {
      if (known.has(order.id)) continue;
      known.add(order.id);
      yield order;
    }
    if (known.size === total || page * data.pagination.limit >= data.pagination.total) return;
  }
}

/** Reads an order with its lines, by id or receipt number. @throws RequestFailed */
export async function readOrder(client: Client<paths>, id: string): Promise<FullOrder> {
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
  client: Client<paths>,
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

/** The line of an order for a SKU. A product without variants is ordered without `variant_id`: null is a fault. */
export function orderLine({ product_id, variant_id }: Sku, quantity: number): NewOrder['items'][number] {
  return { product_id, ...(variant_id !== null && { variant_id }), quantity };
}

/**
 * Places an order exactly once, however often it is called with the same `external_reference`, also after a restart.
 * The client repeats a request without an answer and after 409, 429 and 5xx.
 *
 * @throws RequestFailed or the TypeError of `fetch` when the client gave up: the order may have been placed. Call again.
 * @throws RequestFailed with status 401 or 403: the key does not open the store.
 */
export async function placeOnce(
  client: Client<paths>,
  order: NewOrder & { readonly external_reference: string },
): Promise<Outcome> {
  const header = { 'Idempotency-Key': randomUUID() };
  const { data, error, response } = await client.POST('/v1/orders', { params: { header }, body: order });
  if (data) return { result: 'placed', orderId: data.data.order_id, receiptNumber: data.data.receipt_number };

  const failure = new RequestFailed(response, error);
  if (failure.status !== 400 && failure.status !== 422) throw failure;
  const existingId = response.headers.get('X-Existing-Order');
  if (existingId) {
    // An earlier call placed it and its answer was lost, or another purchase has the same number.
    const existing = await readOrder(client, existingId);
    const isOurs = linesOf(order.items) === linesOf(existing.line_items);
    if (isOurs) return { result: 'placed', orderId: existing.id, receiptNumber: existing.receipt_number };
  }
  return { result: 'refused', code: failure.code, reason: failure.reason };
}

interface Line {
  readonly product_id: number | null;
  readonly variant_id?: number | null;
  readonly quantity: number;
}

function linesOf(lines: readonly Line[]): string {
  return JSON.stringify(lines.map((line) => [line.product_id, line.variant_id ?? null, line.quantity]));
}
