import { isDeepStrictEqual } from 'node:util';
import type { Follower } from '../changes/follower.js';
import { groupBy } from '../support/group-by.js';
import { dataOf, type Exchange } from '../support/history.js';
import type { StockedStore } from '../support/shop.js';
import { readMail } from '../../support/mail-message.js';
import type { ReceivedMail, SmtpSink } from '../../support/smtp-sink.js';
import { messageIdOf } from '../support/oracle/pipeline.js';
import { acknowledgedViolations } from './acknowledged.js';
import { SPENT_BEFORE } from './clients.js';
import { excessOf, isActive, sumOf, type OrderAnswer } from './order-answer.js';
import { Replay, type EventAnswer } from './replay.js';
import type { Placed } from './requests.js';

const PAGE = 100;
/** The mail of a shipment, up to what changes with other shipments. */
const CONTENT = /In this shipment([\s\S]*?)(?:Tracking|Not shipped yet|Delivery address)/;

// An order gives back no more units of a product than it took. For a single bin, a void shipment can make it more: after a
// return to the bin of that shipment, its unit goes back to the same bin, and the returned one counts as one of another bin.
const RETURNED_TOO_OFTEN = `
  SELECT order_id, kind, greatest(net, net_of_bin) AS net FROM (
    SELECT order_id, kind, sum(quantity) OVER (PARTITION BY order_id, product_id, variant_key ORDER BY id)::int AS net,
      sum(quantity) OVER (PARTITION BY order_id, product_id, variant_key, bin_id ORDER BY id)::int AS net_of_bin
    FROM stock_movements WHERE store_id = $1 AND order_id IS NOT NULL) AS movement
  WHERE net > 0 OR net_of_bin > 0 AND NOT EXISTS (
    SELECT FROM shipments WHERE store_id = $1 AND shipments.order_id = movement.order_id AND status = 'void')`;

export interface Evidence {
  readonly shop: StockedStore;
  readonly service: { readonly url: string };
  readonly orders: readonly Placed[];
  readonly follower: Follower;
  readonly sink: SmtpSink;
}

export async function judge(evidence: Evidence) {
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
  const present: OrderAnswer[] = [];
  let count = 0;
  for (const { id } of orders) {
    const requests = exchanges.get(id) ?? [];
    const { order, events } = await read(evidence, id);
    present.push(order);
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
  violations.push(...(await spendingViolations(evidence, present)));
  return { violations, events: count };
}

async function read(
  { shop: { buyers }, service }: Evidence,
  id: string,
): Promise<{ order: OrderAnswer; events: EventAnswer[] }> {
  const get = (path: string) => buyers.insist([service], undefined, { method: 'GET', path: `/v1/orders/${id}${path}` });
  const order = dataOf<OrderAnswer>(await get(''));
  const events: EventAnswer[] = [];
  for (let page = 1; ; page++) {
    const data = dataOf<EventAnswer[]>(await get(`/history?limit=${PAGE}&page=${page}`));
    events.push(...data);
    if (data.length < PAGE) return { order, events };
  }
}

async function spendingViolations({ shop, service, follower }: Evidence, orders: readonly OrderAnswer[]) {
  const violations: string[] = [];
  for (const [id, own] of groupBy(orders, ({ customer }) => customer.id)) {
    if (id === null) continue;
    const path = `/v1/customers/${id}`;
    const answer = await shop.buyers.insist([service], undefined, { method: 'GET', path });
    const customer = dataOf<{ total_spent: number }>(answer);
    const spent = own.reduce((sum, { payments, refunds }) => sum + sumOf(payments) - sumOf(refunds), SPENT_BEFORE);
    if (customer.total_spent !== spent) {
      violations.push(`customer ${id} has spent ${customer.total_spent}, not ${spent}`);
    }
    if (!isDeepStrictEqual(follower.copy.get(`customers ${id}`)?.data, customer)) {
      violations.push(`the feed has another record of customer ${id}`);
    }
  }
  return violations;
}

function told({ event, field, from, to, reference, details }: EventAnswer): string {
  return [event, reference, field, from, to, JSON.stringify(details)].filter(Boolean).join(' ');
}

function toldRequest({ at, tookMs, method, path, body, idempotencyKey, status, error, headers }: Exchange): string {
  const time = `${new Date(at).toISOString().slice(17)} +${tookMs}`;
  const answer = [status ?? error, headers['x-error-code'], idempotencyKey].filter(Boolean).join(' ');
  return `${time} ${method} ${path.split('/').slice(4).join('/')} ${body ?? ''} ${answer}`;
}

/** @param silent references of shipments that the customer gets no mail about. A void one may have none. */
function shipmentMailViolations(
  order: OrderAnswer,
  events: readonly EventAnswer[],
  silent: ReadonlySet<string>,
  mails: ReadonlyMap<string, readonly ReceivedMail[]>,
  subdomain: string,
): string[] {
  const queued = order.pipeline.filter(({ stage }) => stage === 'notify-shipment').map(({ reference }) => reference);
  const strange = queued.filter((reference) => !order.shipments.some((shipment) => shipment.reference === reference));
  const found = order.shipments.flatMap((shipment) => {
    const { reference } = shipment;
    const id = messageIdOf({ order_id: order.id, stage: 'notify-shipment', reference }, subdomain);
    const arrived = mails.get(id) ?? [];
    const wasShipped = events.some(
      (event) =>
        event.reference === reference && (event.details['to'] === 'shipped' || event.details['status'] === 'shipped'),
    );
    const isExpected = wasShipped && !silent.has(reference);
    const contents = new Set(arrived.map(({ raw }) => CONTENT.exec(readMail(raw).parts.get('text/plain') ?? '')?.[1]));
    return [
      ...(isExpected && isActive(shipment) && arrived.length === 0 ? [`no mail of shipment ${reference} arrived`] : []),
      ...(!isExpected && (queued.includes(reference) || arrived.length > 0)
        ? [`a mail of shipment ${reference} should not exist`]
        : []),
      ...(contents.size > 1 || contents.has(undefined) ? [`the mails of shipment ${reference} differ`] : []),
    ];
  });
  return [...found, ...strange.map((reference) => `a mail of ${reference} is queued, which is no shipment`)];
}
