import { MAX_LIMIT } from '@app/application';

/** A list in the order of the last changes. Queries and numbers are SQL. */
interface ListByChange {
  /** Rows of the list, and those that the list would have without its filters. */
  readonly total: string;
  readonly stored: string;
  readonly columns: string;
  /** All rows of the list with their `"changedAt"`, read in the order of an index of all changes. */
  readonly byChange: string;
  /** The same, read by the indexes of the filters; null without filters. */
  readonly byRow: string | null;
  readonly order: string;
  readonly offset: string;
  readonly limit: string;
}

/**
 * SQL for the rows of a page as `found`, and the total as `counts.listed`. Other rows may lie between those of the list: where
 * the changes up to the page are more than the rows of the list, all of these are read and sorted instead. An empty list reads
 * neither.
 */
export function foundByChange(list: ListByChange): string {
  const { total, stored, columns, byChange, byRow, order, offset, limit } = list;
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
          ) AS by_row WHERE "changedAt" IS NOT NULL ORDER BY ${order} OFFSET ${offset}
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
          ) AS by_change ORDER BY ${order} OFFSET ${offset}
        ) AS rest LIMIT ${MAX_LIMIT}
      ) AS page_by_change
      ${pageByRow} LIMIT ${limit}
    )`;
}
