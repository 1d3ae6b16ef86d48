export const MAX_LIMIT = 100;

/** Rows with the same time are sorted by id, in the same direction. */
export interface Sort {
  readonly by: 'createdAt' | 'updatedAt';
  readonly isDescending: boolean;
}

export const NEWEST_FIRST: Sort = { by: 'createdAt', isDescending: true };

/**
 * The position of a reader that reads all pages of a list: the sort values of the last row that it has. A list that
 * supports it returns the rows after them, whatever rows came or went before, as page 1, and moves it to the last row of
 * the page. The total is then exact only for the first page.
 */
export interface Position {
  after: readonly unknown[] | null;
}

/** `page` counts from 1; `limit` is 1 to {@link MAX_LIMIT}. */
export interface Page {
  readonly page: number;
  readonly limit: number;
  /** When absent, the default sort of the list applies: {@link NEWEST_FIRST} where rows have a time. */
  readonly sort?: Sort | undefined;
  readonly position?: Position;
}

/** A half-open range: times at or after `from` and before `to`. */
export interface TimeRange {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** A half-open range, like {@link TimeRange}. */
export interface CreatedFilter {
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

/** A half-open range of the record's last change. */
export interface UpdatedFilter {
  readonly updatedFrom?: Date;
  readonly updatedTo?: Date;
}

export interface PageOf<T> {
  readonly rows: readonly T[];
  readonly total: number;
  /** The bytes read for the rows, when they may show much less. */
  readonly readBytes?: number;
}
