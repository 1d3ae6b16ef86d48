import type { Exchange } from '../support/history.js';
import { contentOf, type MoneyAnswer, type OrderAnswer, type Units } from './order-answer.js';
import type { EventAnswer } from './replay.js';

/** Time in which a process that lost its client may still commit. */
const AFTERLIFE_MS = 2_000;

interface Body {
  readonly reference: string;
  readonly amount: number;
  readonly items?: readonly Units[];
  readonly add?: readonly object[];
  readonly status?: string;
  readonly carrier?: string;
  readonly field: EventAnswer['field'];
  readonly expected: string;
  readonly to: string;
}

interface Asked {
  readonly exchange: Exchange;
  readonly body: Body;
  /** `null`: the client does not know. */
  readonly isDone: boolean | null;
}

/** Checks that what was acknowledged exists, and that what exists was requested. */
export function acknowledgedViolations(
  order: OrderAnswer,
  events: readonly EventAnswer[],
  exchanges: readonly Exchange[],
): string[] {
  const asked = new Map<string, Asked[]>();
  for (const exchange of exchanges) {
    if (exchange.method === 'GET') continue;
    const [, route = ''] = /^\/v1\/orders\/[^/]+\/(.*)$/.exec(exchange.path) ?? [];
    const { status } = exchange;
    const isDone = status === null || status === 503 ? null : status === 200 || status === 201;
    const body = JSON.parse(exchange.body ?? '{}') as Body;
    asked.set(route, [...(asked.get(route) ?? []), { exchange, body, isDone }]);
  }
  const of = (route: string) => asked.get(route) ?? [];
  return [
    ...recordViolations('shipment', of('shipments'), order.shipments, isShipmentOf),
    ...recordViolations('payment', of('payments'), order.payments, isMoneyOf),
    ...recordViolations('refund', of('refunds'), order.refunds, isMoneyOf),
    ...order.shipments.flatMap(({ reference, carrier }) => {
      const changes = of(`shipments/${reference}`);
      return [...unseenMoves(reference, changes, events), ...lostCarriers(reference, carrier, changes)];
    }),
    ...cancelledUnitsViolations(order, of('cancel'), events),
    ...(of('cancel').some(({ isDone, body }) => isDone && !body.items) && order.fulfillment_status !== 'CANCELLED'
      ? [`the cancellation was acknowledged, and the order is ${order.fulfillment_status}`]
      : []),
    ...transitionViolations(of('transitions'), events),
    ...addedLinesViolations(of('lines'), events),
  ];
}

/** Checks that each request adds its line once, however often it is repeated with its key. */
function addedLinesViolations(asked: readonly Asked[], events: readonly EventAnswer[]): string[] {
  const adding = asked
    .filter(({ body }) => body.add)
    .map(({ exchange, isDone }, n) => ({
      one: exchange.idempotencyKey ?? String(n),
      isDone,
    }));
  const count = (found: typeof adding) => new Set(found.map(({ one }) => one)).size;
  const [least, most] = [
    count(adding.filter(({ isDone }) => isDone)),
    count(adding.filter(({ isDone }) => isDone !== false)),
  ];
  const lines = events.flatMap(({ event, details }) =>
    event === 'lines_changed' ? (details['items'] as Units[]) : [],
  );
  const known = new Set<number>();
  const added = lines.filter((item) => {
    const isNew = !known.has(item.line) && 'before' in item && item.before === 0;
    known.add(item.line);
    return isNew;
  });
  if (added.length >= least && added.length <= most) return [];
  return [`${added.length} lines were added, acknowledged ${least}, asked ${most}`];
}

/**
 * Checks that each request is one event, however often it is repeated with its key; without a key, there is none once
 * the order is cancelled.
 */
