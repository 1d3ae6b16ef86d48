import { isDeepStrictEqual } from 'node:util';
import type { Follower } from '../changes/follower.js';
import { groupBy } from '../support/group-by.js';
import type { Exchange } from '../support/history.js';
import type { StockedStore } from '../support/shop.js';
import type { SmtpSink } from '../../support/smtp-sink.js';
import { acknowledgedViolations } from './acknowledged.js';
import { orderIn } from './clients.js';
import { shipmentMailViolations } from './mails.js';
import { excessOf, type OrderAnswer } from './order-answer.js';
import { Replay, type EventAnswer } from './replay.js';
import type { Placed } from './requests.js';

const PAGE = 100;

// The stock that an order has, movement by movement.
const RETURNED_TOO_OFTEN = `
  SELECT order_id, kind, quantity, net FROM (
    SELECT order_id, kind, quantity,
      sum(quantity) OVER (PARTITION BY order_id, product_id, variant_key, bin_id ORDER BY id)::int AS net
    FROM stock_movements WHERE store_id = $1 AND order_id IS NOT NULL) AS movement
  WHERE net > 0`;

export interface Evidence {
  readonly shop: StockedStore;
  /** A process at rest. */
  readonly service: { readonly url: string };
  readonly orders: readonly Placed[];
  readonly follower: Follower;
  readonly sink: SmtpSink;
}

export interface Verdict {
  readonly violations: readonly string[];
  readonly events: number;
}

/** Judges each order when nothing is in flight. A violation is followed by the order's history and requests. */
export async function judge(evidence: Evidence): Promise<Verdict> {
  const { shop, orders, follower, sink } = evidence;
  const { context, store } = shop;
  const silent = await context.rig.database.query<{ order_id: string; reference: string }>(
    'SELECT order_id, reference FROM shipments WHERE store_id = $1 AND NOT notify',
    [store.id],
  );
  const returned = await context.rig.database.query<{ order_id: string; kind: string; net: number }>(
    RETURNED_TOO_OFTEN,
    [store.id],
  );
  const exchanges = groupBy(context.history.exchanges, ({ path }) => path.split('/')[3]);
  const mails = groupBy(sink.mails, ({ messageId }) => messageId);
  const violations: string[] = [];
  let count = 0;
  for (const { id } of orders) {
    const requests = exchanges.get(id) ?? [];
    const { order, events } = await present(evidence, id);
    count += events.length;
    const quiet = new Set(silent.filter(({ order_id }) => order_id === id).map(({ reference }) => reference));
    const found = [
      ...excessOf(order),
      ...new Replay(order, events).violations,
      ...acknowledgedViolations(order, events, requests),
      ...shipmentMailViolations(order, events, quiet, mails, store.subdomain),
      ...returned
        .filter(({ order_id }) => order_id === id)
        .map(({ kind, net }) => `${kind} leads the ledger to ${net}`),
      ...(isDeepStrictEqual(follower.copy.get(`orders ${id}`)?.data, order) ? [] : ['the feed has another record']),
    ];
    if (found.length === 0) continue;
    const story = [...events.map(told), ...requests.filter(({ method }) => method !== 'GET').map(toldRequest)];
    violations.push(`order ${id}: ${found.join('; ')}\n${story.map((line) => `      ${line}`).join('\n')}`);
  }
  return { violations, events: count };
}

async function present(
  { shop: { buyers }, service }: Evidence,
  id: string,
): Promise<{ order: OrderAnswer; events: EventAnswer[] }> {
  const get = (path: string) => buyers.insist([service], undefined, { method: 'GET', path: `/v1/orders/${id}${path}` });
  const order = orderIn(await get(''));
  const events: EventAnswer[] = [];
  for (let page = 1; ; page++) {
    const { bytes } = await get(`/history?limit=${PAGE}&page=${page}`);
    const { data } = JSON.parse(bytes.toString()) as { data: EventAnswer[] };
    events.push(...data);
    if (data.length < PAGE) return { order, events };
  }
}

function told({ event, field, from, to, reference, details }: EventAnswer): string {
  return [event, reference, field, from, to, JSON.stringify(details)].filter(Boolean).join(' ');
}

function toldRequest({ at, tookMs, method, path, body, idempotencyKey, status, error, headers }: Exchange): string {
  const time = `${new Date(at).toISOString().slice(17)} +${tookMs}`;
  const answer = [status ?? error, headers['x-error-code'], idempotencyKey].filter(Boolean).join(' ');
  return `${time} ${method} ${path.split('/').slice(4).join('/')} ${body ?? ''} ${answer}`;
}
