import type { Conditions } from './conditions.js';

/**
 * Which rows of a list are counted. The database keeps the counts, so they are looked up: see the migration that makes
 * `list_tallies`.
 */
export interface Tally {
  /** `orders`, `customers`, `products` or `category N`. */
  readonly list: string;
  /** What the rows are labelled with, in the order of the labels; undefined = whatever it is. */
  readonly labels: readonly (string | undefined)[];
  /** The letter case of the labels, where they are compared in any. */
  readonly letterCase?: 'lower' | 'upper';
}

/** SQL that gives the number of rows. `$1` is the id of the store; other values are bound to `where`. */
export function totalOf(tally: Tally, where: Conditions): string {
  return `(SELECT coalesce(sum(rows), 0) FROM ${countsOf(tally, 'all', where)})`;
}

/** SQL for the counts by month or day, or of all: columns `period` and `rows`, after FROM. Binds as `totalOf`. */
export function countsOf(
  { list, labels, letterCase }: Tally,
  grain: 'all' | 'month' | 'day',
  where: Conditions,
): string {
  const wanted = labels.map((label, index) =>
    label === undefined ? '' : ` AND labels[${index + 1}] = ${letterCase ?? ''}(${where.bind(label)})`,
  );
  return `list_counts WHERE store_id = $1 AND list = ${where.bind(list)} AND grain = '${grain}'${wanted.join('')}`;
}
