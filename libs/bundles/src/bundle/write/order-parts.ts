import { MAIL_OUTCOMES } from '@app/application';
import { bookingsOfLine } from './order-bookings.js';
import { moneyOf } from './order-money.js';
import { LEGACY_REVIEW_STAGE } from '../schema/trade-lines.js';
import type { BundleOrderEvent, BundleOrderStage, OrderRecordLine } from '../schema/bundle.js';

export interface OrderToWrite {
  readonly id: string;
  readonly line: OrderRecordLine;
}

type Rows = (order: OrderToWrite) => readonly { readonly order_id: string }[];

/** The rows of an order by table, in an order that satisfies their references. */
export const PARTS: Readonly<Record<string, Rows>> = {
  fraud_assessments: assessmentRows,
  order_stages: stageRows,
  shipments: shipmentRows,
  shipment_items: shipmentItemRows,
  returned_units: returnedRows,
  payments: paymentRows,
  refunds: refundRows,
  order_events: eventRows,
  cancelled_units: cancelledRows,
  bookings: bookingRows,
};

export function insertInto(table: string, row: object): string {
  // The columns are sorted, because the sequence of fields in a line must not create another statement.
  const columns = Object.keys(row).sort().join(', ');
  return `/* import.${table}.insert */
  INSERT INTO ${table} (store_id, ${columns})
  SELECT $1::int, ${columns} FROM jsonb_populate_recordset(NULL::${table}, $2::jsonb) WITH ORDINALITY
  ORDER BY ordinality`;
}

function assessmentRows({ id, line: { fraud, created_at } }: OrderToWrite) {
  return fraud ? [{ order_id: id, ...fraud, created_at }] : [];
}

/**
 * Ends each stage that could still run, because the installation that the order comes from runs it. No stage becomes a
 * dead letter here.
 */
function stageRows({ id, line: { pipeline = [] } }: OrderToWrite) {
  return pipeline
    .filter(({ stage }) => stage !== LEGACY_REVIEW_STAGE)
    .map(({ stage, reference = '', state, attempts, last_error = '', outcome, at }) => ({
      order_id: id,
      stage,
      reference,
      state: state === 'pending' ? 'dead' : state,
      attempts,
      last_error: state === 'pending' ? 'imported' : last_error,
      outcome: endOf(state, outcome),
      dismissed: true,
      updated_at: at,
    }));
}

/** Derives the outcome when an earlier bundle has none. */
function endOf(state: BundleOrderStage['state'], outcome: BundleOrderStage['outcome']) {
  if (state === 'held') return null;
  if (state === 'pending') return 'not_wanted';
  return MAIL_OUTCOMES.find((known) => known === outcome) ?? (state === 'done' ? 'sent' : 'failed');
}

function shipmentRows({ id, line: { shipments = [] } }: OrderToWrite) {
  const texts = { carrier: '', tracking_number: '', tracking_url: '' };
  const defaults = { ...texts, notify: true, shipped_at: null, delivered_at: null };
  return shipments.map(({ items: _, ...shipment }, index) => {
    return { order_id: id, number: index + 1, ...defaults, ...shipment };
  });
}

function shipmentItemRows({ id, line: { shipments = [] } }: OrderToWrite) {
  return shipments.flatMap(({ reference, items }) =>
    items.map(({ line, quantity }) => ({ order_id: id, reference, position: line - 1, quantity })),
  );
}

function returnedRows({ id, line: { line_items = [] } }: OrderToWrite) {
  return line_items.flatMap(({ returned_quantity: quantity }, position) =>
    quantity === undefined ? [] : [{ order_id: id, position, quantity }],
  );
}

function cancelledRows({ id, line }: OrderToWrite) {
  return cancelledUnitsOf(line).map(({ line: number, quantity }) => ({ order_id: id, position: number - 1, quantity }));
}

function cancelledUnitsOf({ line_items = [] }: OrderRecordLine) {
  return line_items.flatMap(({ cancelled_quantity: quantity }, position) =>
    quantity === undefined ? [] : [{ line: position + 1, quantity }],
  );
}

function paymentRows({ id, line }: OrderToWrite) {
  return moneyRows(id, line.payments).map((row) => ({
    ...row,
    written_off: row.written_off || null,
    method: row.method ?? '',
    fee: row.fee ?? 0,
    payout: row.payout ?? '',
    metadata: row.metadata ?? {},
  }));
}

function refundRows({ id, line }: OrderToWrite) {
  if (!line.refunds) return [];
  return moneyRows(id, moneyOf(line).refunds).map((row) => ({
    ...row,
    lines: row.lines ?? null,
    restock: row.restock ?? false,
  }));
}

function moneyRows<Money extends object>(id: string, records: readonly Money[] = []) {
  return records.map((record, index) => ({ order_id: id, number: index + 1, ...record }));
}

function bookingRows({ id, line }: OrderToWrite) {
  const { is_test = false } = line;
  const bookedNow = new Date().toISOString();
  return bookingsOfLine(line).map(({ taxLines, bookedAt: booked_at = bookedNow, ...booking }) => {
    return { order_id: id, is_test, ...booking, booked_at, tax_lines: taxLines.length > 0 ? taxLines : null };
  });
}

function eventRows({ id, line }: OrderToWrite) {
  return historyOf(line).map(({ at, actor, event, field, from, to, reference = '', details = {} }) => {
    const by = { actor_type: actor.type, actor_id: actor.id ?? '', actor_name: actor.name ?? '' };
    return { order_id: id, at, ...by, event, field, from_value: from, to_value: to, reference, details };
  });
}

/** Adds missing events, because the database accepts no shipment, cancelled units, payment or refund without one. */
function historyOf(line: OrderRecordLine): readonly BundleOrderEvent[] {
  const { shipments = [], payments = [], refunds = [], history = [], created_at, updated_at = created_at } = line;
  const items = cancelledUnitsOf(line);
  const missing = [
    ...shipments.map(({ reference, status, items, shipped_at }) => {
      return eventOf('shipment_created', reference, shipped_at ?? updated_at, { status, items });
    }),
    ...(items.length > 0 ? [eventOf('units_cancelled', '', updated_at, { items })] : []),
    ...payments.map(({ reference, at, amount }) => eventOf('payment_recorded', reference, at, { amount })),
    ...refunds.map(({ reference, at, amount, lines }) =>
      eventOf('refund_recorded', reference, at, { amount, ...(lines && { items: lines }) }),
    ),
  ].filter(({ event, reference }) => !history.some((known) => known.event === event && known.reference === reference));
  // A given history keeps its sequence, whatever its times are.
  if (missing.length === 0) return history;
  return [...missing, ...history].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function eventOf(event: BundleOrderEvent['event'], reference: string, at: string, details: Record<string, unknown>) {
  return { at, actor: { type: 'system' }, event, reference, details } as const;
}
