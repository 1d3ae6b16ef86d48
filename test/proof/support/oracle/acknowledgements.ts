import type { TestDatabase } from '../../../support/test-database.js';
import type { Exchange, History } from '../history.js';
import { groupBy } from '../group-by.js';
import type { OrderBody } from '../store-setup.js';

interface OrderRow {
  readonly id: string;
  readonly receipt_number: string;
  readonly notes: string;
  readonly amount: number;
  readonly lines: readonly string[];
}

interface KeyRow {
  readonly key: string;
  readonly record: unknown;
}

interface Created {
  readonly order_id: string;
  readonly receipt_number: string;
  readonly total: number;
}

// The lines are those at placing, which the first change of lines recorded.
const FIRST_CHANGE = `SELECT details FROM order_events
  WHERE store_id = $1 AND order_id = orders.id AND event = 'lines_changed' ORDER BY id LIMIT 1`;
const ORDERS = `
  SELECT id, receipt_number, notes, coalesce(((${FIRST_CHANGE}) ->> 'total_before')::float8, amount) AS amount,
    ARRAY(SELECT product_id || '/' || coalesce(variant_id, 0) || '×' || placed.quantity
      FROM order_lines CROSS JOIN LATERAL (SELECT coalesce((
        SELECT (item ->> 'before')::int FROM order_events AS event, jsonb_array_elements(event.details -> 'items') AS item
        WHERE event.store_id = $1 AND event.order_id = orders.id AND event.event = 'lines_changed'
          AND (item ->> 'line')::int = position + 1
        ORDER BY event.id LIMIT 1), order_lines.quantity) AS quantity) AS placed
      WHERE store_id = $1 AND order_id = orders.id AND placed.quantity > 0 ORDER BY position) AS lines
  FROM orders WHERE store_id = $1 AND source = 'WEBSITE' ORDER BY id`;

/** Invariants 2 and 4. `orderBody` must make the bodies, and the currency must have two decimals. */
export async function acknowledgementViolations(
  database: TestDatabase,
  storeId: number,
  history: History,
): Promise<string[]> {
  const exchanges = history.orders(storeId);
  const orders = await database.query<OrderRow>(ORDERS, [storeId]);
  const keys = await database.query<KeyRow>('SELECT key, record FROM idempotency_keys WHERE store_id = $1', [storeId]);
  return [
    ...falseAcknowledgements(new Map(orders.map((order) => [order.id, order])), exchanges),
    ...unexpectedOrders(orders, exchanges),
    ...keyViolations(
      keys,
      history.exchanges.filter((exchange) => exchange.storeId === storeId),
    ),
  ];
}

function falseAcknowledgements(orders: ReadonlyMap<string, OrderRow>, exchanges: readonly Exchange[]): string[] {
  const violations: string[] = [];
  const owners = new Map<string, string>();
  for (const exchange of exchanges.filter(({ status }) => status === 201)) {
    const { order_id, receipt_number, total } = createdBy(exchange);
    const { items, notes } = JSON.parse(exchange.body ?? '{}') as OrderBody;
    const order = orders.get(order_id);
    if (!order) {
      violations.push(`order ${order_id} was acknowledged to ${notes} and does not exist`);
      continue;
    }
    const asked = items.map((item) => `${item.product_id}/${item.variant_id ?? 0}×${item.quantity}`);
    const expected = [notes, receipt_number, Math.round(total * 100), ...asked].join(' ');
    const found = [order.notes, order.receipt_number, order.amount, ...order.lines].join(' ');
    if (found !== expected) violations.push(`order ${order_id} is ${found}, was acknowledged as ${expected}`);
    // Without a key, each successful request is a separate order.
    const owner = exchange.idempotencyKey ?? `request at ${exchange.at} #${exchanges.indexOf(exchange)}`;
    const other = owners.get(order_id) ?? owner;
    if (other !== owner) violations.push(`order ${order_id} was given to both ${other} and ${owner}`);
    owners.set(order_id, owner);
  }
  return violations;
}

function unexpectedOrders(orders: readonly OrderRow[], exchanges: readonly Exchange[]): string[] {
  const attempts = groupBy(exchanges, ({ body }) => (JSON.parse(body ?? '{}') as OrderBody).notes);
  const violations: string[] = [];
  for (const [marker, made] of groupBy(orders, ({ notes }) => notes)) {
    const asked = attempts.get(marker) ?? [];
    const acknowledged = new Set(asked.filter(({ status }) => status === 201).map((one) => createdBy(one).order_id));
    const unknown = asked.filter(({ status }) => status === null || status >= 500).length;
    const keyed = asked.some(({ idempotencyKey }) => idempotencyKey !== null);
    const most = keyed ? 1 : acknowledged.size + unknown;
    const told = `acknowledged ${acknowledged.size}, unknown ${unknown} of ${asked.length}`;
    if (made.length > most) violations.push(`${marker} has ${made.length} orders, at most ${most}: ${told}`);
    else if (made.length > acknowledged.size && unknown === 0)
      violations.push(`${marker} has ${made.length} orders: ${told}`);
  }
  return violations;
}

/** Expects one order per key, the same bytes every time, and nothing stored for a refusal. */
function keyViolations(keys: readonly KeyRow[], exchanges: readonly Exchange[]): string[] {
  const violations: string[] = [];
  const kept = new Map(keys.map(({ key, record }) => [key, record]));
  for (const [key, asked] of groupBy(exchanges, ({ idempotencyKey }) => idempotencyKey)) {
    if (key === null) continue;
    const answers = asked.filter(({ status }) => status === 200 || status === 201).map(({ bytes }) => bytes);
    if (new Set(answers.map((bytes) => bytes.toString('latin1'))).size > 1)
      violations.push(`key ${key} was answered with different bytes`);
    if (answers[0] && !kept.has(key)) violations.push(`key ${key} was answered and is not kept`);
    const refused = asked.every(({ status }) => status !== null && status >= 400 && status < 500);
    if (refused && kept.has(key)) violations.push(`key ${key} is kept although every request was refused`);
    if (kept.get(key) === null) violations.push(`key ${key} is claimed without a record`);
    kept.delete(key);
  }
  violations.push(...[...kept.keys()].map((key) => `key ${key} is stored but no client sent it`));
  return violations;
}

function createdBy({ bytes }: Exchange): Created {
  return (JSON.parse(bytes.toString()) as { data: Created }).data;
}
