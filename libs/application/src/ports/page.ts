export const MAX_LIMIT = 100;

/** `page` counts from 1; `limit` is 1 to {@link MAX_LIMIT}. */
export interface Page {
  readonly page: number;
  readonly limit: number;
}

export interface PageOf<T> {
  readonly rows: readonly T[];
  readonly total: number;
}