function cancelledUnitsViolations(
  order: OrderAnswer,
  asked: readonly Asked[],
  events: readonly EventAnswer[],
): string[] {
  const ofUnits = asked.filter(({ body }) => body.items);
  const count = (found: readonly Asked[]) =>
    new Set(found.map(({ exchange }, n) => exchange.idempotencyKey ?? String(n))).size;
  const least = order.fulfillment_status === 'CANCELLED' ? 0 : count(ofUnits.filter(({ isDone }) => isDone));
  const most = count(ofUnits.filter(({ isDone }) => isDone !== false));
  // The other events follow from a refund.
  const found = events.filter(({ event, reference }) => event === 'units_cancelled' && reference === '').length;
  if (found >= least && found <= most) return [];
  return [`units were given up ${found} times, acknowledged ${least}, asked ${most}`];
}

function recordViolations<Record extends { readonly reference: string }>(
  kind: string,
  asked: readonly Asked[],
  records: readonly Record[],
  isOf: (record: Record, body: Body) => boolean,
): string[] {
  const lost = asked
    .filter(({ isDone, body }) => isDone && !records.some((record) => isOf(record, body)))
    .map(({ exchange }) => `the ${kind} ${exchange.body} was acknowledged, and is not there`);
  const strange = records
    .filter((record) => !asked.some(({ isDone, body }) => isDone !== false && isOf(record, body)))
    .map((record) => `the ${kind} ${JSON.stringify(record)} is there, and no request for it can have succeeded`);
  return [...new Set(lost), ...strange];
}

function isShipmentOf(record: OrderAnswer['shipments'][number], { reference, items }: Body): boolean {
  return record.reference === reference && (items === undefined || contentOf(items) === contentOf(record.items));
}

function isMoneyOf(record: MoneyAnswer, { reference, amount }: Body): boolean {
  return record.reference === reference && record.amount === amount;
}

function unseenMoves(reference: string, changes: readonly Asked[], events: readonly EventAnswer[]): string[] {
  const been = events
    .filter((event) => event.reference === reference && event.event.startsWith('shipment_'))
    .map(({ details }) => details['to'] ?? details['status']);
  return changes
    .filter(({ isDone, body: { status } }) => isDone && status !== undefined && !been.includes(status))
    .map(({ body }) => `shipment ${reference} was acknowledged as ${body.status}, which it never was`);
}

/** Finds carriers that were set, and that no later request can have replaced. Each request has a carrier of its own. */
function lostCarriers(reference: string, present: string, changes: readonly Asked[]): string[] {
  const carriers = changes.filter(({ body }) => body.carrier !== undefined);
  const ends = carriers
    .filter(({ body, isDone }) => body.carrier === present && isDone !== false)
    .map(({ exchange: { at, tookMs } }) => at + tookMs);
  if (present !== '' && ends.length === 0) return [`shipment ${reference} has a carrier that no request can have set`];
  const lastEnd = Math.max(0, ...ends) + AFTERLIFE_MS;
  return carriers
    .filter(({ exchange, isDone }) => isDone && (present === '' || exchange.at > lastEnd))
    .map(({ body }) => `${body.carrier} of shipment ${reference} was acknowledged, and is ${present}`);
}

/** Checks that each acknowledged transition is one event. A transition whose answer was lost may be one, too. */
function transitionViolations(asked: readonly Asked[], events: readonly EventAnswer[]): string[] {
  const nameOf = ({ field, from, to }: Pick<EventAnswer, 'field' | 'from' | 'to'>) => [field, from, to].join(' ');
  const moves = events
    .filter(({ event, reference, to }) => event === 'status_changed' && reference === '' && to !== 'CANCELLED')
    .map(nameOf);
  const requests = asked.map(({ exchange, body: { field, expected: from, to }, isDone }, n) => ({
    name: nameOf({ field, from, to }),
    one: exchange.idempotencyKey ?? String(n),
    isDone,
  }));
  return [...new Set([...moves, ...requests.map(({ name }) => name)])].flatMap((name) => {
    const count = (found: typeof requests) => new Set(found.map(({ one }) => one)).size;
    const own = requests.filter((request) => request.name === name);
    const [least, most] = [
      count(own.filter(({ isDone }) => isDone)),
      count(own.filter(({ isDone }) => isDone !== false)),
    ];
    const found = moves.filter((move) => move === name).length;
    return found >= least && found <= most ? [] : [`${name}: ${found} times, acknowledged ${least}, asked ${most}`];
  });
}
