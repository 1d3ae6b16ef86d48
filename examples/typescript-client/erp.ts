import { randomUUID } from 'node:crypto';
import type { Client } from 'openapi-fetch';
import type { components, paths } from './api.js';
import { RequestFailed, type NewOrder, type Order } from './store.js';

export type Sku = components['schemas']['SkuListItem'];
export type FullOrder = components['schemas']['Order'];

export type ImportLine = components['schemas']['ImportLine'];
export type ImportedLine = components['schemas']['ImportResult']['lines'][number];

/** `refused`: the order was not placed, and will not be until something changes. */
export type Outcome =
  | { readonly result: 'placed'; readonly orderId: string; readonly receiptNumber: string }
  | { readonly result: 'refused'; readonly code: string; readonly reason: string };

type Change = components['schemas']['Change'];

/** A page of the feed of changes. */
export interface ChangesPage<Kind extends Change['kind']> {
  /** The newest state of each resource that changed. A resource can come again. */
  readonly data: readonly Extract<Change, { kind: Kind }>[];
  /** Where to continue. Store it with the data of the page, or after them. */
  readonly cursor: string;
  readonly has_more: boolean;
  /**
   * The feed begins again with this page, because deletions, or changes that you have read, are lost. Only the first page
   * says so: what has not come again after the last one is lost.
   */
  readonly rewound: boolean;
}

/**
 * Yields what changed after `cursor`, or everything without one, in pages of up to 100 full records. Nothing is ever
 * inserted before a cursor. Prices of products and SKUs are in major
 * units, amounts of orders and customers in minor units.
 *
 * @param options.wait seconds to wait for the first change, 0 to 25.
 * @throws RequestFailed
 */
export async function* changes<Kind extends Change['kind']>(
  client: Client<paths, 'application/json'>,
  kinds: Kind | readonly Kind[],
  { cursor, wait = 0 }: { readonly cursor?: string; readonly wait?: number } = {},
): AsyncGenerator<ChangesPage<Kind>> {
  let from = cursor;
  let isExpired = false;
  for (;;) {
    const query = { kinds: [kinds].flat().join(), limit: 100, wait: from === cursor ? wait : 0, cursor: from };
    const { data, error, response } = await client.GET('/v1/changes', { params: { query } });
    if (!data) {
      const failure = new RequestFailed(response, error);
      if (failure.code !== 'cursor_expired') throw failure;
      isExpired = true;
      from = undefined;
      continue;
    }
    yield { ...data, data: data.data as Extract<Change, { kind: Kind }>[], rewound: data.rewound || isExpired };
    if (!data.has_more) return;
    isExpired = false;
    from = data.cursor;
  }
}

/** The orders of a store as they were at a cursor. Store all three together. */
export interface OrderCopy {
  readonly orders: Map<string, FullOrder>;
  /** Ids of orders that have not come again since the feed began again. When a call returns, the service has lost these. */
  readonly missing: Set<string>;
  /** Absent before the first call. */
  cursor?: string;
}

/**
 * Brings a copy up to date: the first call reads all orders, later ones those that are new or have changed. Money is in
 * minor units.
 *
 * @param wait seconds to wait for the first change, 0 to 25.
 * @throws RequestFailed The next call continues with the page that failed.
 */
export async function followOrders(client: Client<paths>, copy: OrderCopy, wait = 0): Promise<void> {
  for await (const page of changes(client, 'orders', { cursor: copy.cursor, wait })) {
    if (page.rewound) for (const id of copy.orders.keys()) copy.missing.add(id);
    for (const { id, data } of page.data) {
      if (data) {
        copy.orders.set(id, data);
        copy.missing.delete(id);
      } else if (copy.orders.has(id)) copy.missing.add(id);
    }
    copy.cursor = page.cursor;
  }
}

/** The SKUs of a store as they were at a cursor. Store both together. */
export interface SkuCopy {
  /** Keyed by their ids in the feed: `70` for a product without variants, `70-12` for its variant 12. */
  readonly skus: Map<string, Sku>;
  /** Absent before the first call. */
  cursor?: string;
}

/**
 * Brings a copy up to date: the first call reads all SKUs, later ones those that changed. Prices are in major units.
 *
 * @param wait seconds to wait for the first change, 0 to 25.
 * @throws RequestFailed The next call continues with the page that failed.
 */
