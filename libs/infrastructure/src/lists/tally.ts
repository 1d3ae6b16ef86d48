import type { Conditions } from './conditions.js';

/** Selects stored counts of a list, which the table `list_tallies` of the first migration explains. */
export interface Tally {
  /** The name `orders`, `customers`, `products` or `category N`. */
  readonly list: string;
  /**
   * The labels of the counted rows, in the sequence of the list's labels. Each is one label, a choice of several, or
   * undefined for any.
   */
  readonly labels: readonly (string | readonly string[] | undefined)[];
  /** Whether the stored labels are in lower case, so that given ones match in any case. */
  readonly isLowerCase?: true;
}

type Grain = 'all' | 'month' | 'day';

/** SQL for the number of rows. `$1` is the id of the store; other values are bound to `where`. */
export function totalOf(tally: Tally, where: Conditions): string {
  return `(SELECT coalesce(sum(rows), 0) FROM ${countsOf(tally, 'all', where)})`;
}

/**
 * SQL for a FROM clause: the counts in total, by month or by day, as columns `period` and `rows`. It binds like
 * `totalOf`.
 */
export function countsOf({ list, labels, isLowerCase }: Tally, grain: Grain, where: Conditions): string {
  const chosen = labels.map((label, index) => {
    if (label === undefined) return '';
    if (typeof label !== 'string') return ` AND labels[${index + 1}] = ANY (${where.bind(label)})`;
    return ` AND labels[${index + 1}] = ${isLowerCase ? 'lower' : ''}(${where.bind(label)})`;
  });
  return `list_counts WHERE store_id = $1 AND list = ${where.bind(list)} AND grain = '${grain}'${chosen.join('')}`;
}
