import type { TimeRange } from '@app/application';
import type { Conditions } from './conditions.js';
import { countsOf, totalOf, type Tally } from './tally.js';

/** SQL to append to a condition: whether the time is in the range. It binds the range's ends to `where`. */
export function inRange(time: string, { from, to }: TimeRange, where: Conditions): string {
  const begin = from ? ` AND ${time} >= ${where.bind(from)}` : '';
  return to ? `${begin} AND ${time} < ${where.bind(to)}` : begin;
}

/**
 * SQL for the number of rows that were created in the range. Tallies count the whole months and days; the rows before
 * and after these are read.
 * @param rows a FROM clause without conditions, with the rows of the tally as `item`.
 */
export function countIn(range: TimeRange, tally: Tally, rows: () => string, where: Conditions): string {
  if (!range.from && !range.to) return totalOf(tally, where);
  const counts = partsOf(range).map(({ grain, from, to }) => {
    const [begin, end] = [where.bind(from), where.bind(to)];
    return grain === 'row'
      ? `(SELECT count(*) FROM ${rows()} AND item.created_at >= ${begin} AND item.created_at < ${end})`
      : `(SELECT coalesce(sum(rows), 0) FROM ${countsOf(tally, grain, where)} AND period >= ${begin} AND period < ${end})`;
  });
  return `(${counts.join(' + ')})`;
}

interface Part {
  readonly grain: 'month' | 'day' | 'row';
  readonly from: string;
  readonly to: string;
}

/** Returns always five parts, some of them empty, so that all ranges share a statement. Days and months are in UTC. */
function partsOf({ from, to }: TimeRange): Part[] {
  const begin = from?.toISOString() ?? '-infinity';
  const end = to?.toISOString() ?? 'infinity';
  // The year 10000 would follow, which sorts before this one as text.
  if (from && from >= LAST_MONTH) return partsBetween([begin, end, end, end, end, end]);
  const firstDay = from ? startOf('day', new Date(from.getTime() + DAY_MS - 1)) : begin;
  const lastDay = to ? startOf('day', to) : end;
  if (from && to && firstDay > lastDay) return partsBetween([begin, end, end, end, end, end]);
  const firstMonth = from ? startOf('month', nextMonth(firstDay)) : begin;
  const lastMonth = to ? startOf('month', new Date(lastDay)) : end;
  if (from && to && firstMonth > lastMonth) return partsBetween([begin, firstDay, lastDay, lastDay, lastDay, end]);
  return partsBetween([begin, firstDay, firstMonth, lastMonth, lastDay, end]);
}

const DAY_MS = 86_400_000;
const LAST_MONTH = new Date('9999-12-01T00:00Z');
const GRAINS = ['row', 'day', 'month', 'day', 'row'] as const;

function partsBetween(bounds: readonly string[]): Part[] {
  return GRAINS.map((grain, index) => ({ grain, from: bounds[index] as string, to: bounds[index + 1] as string }));
}

/** Returns the first day of the month, or the day itself, as a date for PostgreSQL. */
function startOf(grain: 'month' | 'day', time: Date): string {
  const day = time.toISOString().slice(0, 10);
  return grain === 'day' ? day : `${day.slice(0, 7)}-01`;
}

/** Returns the day itself when it begins a month, otherwise a day of the next month. */
function nextMonth(day: string): Date {
  const time = new Date(day);
  if (time.getUTCDate() !== 1) time.setUTCMonth(time.getUTCMonth() + 1, 1);
  return time;
}
