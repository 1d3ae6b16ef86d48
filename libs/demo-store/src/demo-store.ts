import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { BundleLine } from '@app/bundles';

export const DEMO_STORE = 'larkmoor';

const FILE = path.join(import.meta.dirname, 'larkmoor.ndjson');
const END_OF_FILE = Date.parse('2026-11-20T00:00:00.000Z');
const DAY_MS = 86_400_000;

const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
/** Matches year, month and day with two digits each. */
const RECEIPT_DATES = /(?<="receipt_number":"(?:POS|WEB)-)(\d\d)(\d\d)(\d\d)/g;

/**
 * Moves all dates by whole days: the orders are those of the 180 days that end with the day before `now`, in UTC.
 * @param now the current time.
 */
export function demoStore({ now }: { readonly now: Date }): BundleLine[] {
  const shift = Math.floor(now.getTime() / DAY_MS) * DAY_MS - END_OF_FILE;
  const moved = (time: string) => new Date(Date.parse(time) + shift).toISOString();
  const text = readFileSync(FILE, 'utf8')
    .replace(TIMES, moved)
    .replace(RECEIPT_DATES, (_, year, month, day) =>
      moved(`20${year}-${month}-${day}`).slice(2, 10).replaceAll('-', ''),
    );
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as BundleLine);
}
