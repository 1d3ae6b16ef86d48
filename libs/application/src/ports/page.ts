export const MAX_LIMIT = 100;

/** Rows with the same time follow each other by id, in the same direction. */
export interface Sort {
  readonly by: 'createdAt' | 'updatedAt';
  readonly isDescending: boolean;
}

export const NEWEST_FIRST: Sort = { by: 'createdAt', isDescending: true };

/** `page` counts from 1; `limit` is 1 to {@link MAX_LIMIT}. */
export interface Page {
  readonly page: number;
  readonly limit: number;
  /** Absent: the order of the list; {@link NEWEST_FIRST} where rows have a time. */
  readonly sort?: Sort | undefined;
}

/** Half-open: times from `from` on and before `to`. */
export interface TimeRange {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Half-open, as {@link TimeRange}. */
export interface CreatedFilter {
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

/** Half-open, by the last change of the record. */
export interface UpdatedFilter {
  readonly updatedFrom?: Date;
  readonly updatedTo?: Date;
}

export interface PageOf<T> {
  readonly rows: readonly T[];
  readonly total: number;
  /** What was read for the rows, where they may show much less. */
  readonly readBytes?: number;
}