export async function followSkus(client: Client<paths>, copy: SkuCopy, wait = 0): Promise<void> {
  for await (const page of changes(client, 'skus', { cursor: copy.cursor, wait })) {
    if (page.rewound) copy.skus.clear();
    for (const { id, data } of page.data) {
      if (data) copy.skus.set(id, data);
      else copy.skus.delete(id);
    }
    copy.cursor = page.cursor;
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

/** The line of an order for a unit, whatever other units have its SKU. */
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

export type NewShipment = components['schemas']['CreateShipmentRequest'];
export type ShipmentChange = components['schemas']['ChangeShipmentRequest'];
export type Cancellation = components['schemas']['CancelOrderRequest'];
export type NewPayment = components['schemas']['RecordPaymentRequest'];
export type NewRefund = components['schemas']['RecordRefundRequest'];
export type OrderPatch = components['schemas']['OrderPatchRequest'];
export type RepeatedMail = components['schemas']['RepeatMailRequest'];
export type Transition = components['schemas']['TransitionRequest'];
export type LinesChange = components['schemas']['ChangeLinesRequest'];
export type OrderEvent = components['schemas']['OrderEvent'];

/** `refused`: nothing changed, and a repetition is refused again until the order or the request changes. */
export type ChangeOutcome =
  | { readonly result: 'done'; readonly order: FullOrder }
  | { readonly result: 'refused'; readonly code: string; readonly reason: string };

/**
 * Ships lines of an order, or claims them with `status: 'picking'`; without `items`, all that is left. The same call with
 * the same reference is the same shipment, also after a restart.
 *
 * @throws RequestFailed or the TypeError of `fetch` when the client gave up: the order may have changed. Call again. So do
 * the other changes.
 */
export function shipOrder(client: Client<paths>, id: string, shipment: NewShipment): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/shipments', { params: once(id), body: shipment }));
}

/** Sets the status or the tracking of a shipment. */
export function changeShipment(
  client: Client<paths>,
  id: string,
  reference: string,
  change: ShipmentChange,
): Promise<ChangeOutcome> {
  const params = { path: { id, reference } };
  return changed(client.PATCH('/v1/orders/{id}/shipments/{reference}', { params, body: change }));
}

/** Cancels an order before anything of it ships. `refund_due` of the order states what to pay back. */
export function cancelOrder(
  client: Client<paths>,
  id: string,
  cancellation: Cancellation = {},
  key?: string,
): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/cancel', { params: once(id, key), body: cancellation }));
}

/** Sets quantities and adds lines. @param key without it, a repetition would add the lines again. */
export function changeLines(
  client: Client<paths>,
  id: string,
  lines: LinesChange,
  key?: string,
): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/lines', { params: once(id, key), body: lines }));
}

/** Puts an order under review before anything of it ships. */
export function holdOrder(client: Client<paths>, id: string, reason: string): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/hold', { params: once(id), body: { reason } }));
}

/** Ends the review. */
export function releaseOrder(client: Client<paths>, id: string): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/release', { params: once(id), body: {} }));
}

/** Records a payment. The amount is in minor units: what is owed, or a part of it with `partial` or `settles`. */
export function recordPayment(client: Client<paths>, id: string, payment: NewPayment): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/payments', { params: once(id), body: payment }));
}

/** Records a refund, in minor units. */
export function recordRefund(client: Client<paths>, id: string, refund: NewRefund): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/refunds', { params: once(id), body: refund }));
}

/** Moves a status, unless another program has moved it from `expected` before. */
export function moveOrder(client: Client<paths>, id: string, transition: Transition): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/transitions', { params: once(id), body: transition }));
}

/**
 * Sets metadata of an order and of its lines: null removes a key, and other keys stay. Or corrects the contact or the
 * address before anything ships: the order may be under review afterwards.
 */
export function patchOrder(client: Client<paths>, id: string, patch: OrderPatch): Promise<ChangeOutcome> {
  return changed(client.PATCH('/v1/orders/{id}', { params: { path: { id } }, body: patch }));
}

/** Adds a note to the history. A call again after no answer may add it twice. */
export function addNote(client: Client<paths>, id: string, text: string): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/notes', { params: once(id), body: { text } }));
}

/** Sends a mail again that is done, or tries a dead one again. */
export function repeatMail(client: Client<paths>, id: string, mail: RepeatedMail): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/mails', { params: once(id), body: mail }));
}

/** The newest orders with a text under a key of their metadata, up to 100. */
export async function ordersByMetadata(client: Client<paths>, key: string, text: string): Promise<readonly Order[]> {
  const query = { metadata: { [key]: text }, limit: 100 };
  const { data, error, response } = await client.GET('/v1/orders', { params: { query } });
  if (!data) throw new RequestFailed(response, error);
  return data.data;
}

export type NewStock = components['schemas']['ChangeStockRequest'];
export type StockLine = components['schemas']['StockChange']['lines'][number];

