import type { Page, PageOf } from '@app/application';
import { isStorable } from '@app/domain';

export function offsetOf({ page, limit }: Page): number {
  return (page - 1) * limit;
}

export const NO_ROWS: PageOf<never> = { rows: [], total: 0 };

/**
 * Whether a filter contains text that PostgreSQL cannot store, so that no row has it: a NUL, which the server refuses,
 * or half a surrogate pair, which pg would send as another character.
 */
export function matchesNothing(filter: object): boolean {
  return Object.values(filter).some((value: unknown) => typeof value === 'string' && !isStorable(value));
}
