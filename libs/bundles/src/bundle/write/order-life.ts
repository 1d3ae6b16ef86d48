import type { BundleOrderEvent, OrderRecordLine } from '../schema/bundle.js';

const INSERT_SHIPMENTS = `/* import.shipments.insert */
  INSERT INTO shipments (store_id, order_id, reference, number, status, carrier, tracking_number, tracking_url, notify,
    shipped_at, delivered_at)
  SELECT $1::int, given.* FROM jsonb_to_recordset($2::jsonb) AS given (order_id uuid, reference text, number int,
    status text, carrier text, tracking_number text, tracking_url text, notify boolean, shipped_at timestamptz,
    delivered_at timestamptz)`;

const INSERT_SHIPMENT_ITEMS = `/* import.shipment_items.insert */
  INSERT INTO shipment_items (store_id, order_id, reference, position, quantity)
  SELECT $1::int, given.* FROM jsonb_to_recordset($2::jsonb) AS given (order_id uuid, reference text, position int,
    quantity int)`;

const INSERT_RETURNED = `/* import.returned_units.insert */
  INSERT INTO returned_units (store_id, order_id, position, quantity)
  SELECT $1::int, given.* FROM jsonb_to_recordset($2::jsonb) AS given (order_id uuid, position int, quantity int)`;

const insertInto = (table: 'payments' | 'refunds') => `/* import.${table}.insert */
  INSERT INTO ${table} (store_id, order_id, reference, number, amount, at)
  SELECT $1::int, given.* FROM jsonb_to_recordset($2::jsonb) AS given (order_id uuid, reference text, number int,
    amount bigint, at timestamptz)`;

// The ids of the events of an order grow in the order of the history.
const INSERT_EVENTS = `/* import.order_events.insert */
  INSERT INTO order_events (store_id, order_id, at, actor_type, actor_id, actor_name, event, field, from_value, to_value,
    reference, details)
  SELECT $1::int, order_id, at, actor_type, actor_id, actor_name, event, field, from_value, to_value, reference, details
  FROM jsonb_to_recordset($2::jsonb) AS given (order_id uuid, number int, at timestamptz, actor_type text, actor_id text,
    actor_name text, event text, field text, from_value text, to_value text, reference text, details jsonb)
  ORDER BY order_id, number`;

interface Order {
  readonly id: string;
  readonly line: OrderRecordLine;
}

type Rows = (order: Order) => { readonly order_id: string }[];

/** What followed the placing of an order: the statements, each with its rows of an order. */
export const LIFE: readonly (readonly [sql: string, rows: Rows])[] = [
  [INSERT_SHIPMENTS, shipmentRows],
  [INSERT_SHIPMENT_ITEMS, shipmentItemRows],
  [INSERT_RETURNED, returnedRows],
  [insertInto('payments'), ({ id, line }) => moneyRows(id, line.payments)],
  [insertInto('refunds'), ({ id, line }) => moneyRows(id, line.refunds)],
  [INSERT_EVENTS, eventRows],
];

function shipmentRows({ id, line: { shipments = [] } }: Order) {
  return shipments.map(({ items: _, ...shipment }, index) => ({
    ...{ order_id: id, number: index + 1, carrier: '', tracking_number: '', tracking_url: '', notify: true },
    ...shipment,
  }));
}

function shipmentItemRows({ id, line: { shipments = [] } }: Order) {
  return shipments.flatMap(({ reference, items }) =>
    items.map(({ line, quantity }) => ({ order_id: id, reference, position: line - 1, quantity })),
  );
}

function returnedRows({ id, line: { line_items = [] } }: Order) {
  return line_items.flatMap(({ returned_quantity: quantity }, position) =>
    quantity === undefined ? [] : [{ order_id: id, position, quantity }],
  );
}

function moneyRows(id: string, records: OrderRecordLine['payments'] = []) {
  return records.map((record, index) => ({ order_id: id, number: index + 1, ...record }));
}

function eventRows({ id, line }: Order) {
  return historyOf(line).map(({ at, actor, event, field, from, to, reference = '', details = {} }, number) => ({
    ...{ order_id: id, number, at, event, field, reference, details },
    ...{ actor_type: actor.type, actor_id: actor.id ?? '', actor_name: actor.name ?? '' },
    ...{ from_value: from, to_value: to },
  }));
}

/** The history, with an event for each shipment, payment and refund: the database accepts none without. */
function historyOf(line: OrderRecordLine): readonly BundleOrderEvent[] {
  const { shipments = [], payments = [], refunds = [], history = [], created_at, updated_at = created_at } = line;
  const missing = [
    ...shipments.map(({ reference, status, items, shipped_at }) => {
      return eventOf('shipment_created', reference, shipped_at ?? updated_at, { status, items });
    }),
    ...payments.map(({ reference, at, amount }) => eventOf('payment_recorded', reference, at, { amount })),
    ...refunds.map(({ reference, at, amount }) => eventOf('refund_recorded', reference, at, { amount })),
  ].filter(({ event, reference }) => !history.some((known) => known.event === event && known.reference === reference));
  // A given history keeps its order, whatever its times are.
  if (missing.length === 0) return history;
  return [...missing, ...history].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function eventOf(event: BundleOrderEvent['event'], reference: string, at: string, details: Record<string, unknown>) {
  return { at, actor: { type: 'system' }, event, reference, details } as const;
}
