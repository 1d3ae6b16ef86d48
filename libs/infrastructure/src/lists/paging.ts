import type { Page, PageOf } from '@app/application';
import { isStorable } from '@app/domain';

export function offsetOf({ page, limit }: Page): number {
  return (page - 1) * limit;
}

/** Each row of a page has the total of the list: as text where the server sums bigints. */
export interface Counted {
  readonly total: number | string;
}

/** @param read of a page. One past the last row has no row with the total: the first page has. */
export async function pageOf<Row extends object>(
  page: Page,
  read: (page: Page) => Promise<(Row & Counted)[]>,
): Promise<PageOf<Row>> {
  const rows = await read(page);
  const [counted] = rows[0] || page.page === 1 ? rows : await read({ page: 1, limit: 1 });
  return { rows, total: Number(counted?.total ?? 0) };
}

export const NO_ROWS: PageOf<never> = { rows: [], total: 0 };

/**
 * Whether a filter contains text that PostgreSQL cannot store, so that no row has it: a NUL, which the server refuses,
 * or half a surrogate pair, which pg would send as another character.
 */
export function matchesNothing(filter: object): boolean {
  return Object.values(filter).some((value: unknown) => typeof value === 'string' && !isStorable(value));
}