/** `done`: look at the `code` of each line, `''` where it is applied. `refused`: nothing changed. */
export type LinesOutcome<Line> =
  | { readonly result: 'done'; readonly lines: readonly Line[] }
  | { readonly result: 'refused'; readonly code: string; readonly reason: string };

/**
 * Sends receipts, corrections and counts, up to 500. The same call with the same `reference` changes nothing and has the
 * same outcome, also after a restart.
 *
 * @throws RequestFailed or the TypeError of `fetch` when the client gave up: the stock may have changed. Call again.
 */
export async function changeStock(client: Client<paths>, body: NewStock): Promise<LinesOutcome<StockLine>> {
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const { data, error, response } = await client.POST('/v1/stock', { params, body });
  return data ? { result: 'done', lines: data.data.lines } : refused(response, error);
}

export type NewPrices = components['schemas']['ChangePricesRequest'];
export type PriceLine = components['schemas']['PriceChange']['lines'][number];

/**
 * Sets prices, up to 500. The same call with the same `reference` changes nothing and has the same outcome, also after a
 * restart.
 *
 * @throws RequestFailed or the TypeError of `fetch` when the client gave up: prices may have changed. Call again.
 */
export async function changePrices(client: Client<paths>, body: NewPrices): Promise<LinesOutcome<PriceLine>> {
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const { data, error, response } = await client.POST('/v1/prices', { params, body });
  return data ? { result: 'done', lines: data.data.lines } : refused(response, error);
}

/**
 * Writes lines of the catalog, of customers or of past orders, in requests of 500. The same lines again change nothing: call
 * again after an error.
 *
 * @returns the lines that were refused, which changed nothing. Their numbers count from 1 over all requests.
 * @throws RequestFailed or the TypeError of `fetch` when the client gave up: the lines before may be written.
 */
export async function importLines(client: Client<paths>, lines: readonly ImportLine[]): Promise<ImportedLine[]> {
  const refused: ImportedLine[] = [];
  for (let first = 0; first < lines.length; first += 500) {
    const body = { lines: lines.slice(first, first + 500) };
    // Not for the service, which needs none: the client repeats requests that have one.
    const headers = { 'Idempotency-Key': randomUUID() };
    const { data, error, response } = await client.POST('/v1/import', { headers, body });
    if (!data) throw new RequestFailed(response, error);
    const found = data.data.lines.filter(({ result }) => result === 'refused');
    refused.push(...found.map((each) => ({ ...each, line: each.line + first })));
  }
  return refused;
}

/** Yields what happened to an order, oldest first. Refused shipments and payments are events, too. */
export async function* orderHistory(client: Client<paths>, id: string): AsyncGenerator<OrderEvent> {
  for (let page = 1; ; page += 1) {
    const params = { path: { id }, query: { page, limit: 100 } };
    const { data, error, response } = await client.GET('/v1/orders/{id}/history', { params });
    if (!data) throw new RequestFailed(response, error);
    yield* data.data;
    if (page * data.pagination.limit >= data.pagination.total) return;
  }
}

export type JournalEntry = components['schemas']['JournalEntry'];
type JournalFilter = Omit<NonNullable<paths['/v1/journal']['get']['parameters']['query']>, 'cursor' | 'page' | 'limit'>;

/**
 * Yields what happened to the money of all orders, oldest first. The sums over all entries of an order are its amounts.
 *
 * @throws RequestFailed
 */
export async function* journal(client: Client<paths>, filter: JournalFilter = {}): AsyncGenerator<JournalEntry> {
  let limit = 100;
  for (let cursor = ''; ;) {
    const { data, error, response } = await client.GET('/v1/journal', {
      params: { query: { ...filter, limit, cursor } },
    });
    if (response.headers.get('x-error-code') === 'page_too_large') {
      limit = Math.floor(limit / 2);
      continue;
    }
    if (!data) throw new RequestFailed(response, error);
    yield* data.data;
    if (!data.has_more) return;
    cursor = data.cursor;
  }
}

/** The key lets the client repeat the request. A call again after that relies on the reference of the body. */
function once(id: string, key: string = randomUUID()) {
  return { path: { id }, header: { 'Idempotency-Key': key } };
}

async function changed(
  sent: Promise<{ data?: { readonly data: FullOrder }; error?: unknown; response: Response }>,
): Promise<ChangeOutcome> {
  const { data, error, response } = await sent;
  return data ? { result: 'done', order: data.data } : refused(response, error);
}

function refused(response: Response, error: unknown) {
  const failure = new RequestFailed(response, error);
  if (![400, 404, 422].includes(failure.status)) throw failure;
  return { result: 'refused', code: failure.code, reason: failure.reason } as const;
}
