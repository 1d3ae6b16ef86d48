import { join } from 'node:path';
import {
  type ChangeOutcome,
  changeShipment,
  recordPayment,
  type ShipmentChange,
  shipOrder,
  type StoreClient,
} from '@store-commerce/client';
import type { Row } from './csv-files.js';
import { workOff } from './inbox.js';

const HEADING = ['row', 'order', 'reference', 'result', 'code', 'reason'];

/** The result of a row. */
interface Outcome {
  /** The row number as in a spreadsheet: the headings are row 1. */
  readonly number: number;
  readonly row: Row;
  readonly outcome: ChangeOutcome;
}

/** What a round has done with the rows of `shipments-in` and `payments-in`. */
export interface Changes {
  readonly done: number;
  readonly refused: number;
}

/** Sends the shipments and payments of each file that has no results yet. The references make a repetition harmless. */
export async function sendChanges(client: StoreClient, folder: string): Promise<Changes> {
  const send = (
    kind: string,
    required: readonly string[],
    keyOf: (row: Row, index: number) => string,
    change: (rows: readonly Row[]) => Promise<ChangeOutcome>,
  ) =>
    workOff<Outcome>(
      {
        files: join(folder, `${kind}-in`),
        results: join(folder, `${kind}-results`),
        required: ['order', 'reference', ...required],
        heading: HEADING,
      },
      async (rows) => {
        const numbered = rows.map((row, index) => ({ number: index + 2, row, key: keyOf(row, index) }));
        const outcomes: Outcome[] = [];
        for (const key of new Set(numbered.map((row) => row.key))) {
          const own = numbered.filter((row) => row.key === key);
          const outcome = await change(own.map(({ row }) => row));
          outcomes.push(...own.map(({ number, row }) => ({ number, row, outcome })));
        }
        return outcomes.sort((a, b) => a.number - b.number);
      },
      (reason) => ({ number: 1, row: {}, outcome: { result: 'refused', code: 'unreadable_file', reason } }),
      cellsOf,
    );
  const outcomes = [
    ...(await send('shipments', [], shipmentKey, (rows) => ship(client, rows))),
    ...(await send(
      'payments',
      ['amount', 'currency'],
      (_, index) => `${index}`,
      (rows) => pay(client, rows),
    )),
  ];
  const done = outcomes.filter(({ outcome }) => outcome.result === 'done').length;
  return { done, refused: outcomes.length - done };
}

/** Rows with the same order, reference and status are the lines of one shipment. */
function shipmentKey({ order, reference, status }: Row): string {
  return JSON.stringify([order, reference, status]);
}

/** Ships the rows; the first one has the tracking. The service checks all values. */
function ship(client: StoreClient, rows: readonly Row[]): Promise<ChangeOutcome> {
  const [{ order = '', reference = '', status, ...parcel } = {}] = rows;
  const { carrier, tracking_number, tracking_url } = parcel;
  // An empty cell changes nothing.
  const tracking = {
    carrier: carrier || undefined,
    tracking_number: tracking_number || undefined,
    tracking_url: tracking_url || undefined,
  };
  if (status && status !== 'shipped') {
    return changeShipment(client, order, reference, { ...tracking, status: status as ShipmentChange['status'] });
  }
  const isWhole = rows.every(({ line, quantity }) => !line && !quantity);
  const items = rows.map(({ line, quantity }) => ({ line: integer(line), quantity: integer(quantity) }));
  return shipOrder(client, order, { ...tracking, reference, ...(!isWhole && { items }) });
}

function pay(client: StoreClient, [row]: readonly Row[]): Promise<ChangeOutcome> {
  const { order = '', reference = '', amount, currency = '' } = row ?? {};
  return recordPayment(client, order, { reference, amount: integer(amount, -1), currency });
}

/** Replaces what is not an integer by a value that the service refuses. */
function integer(text = '', refused = 0): number {
  return /^\d+$/.test(text) ? Number(text) : refused;
}

function cellsOf({ number, row, outcome }: Outcome): string[] {
  const { code, reason } = outcome.result === 'refused' ? outcome : { code: '', reason: '' };
  return [`${number}`, row['order'] ?? '', row['reference'] ?? '', outcome.result, code, reason];
}
