/** The most rows of one page. */
export const MAX_LIMIT = 100;

/** A request for one page. `page` counts from 1; `limit` is 1 to {@link MAX_LIMIT}. */
export interface Page {
  readonly page: number;
  readonly limit: number;
}

/** One page of rows, and the number of rows on all pages. */
export interface PageOf<T> {
  readonly rows: readonly T[];
  readonly total: number;
}
