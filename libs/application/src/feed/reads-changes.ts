import type { Page, UpdatedFilter } from '../ports/page.js';

type Filter = UpdatedFilter & { readonly include?: readonly string[] };

/**
 * Whether a list filters, sorts or shows by the time of the last change. Such a list first calls `ChangeFeed.catchUp`.
 */
export function readsChanges({ updatedFrom, updatedTo, include }: Filter, { sort }: Page): boolean {
  return (
    sort?.by === 'updatedAt' || (updatedFrom ?? updatedTo) !== undefined || include?.includes('updated_at') === true
  );
}
