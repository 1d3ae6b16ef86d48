import { join } from 'node:path';
import { changeStock, type NewStock, type StockLine, type StoreClient } from '@store-commerce/client';
import type { Changes } from './changes-in.js';
import type { Row } from './csv-files.js';
import { workOff } from './inbox.js';

const HEADING = ['row', 'reference', 'sku', 'warehouse', 'bin', 'result', 'code', 'reason', 'before', 'after', 'short'];
const MAX_LINES = 500;

/** The result of a row. Its number is that in a spreadsheet: the headings are row 1. */
interface Outcome extends Partial<Pick<StockLine, 'before' | 'after' | 'short'>> {
  readonly number: number;
  readonly row: Row;
  readonly code: string;
  readonly reason: string;
}

type NewLine = NewStock['lines'][number];

/** Sends the receipts and counts of each file that has no results yet. The references make a repetition harmless. */
export async function sendStock(client: StoreClient, folder: string): Promise<Changes> {
  const send = (kind: string, required: readonly string[], write: (row: Row) => Partial<NewLine>) =>
    workOff<Outcome>(
      {
        files: join(folder, `${kind}-in`),
        results: join(folder, `${kind}-results`),
        required: ['reference', 'sku', ...required],
        heading: HEADING,
      },
      async (rows) => {
        const outcomes: Outcome[] = [];
        for (const { reference, part } of requestsOf(rows)) {
          const lines = part.map(({ row }) => ({ ...placeOf(row), ...write(row) }));
          const outcome = await changeStock(client, { reference, lines });
          outcomes.push(
            ...part.map(({ number, row }, index): Outcome => {
              if (outcome.result === 'refused') return { number, row, code: outcome.code, reason: outcome.reason };
              const { code = '', error = '', before, after, short } = outcome.lines[index] ?? {};
              return { number, row, code, reason: error, before, after, short };
            }),
          );
        }
        return outcomes.sort((a, b) => a.number - b.number);
      },
      (reason) => ({ number: 1, row: {}, code: 'unreadable_file', reason }),
      cellsOf,
    );
  const outcomes = [
    ...(await send('receipts', ['adjust'], ({ adjust }) => ({ adjust: integer(adjust) }))),
    ...(await send('counts', ['counted', 'as_of', 'basis'], ({ counted, as_of, basis }) => ({
      counted: integer(counted),
      as_of,
      basis: basis as NewLine['basis'],
    }))),
  ];
  const done = outcomes.filter(({ code }) => code === '').length;
  return { done, refused: outcomes.length - done };
}

/** Rows with the same reference are one request, or several when there are many. */
function* requestsOf(rows: readonly Row[]) {
  const numbered = rows.map((row, index) => ({ number: index + 2, row }));
  for (const reference of new Set(rows.map(({ reference = '' }) => reference))) {
    const own = numbered.filter(({ row }) => row['reference'] === reference);
    for (let from = 0; from < own.length; from += MAX_LINES) {
      const part = own.slice(from, from + MAX_LINES);
      yield { reference: from === 0 ? reference : `${reference}#${from / MAX_LINES + 1}`, part };
    }
  }
}

function placeOf({ sku = '', warehouse, bin }: Row) {
  return { sku, warehouse: warehouse || null, bin: bin || null };
}

/** Replaces what is not an integer by a value that the service refuses. */
function integer(text = ''): number {
  return /^-?\d+$/.test(text) ? Number(text) : 0.5;
}

function cellsOf({ number, row, code, reason, before, after, short }: Outcome): string[] {
  const { reference = '', sku = '', warehouse = '', bin = '' } = row;
  const units = [before, after, short].map((value) => String(value ?? ''));
  return [`${number}`, reference, sku, warehouse, bin, code === '' ? 'done' : 'refused', code, reason, ...units];
}
