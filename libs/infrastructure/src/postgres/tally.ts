import type { Conditions } from './conditions.js';

/**
 * Selects stored counts of a list. The table `list_tallies` of the first migration explains them.
 */
export interface Tally {
  /** `orders`, `customers`, `products` or `category N`. */
  readonly list: string;
  /** Labels of the counted rows, in the order of the list's labels; undefined = any. */
  readonly labels: readonly (string | undefined)[];
  /** Letter case of the stored labels, when the comparison ignores case. */
  readonly letterCase?: 'lower' | 'upper';
}

/** SQL for the number of rows. `$1` is the id of the store; binds other values to `where`. */
export function totalOf(tally: Tally, where: Conditions): string {
  return `(SELECT coalesce(sum(rows), 0) FROM ${countsOf(tally, 'all', where)})`;
}

/** SQL after FROM for the counts in total, by month or by day: columns `period` and `rows`. Binds like `totalOf`. */
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
