import { api, mode, pause, POLL_MS, queries, refresh, signedOut, statusOf } from './http.js';
import type { Order, OrderListItem, Schemas } from './http.js';
import { sum } from './parts/text.js';
import { createStore } from './store.js';

/** `since` is when the feed was lost. */
type Live = Readonly<{ state: 'connecting' | 'live' | 'polling' | 'reconnecting'; since?: Date }>;

export const live = createStore<Live>({ state: 'connecting' });
/** Orders that were placed since the lists were read. They are shown on request. */
export const arrivals = createStore<readonly string[]>([]);

/** What the tab that reads the feed sends to the others. */
type Message = Readonly<{
  live: Live;
  cursor?: string | undefined;
  changes: readonly Schemas['Change'][];
  /** Whether changes may be missing before these: everything is then read again. */
  hasGap?: boolean;
}>;

const NAME = `dashboard-${mode}`;
const RETRY_MS = 3_000;
const VISIBILITY_POLL_MS = 500;
/** The pause after changes before the next read of the feed, so that changes in quick succession form one answer. */
const DEBOUNCE_MS = 1_000;
const LISTS_MS = 5_000;
const started = new Date().toISOString();

function rowOf(order: Order): Partial<OrderListItem> {
  const { status, fulfillment_status, total_amount, customer_name, refund_due, held, amount_open } = order;
  const units = sum(order.line_items.map(({ quantity }) => quantity));
  return { status, fulfillment_status, total_amount, customer_name, refund_due, held, amount_open, units };
}

function takeOrder(order: Order): void {
  for (const name of [order.id, order.receipt_number])
    queries.setQueryData(['/v1/orders/{id}', { path: { id: name } }], (old: unknown) => old && { data: order });
  void queries.invalidateQueries({ queryKey: ['/v1/orders/{id}/history', { path: { id: order.id } }] });
  let isKnown = false;
  const update = (row: OrderListItem) => {
    if (row.id !== order.id) return row;
    isKnown = true;
    return { ...row, ...rowOf(order) };
  };
  queries.setQueriesData<{ data: OrderListItem[] }>(
    { queryKey: ['/v1/orders'] },
    (list) => list && { ...list, data: list.data.map(update) },
  );
  const isNew = !isKnown && order.created_at > started && !arrivals.get().includes(order.id);
  if (isNew && order.is_test === (mode === 'test')) arrivals.set([...arrivals.get(), order.id]);
}

export function showArrivals(): void {
  arrivals.set([]);
  void queries.invalidateQueries({ queryKey: ['/v1/orders'] });
}

const READS = ['/v1/attention', '/v1/statistics/orders', '/v1/stock', '/v1/stock/movements'];
const LISTS = [...READS, 'counts', 'newest', 'stock'];
let due: ReturnType<typeof setTimeout> | undefined;
let refetchedAt = -LISTS_MS;
/**
 * Refreshes lists. A hidden tab waits until it is visible, and pages of orders until they are opened again, so that no
 * row moves while a person reads.
 */
function refetchLists(): void {
  const wait = Math.max(DEBOUNCE_MS, refetchedAt + LISTS_MS - performance.now());
  due ??= setTimeout(() => {
    due = undefined;
    refetchedAt = performance.now();
    const refetchType = document.hidden ? 'none' : 'active';
    for (const name of LISTS) void queries.invalidateQueries({ queryKey: [name], refetchType });
    void queries.invalidateQueries({ queryKey: ['/v1/orders'], refetchType: 'none' });
  }, wait);
}

let cursor: string | undefined;
/**
 * Whether the position in the feed was refused. Reading then continues at the end, and misses the changes before it.
 */
let isLost = false;

function take(message: Message): void {
  live.set(message.live);
  cursor = message.cursor ?? cursor;
  for (const change of message.changes) if (change.kind === 'orders' && change.data) takeOrder(change.data);
  if (message.changes.length > 0) refetchLists();
  if (message.hasGap) void queries.invalidateQueries();
}

/** Reads the feed in one visible tab, because a store has few waiting slots, and sends it to the other tabs. */
export async function follow(): Promise<void> {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }: MessageEvent<Message>) => take(data);
  const tell = (message: Message) => {
    take(message);
    channel.postMessage(message);
  };
  for (;;) {
    while (!isVisible()) await pause(VISIBILITY_POLL_MS);
    await navigator.locks.request(NAME, async () => {
      while (isVisible()) await step(tell);
    });
  }
}

const isVisible = () => !document.hidden && !signedOut.get();

async function step(tell: (message: Message) => void): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  document.addEventListener('visibilitychange', leave, { signal: gone.signal });
  // A waiting request does not notice a lost network.
  addEventListener('offline', leave, { signal: gone.signal });
  try {
    const query = { kinds: 'orders,stock', cursor: cursor ?? 'now', limit: 100, wait: cursor === undefined ? 0 : 25 };
    const { data } = await api.GET('/v1/changes', { params: { query }, signal: gone.signal });
    if (!data) return;
    tell({ live: { state: 'live' }, cursor: data.cursor, changes: data.data, hasGap: data.rewound || isLost });
    isLost = false;
    if (data.data.length > 0 && !data.has_more) await pause(DEBOUNCE_MS);
  } catch (error) {
    if (gone.signal.aborted) return;
    const status = statusOf(error);
    // Without the feed, lists are read at intervals. A refused cursor is dropped.
    const isPolling = status === 503 || status === 429;
    if (status === 400) [cursor, isLost] = [undefined, true];
    const since = live.get().since ?? new Date();
    tell({ live: isPolling ? { state: 'polling' } : { state: 'reconnecting', since }, changes: [] });
    await pause(isPolling ? POLL_MS : RETRY_MS);
    if (isPolling) void refresh();
  } finally {
    gone.abort();
  }
}
