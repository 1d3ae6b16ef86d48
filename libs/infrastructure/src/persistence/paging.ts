import type { Page, PageOf } from '@app/application';
import type { Conditions } from './conditions.js';
import type { Database } from './database.js';

/** What a list reads. Every text is code, never input; `orderBy` ends in a unique key and names columns of `select`. */
export interface ListQuery {
  readonly select: string;
  /** More columns, computed from the columns of the row `page`, and only for rows that are on the page. */
  readonly selectOnPage?: string;
  readonly from: string;
  readonly where: Conditions;
  readonly orderBy: string;
}

/**
 * Reads one page and the number of all rows in one statement: one round trip, one connection, and a total that is of
 * the same moment as the rows. A page past the end has the same total, and costs no more than the count.
 */
export async function readPage<Row extends object>(
  database: Database,
  { select, selectOnPage, from, where, orderBy }: ListQuery,
  page: Page,
): Promise<PageOf<Row>> {
  const condition = where.sql;
  const [limit, offset] = [where.bind(page.limit), where.bind(offsetOf(page))];
  const rows = await database.query<Row & { readonly total: string; readonly present: true | null }>(
    `SELECT counted.total, page.*${selectOnPage ? `, ${selectOnPage}` : ''}
     FROM (SELECT count(*) AS total FROM ${from} WHERE ${condition}) counted
     LEFT JOIN LATERAL (
       SELECT true AS present, ${select} FROM ${from} WHERE ${condition} AND counted.total > ${offset}
       ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${offset}
     ) page ON true
     ORDER BY ${orderBy}`,
    where.values,
  );
  // The count stands on every row, and alone on one when the page is empty.
  return { rows: rows.filter(({ present }) => present), total: Number(rows[0]?.total ?? 0) };
}

export function offsetOf({ page, limit }: Page): number {
  return (page - 1) * limit;
}

export const NO_ROWS: PageOf<never> = { rows: [], total: 0 };

/**
 * Whether a filter asks for text that PostgreSQL cannot hold, and that therefore no row has: with a NUL, which it would
 * answer with an error, or with half a surrogate pair, which it would be sent as another character.
 */
export function matchesNothing(filter: object): boolean {
  return Object.values(filter).some(
    (value: unknown) => typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()),
  );
}
