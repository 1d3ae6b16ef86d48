import { MAX_LIMIT } from '@app/application';

/** A list sorted by the time of the last change. Queries and numbers are SQL. */
interface ListByChange {
  /** The number of rows in the list, and the number without its filters. */
  readonly total: string;
  readonly stored: string;
  readonly columns: string;
  /** All rows of the list with their `"changedAt"`, read in the sequence of the index of all changes. */
  readonly byChange: string;
  /** The same rows, read by the indexes of the filters; null without filters. */
  readonly byRow: string | null;
  readonly order: string;
  /** A condition for the rows after a position. */
  readonly after: string;
  readonly offset: string;
  readonly limit: string;
}

/**
 * SQL for the rows of a page as `found`, and the total as `counts.listed`. Rows that are not in the list may lie
 * between its rows. When the changes up to the page outnumber the rows of the list, all rows of the list are read and
 * sorted instead. An empty list reads neither.
 */
export function foundByChange(list: ListByChange): string {
  const { total, stored, columns, byChange, byRow, order, after, offset, limit } = list;
  const areFew =
    byRow === null ? 'false' : `nullif(listed, 0) * listed <= stored * (${offset}::bigint + ${limit}::bigint)`;
  const pageByRow =
    byRow === null
      ? ''
      : `UNION ALL
      SELECT * FROM (
        SELECT * FROM (
          SELECT ${columns} FROM (
            SELECT * FROM (${byRow} OFFSET 0) AS row WHERE (SELECT are_few FROM counts)
          ) AS by_row WHERE "changedAt" IS NOT NULL${after} ORDER BY ${order} OFFSET ${offset}
        ) AS rest LIMIT ${MAX_LIMIT}
      ) AS page_by_row`;
  return `WITH sizes AS MATERIALIZED (
      SELECT (${total})::numeric AS listed, (${stored})::numeric AS stored
    ), counts AS MATERIALIZED (
      SELECT listed, ${areFew} AS are_few FROM sizes
    ), found AS MATERIALIZED (
      SELECT * FROM (
        SELECT * FROM (
          SELECT ${columns} FROM (
            SELECT * FROM (${byChange}) AS row WHERE NOT (SELECT are_few FROM counts)
          ) AS by_change WHERE true${after} ORDER BY ${order} OFFSET ${offset}
        ) AS rest LIMIT ${MAX_LIMIT}
      ) AS page_by_change
      ${pageByRow} LIMIT ${limit}
    )`;
}
