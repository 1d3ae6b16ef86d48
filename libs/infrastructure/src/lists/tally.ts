import type { Conditions } from './conditions.js';

/** Selects stored counts of a list, which the table `list_tallies` of the first migration explains. */
export interface Tally {
  /** `orders`, `customers`, `products` or `category N`. */
  readonly list: string;
  /** Labels of the counted rows, in the order of the list's labels: one, one of several, or undefined = any. */
  readonly labels: readonly (string | readonly string[] | undefined)[];
  /** The stored labels are in lower case, whatever that of the given ones. */
  readonly isLowerCase?: true;
}

type Grain = 'all' | 'month' | 'day';

/** SQL for the number of rows. `$1` is the id of the store; binds other values to `where`. */
export function totalOf(tally: Tally, where: Conditions): string {
  return `(SELECT coalesce(sum(rows), 0) FROM ${countsOf(tally, 'all', where)})`;
}

/** SQL after FROM for the counts in total, by month or by day: columns `period` and `rows`. Binds like `totalOf`. */
export function countsOf({ list, labels, isLowerCase }: Tally, grain: Grain, where: Conditions): string {
  const chosen = labels.map((label, index) => {
    if (label === undefined) return '';
    if (typeof label !== 'string') return ` AND labels[${index + 1}] = ANY (${where.bind(label)})`;
    return ` AND labels[${index + 1}] = ${isLowerCase ? 'lower' : ''}(${where.bind(label)})`;
  });
  return `list_counts WHERE store_id = $1 AND list = ${where.bind(list)} AND grain = '${grain}'${chosen.join('')}`;
}
