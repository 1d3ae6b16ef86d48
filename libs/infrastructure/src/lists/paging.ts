import { PageTooDeep, type Page, type PageOf } from '@app/application';
import { isStorable } from '@app/domain';
import type { Conditions } from './conditions.js';

export function offsetOf({ page, limit }: Page): number {
  return (page - 1) * limit;
}

const SKIPPED_AT_MOST = 1_000;

/** Whether skipping the rows before the page may take longer than looking up its start first. */
export function isDeep(page: Page): boolean {
  return offsetOf(page) > SKIPPED_AT_MOST;
}

/** Each row of a page contains the total of the list. It is text where the server sums bigints. */
export interface Counted {
  readonly total: number | string;
}

/** The maximum number of rows before a page by the time of the last change, because no index skips them. */
const MAX_SKIPPED_BY_CHANGE = 1_000;

/**
 * @param read reads a page. A page past the last row contains no row with the total, so the first page is read for it.
 * @throws PageTooDeep for a page by the time of the last change that has rows, and skips too many.
 */
export async function pageOf<Row extends object>(
  page: Page,
  read: (page: Page) => Promise<(Row & Counted)[]>,
): Promise<PageOf<Row>> {
  const isDeep = page.sort?.by === 'updatedAt' && offsetOf(page) > MAX_SKIPPED_BY_CHANGE;
  const rows = isDeep ? [] : await read(page);
  const [counted] = rows[0] || page.page === 1 ? rows : await read({ page: 1, limit: 1 });
  const total = Number(counted?.total ?? 0);
  if (isDeep && total > offsetOf(page)) throw new PageTooDeep(MAX_SKIPPED_BY_CHANGE, 'updatedAt');
  return { rows, total };
}

/** SQL for the rows after those that the reader of all pages has; `''` for any other reader. */
export function afterPosition(
  { position }: Page,
  columns: string,
  direction: 'ASC' | 'DESC',
  where: Conditions,
): string {
  if (!position?.after) return '';
  const values = position.after.map((value) => where.bind(value));
  return ` AND (${columns}) ${direction === 'DESC' ? '<' : '>'} (${values.join(', ')})`;
}

/** Moves the reader of all pages to the last row. @param valuesOf returns its values for {@link afterPosition}. */
export function moveTo<Row>(
  { position }: Page,
  rows: readonly Row[],
  valuesOf: (row: Row) => readonly unknown[],
): void {
  const last = rows.at(-1);
  if (position && last) position.after = valuesOf(last);
}

export const NO_ROWS: PageOf<never> = { rows: [], total: 0 };

/**
 * Whether a filter contains text that PostgreSQL cannot store, so that no row matches: a NUL, which the server refuses,
 * or a lone surrogate, which pg would send as another character.
 */
export function matchesNothing(filter: object): boolean {
  return Object.values(filter).some((value: unknown) => typeof value === 'string' && !isStorable(value));
}
