import { MAX_LIMIT, type Page, type PageOf } from '@app/application';
import type { Conditions } from './conditions.js';
import type { Database } from '../postgres/database.js';
import { offsetOf, pageOf, type Counted } from './paging.js';
import type { Search } from './search-terms.js';
import { countsOf, totalOf, type Tally } from './tally.js';

export interface NewestFirst extends Partial<Search> {
  /** The table of the rows. Columns and conditions call a row `item`. */
  readonly table: string;
  readonly columns: string;
  /** Expressions over the row `page`, all its columns by default. Only rows on the page compute them. */
  readonly onPage?: string;
  /** Begins with `item.store_id = ?`, so that `$1` is the id of the store. */
  readonly where: Conditions;
  /** A joined table, called `place`, that has the order of the list when the rows' own table does not. */
  readonly place?: { readonly join: string; readonly id: string };
  /** `null` when no tally has the labels, as for searches: the statement counts the rows. */
  readonly tally: Tally | null;
  /** Whether a unique key leaves a few rows at most: then a list without a tally does not count as a search. */
  readonly isLookUp?: boolean;
  /** Whether any number of rows of the table may lie between two rows of the list. */
  readonly isSparse?: boolean;
}

/** Above this offset, tallies locate the page: skipping that many rows would take longer than reading it. */
const SKIPPED_AT_MOST = 1_000;

/**
 * Reads a page of a list and its total from one snapshot. Takes no longer in a large store than in a small one, with
 * three exceptions: a search reads all rows that it matches, a deep page of a category skips the products before it, and
 * any other deep page skips the rows before it of the same day.
 */
export async function readNewestFirst<Row extends object>(
  database: Database,
  list: NewestFirst,
  page: Page,
): Promise<PageOf<Row>> {
  return pageOf(page, (asked) => read<Row & Counted>(database, list, asked));
}

function read<Row>(database: Database, list: NewestFirst, page: Page): Promise<Row[]> {
  const where = list.where.copy();
  const { tally } = list;
  if (!tally) {
    const sql = searchedPage(list, where, page);
    if (list.isLookUp) return database.queryPrepared(sql, where.values);
    return database.search(sql, where.values, { onePlan: list.onePlan });
  }
  if (offsetOf(page) <= SKIPPED_AT_MOST && !list.isSparse) {
    return database.queryPrepared(shallowPage(list, tally, where, page), where.values);
  }
  // Still skips the rows of the page's day, or of a category: 100,000 of them after an import.
  const sql = (list.place ? shallowPage : deepPage)(list, tally, where, page);
  return database.search(sql, where.values, { onePlan: true });
}

function shallowPage(list: NewestFirst, tally: Tally, where: Conditions, page: Page): string {
  const { table, columns, onPage = 'page.*', place } = list;
  const [createdAt, id] = place ? ['place.created_at', `place.${place.id}`] : ['item.created_at', 'item.id'];
  const from = `FROM ${table} AS item ${place?.join ?? ''} WHERE ${where.sql}`;
  const order = `ORDER BY ${createdAt} DESC, ${id} DESC`;
  // Skips rows in the index, where it has all conditions, and reads the page from its first row.
  const begin =
    page.page === 1
      ? ''
      : `AND (${createdAt}, ${id}) <= (SELECT ${createdAt}, ${id} ${from} ${order} LIMIT 1 OFFSET ${where.bind(offsetOf(page))})`;
  return `/* ${table}.list */
    SELECT ${totalOf(tally, where)} AS total, ${onPage}
    FROM (
      SELECT * FROM (
        SELECT ${id} AS id, ${createdAt} AS "createdAt", ${columns} ${from} ${begin} ${order} LIMIT ${MAX_LIMIT}
      ) AS rows
      ORDER BY "createdAt" DESC, id DESC LIMIT ${where.bind(page.limit)}
    ) AS page
    ORDER BY "createdAt" DESC, id DESC`;
}

// Looks up the month, then the day, in which the page begins, and skips only rows of that day. The constant limit is that of
// the other pages.
function deepPage(list: NewestFirst, tally: Tally, where: Conditions, page: Page): string {
  const { table, columns, onPage = 'page.*' } = list;
  const offset = where.bind(offsetOf(page));
  return `/* ${table}.list_deep */
    WITH months AS (
      SELECT period, sum(rows) AS rows, sum(sum(rows)) OVER (ORDER BY period DESC) AS through
      FROM ${countsOf(tally, 'month', where)} GROUP BY period
    ), first_month AS (
      SELECT period, through - rows AS before FROM months WHERE through > ${offset} ORDER BY period DESC LIMIT 1
    ), days AS (
      SELECT period, sum(rows) AS rows, sum(sum(rows)) OVER (ORDER BY period DESC) AS through
      FROM ${countsOf(tally, 'day', where)} AND period >= (SELECT period FROM first_month)
        AND period < (SELECT period + interval '1 month' FROM first_month)
      GROUP BY period
    ), first_day AS (
      SELECT days.period + 1 AS until, ${offset} - before - (through - days.rows) AS skipped
      FROM days CROSS JOIN first_month
      WHERE before + through > ${offset} ORDER BY days.period DESC LIMIT 1
    )
    SELECT (SELECT sum(rows) FROM months) AS total, ${onPage}
    FROM (
      SELECT * FROM (
        SELECT * FROM (
          SELECT item.id, item.created_at AS "createdAt", ${columns} FROM ${table} AS item
          WHERE ${where.sql} AND item.created_at < (SELECT until::timestamp AT TIME ZONE 'UTC' FROM first_day)
          ORDER BY item.created_at DESC, item.id DESC OFFSET (SELECT skipped FROM first_day)
        ) AS rest LIMIT ${MAX_LIMIT}
      ) AS rows LIMIT ${where.bind(page.limit)}
    ) AS page
    ORDER BY "createdAt" DESC, id DESC`;
}

function searchedPage(list: NewestFirst, where: Conditions, page: Page): string {
  const { table, columns, onPage = 'page.*', place, rare } = list;
  // A plan for all stores expects one of average size, and would read a large store whole. OFFSET hides the store from the
  // search for rare rows, and the join hides it from the look-up of those on the page.
  const rows = rare === undefined ? table : `(SELECT * FROM ${table} AS item WHERE ${rare} OFFSET 0)`;
  return `/* ${table}.search */
    WITH matching AS MATERIALIZED (
      SELECT item.store_id, item.id, item.created_at FROM ${rows} AS item ${place?.join ?? ''} WHERE ${where.sql}
    )
    SELECT (SELECT count(*) FROM matching) AS total, ${onPage}
    FROM (
      SELECT item.id, item.created_at AS "createdAt", ${columns}
      FROM (
        SELECT store_id, id FROM matching ORDER BY created_at DESC, id DESC
        LIMIT ${where.bind(page.limit)} OFFSET ${where.bind(offsetOf(page))}
      ) AS found
      JOIN ${table} AS item ON item.store_id = found.store_id AND item.id = found.id
    ) AS page
    ORDER BY "createdAt" DESC, id DESC`;
}
