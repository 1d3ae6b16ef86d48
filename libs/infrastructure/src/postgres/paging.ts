import type { Page, PageOf } from '@app/application';

export function offsetOf({ page, limit }: Page): number {
  return (page - 1) * limit;
}

export const NO_ROWS: PageOf<never> = { rows: [], total: 0 };

/**
 * Whether a filter asks for text that PostgreSQL cannot hold, and that therefore no row has: with a NUL, which it would
 * answer with an error, or with half a surrogate pair, which it would be sent as another character.
 */
export function matchesNothing(filter: object): boolean {
  return Object.values(filter).some(
    (value: unknown) => typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()),
  );
}
