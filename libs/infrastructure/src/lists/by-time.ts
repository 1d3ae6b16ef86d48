import { MAX_LIMIT, NEWEST_FIRST, type Page, type PageOf, type TimeRange } from '@app/application';
import type { Database } from '../postgres/database.js';
import { foundByChange } from './by-change.js';
import type { Conditions } from './conditions.js';
import { assertWithinBytes, withinBytes, type LargePart, type Weighed } from './page-bytes.js';
import { afterPosition, isDeep, moveTo, offsetOf, pageOf, type Counted } from './paging.js';
import type { Search } from './search-terms.js';
import { countsOf, totalOf, type Tally } from './tally.js';
import { countIn, inRange } from './time-range.js';

export interface TimedList extends Partial<Search> {
  /** The table of the rows, which also names the kind of their changes. Columns and conditions call a row `item`. */
  readonly table: 'orders' | 'customers' | 'products';
  readonly columns: string;
  /**
   * SQL expressions over the row `page`, by default all its columns. They are computed only for the rows of the page.
   */
  readonly onPage?: string;
  /** Large parts, which are also computed only for the rows of the page. */
  readonly large?: readonly LargePart[];
  /** Begins with `item.store_id = ?`, so that `$1` is the id of the store. */
  readonly where: Conditions;
  /**
   * Columns that may have one of several values. For each combination of values, an index has the sequence of the list.
   */
  readonly oneOf?: readonly OneOf[];
  /** A query for the ids of the rows. The list then has no tally. */
  readonly ids?: string;
  readonly created?: TimeRange;
  /** SQL for the time of the last change of a row; null when it has none. */
  readonly changedAt: string;
  /** Selects rows that changed in the range. */
  readonly updated?: TimeRange;
  /** A joined table, called `sorted`, that has the sort columns when the rows' own table does not. */
  readonly sortTable?: { readonly join: string; readonly id: string };
  /** `null` when no tally has the labels, such as for searches: the statement then counts the rows. */
  readonly tally: Tally | null;
  /**
   * Whether a unique key limits the list to a few rows. Such a list does not count as a search even without a tally.
   */
  readonly isLookUp?: boolean;
  /** Whether arbitrarily many other rows of the table may lie between two rows of the list. */
  readonly isSparse?: boolean;
}

export interface OneOf {
  readonly column: string;
  readonly values: readonly string[];
}

/** The columns that a row has for a reader of all pages. */
interface Placed {
  readonly sortedAt?: Date;
  readonly sortedId?: number | string;
}

function placed({ position }: Page, time: string): string {
  return position ? `, page.${time} AS "sortedAt", page.id AS "sortedId"` : '';
}

/**
 * Reads a page of a list and its total from one snapshot. Its time does not depend on the size of the store, with four
 * exceptions: a search reads all rows that it matches, a deep page of a category skips the products before it, any
 * other deep page skips the earlier rows of the same day, and a list by the time of the last change reads the changes
 * before the page, or all in its range.
 * @throws PageTooLarge, PageTooDeep
 */
export async function readByTime<Row extends object>(
  database: Database,
  list: TimedList,
  page: Page,
): Promise<PageOf<Row>> {
  return pageOf(page, async (asked) => {
    const rows = await read<Row & Counted & Weighed & Placed>(database, list, asked);
    assertWithinBytes(rows);
    moveTo(asked, rows, ({ sortedAt, sortedId }) => [sortedAt, sortedId]);
    return rows;
  });
}

function read<Row>(database: Database, list: TimedList, page: Page): Promise<Row[]> {
  const where = list.where.copy();
  const { tally, updated = {} } = list;
  if (!tally || updated.from || updated.to) {
    const sql = searchedPage(list, where, page);
    if (list.isLookUp) return database.queryPrepared(sql, where.values);
    return database.search(sql, where.values, { onePlan: list.onePlan ?? tally !== null });
  }
  if (isByChange(page)) return database.search(changedPage(list, tally, where, page), where.values, { onePlan: true });
  // Tallies locate the start of a deep page.
  if (!isDeep(page) && !list.isSparse) {
    return database.queryPrepared(shallowPage(list, tally, where, page), where.values);
  }
  // The statement still skips the rows of the page's day, or of a category: 100,000 of them after an import.
  const sql = (list.sortTable || page.position?.after ? shallowPage : deepPage)(list, tally, where, page);
  return database.search(sql, where.values, { onePlan: true });
}

function isByChange({ sort }: Page): boolean {
  return sort?.by === 'updatedAt';
}

function directionOf({ sort = NEWEST_FIRST }: Page): 'DESC' | 'ASC' {
  return sort.isDescending ? 'DESC' : 'ASC';
}

function shallowPage(list: TimedList, tally: Tally, where: Conditions, page: Page): string {
  const { table, onPage = 'page.*', created = {} } = list;
  const direction = directionOf(page);
  return `/* ${table}.list */
    SELECT ${countIn(created, tally, () => counted(list, where), where)} AS total, ${onPage}${weightsOf(list)}${placed(page, '"createdAt"')}
    FROM ${onPageOf(list, list.oneOf ? mergedRows(list, where, page, where.bind(offsetOf(page))) : orderedRows(list, where, page))} AS page
    ORDER BY "createdAt" ${direction}, id ${direction}`;
}

/** SQL for the rows of the list, for counting them. */
function counted(list: TimedList, where: Conditions): string {
  return `${list.table} AS item WHERE ${where.sql}${chosenOf(list, where)}`;
}

/** Binds the values of each column that has several. */
function chosenOf({ oneOf = [] }: TimedList, where: Conditions): string {
  return oneOf.map(({ column, values }) => ` AND ${column} = ANY (${where.bind(values)})`).join('');
}

// The statement skips rows in the index, when the index has all conditions, and then reads the page. The constant limit
// holds for all pages.
function orderedRows({ table, columns, sortTable, created = {} }: TimedList, where: Conditions, page: Page): string {
  const direction = directionOf(page);
  const [createdAt, id] = sortTable ? ['sorted.created_at', `sorted.${sortTable.id}`] : ['item.created_at', 'item.id'];
  const from = `FROM ${table} AS item ${sortTable?.join ?? ''} WHERE ${where.sql}${inRange(createdAt, created, where)}${afterPosition(page, `${createdAt}, ${id}`, direction, where)}`;
  const order = `ORDER BY ${createdAt} ${direction}, ${id} ${direction}`;
  const follows = direction === 'DESC' ? '<=' : '>=';
  const begin =
    page.page === 1
      ? ''
      : `AND (${createdAt}, ${id}) ${follows} (SELECT ${createdAt}, ${id} ${from} ${order} LIMIT 1 OFFSET ${where.bind(offsetOf(page))})`;
  return `SELECT * FROM (
        SELECT ${id} AS id, ${createdAt} AS "createdAt", ${columns} ${from} ${begin} ${order} LIMIT ${MAX_LIMIT}
      ) AS rows
      ORDER BY "createdAt" ${direction}, id ${direction} LIMIT ${where.bind(page.limit)}`;
}

// For each combination of values, an index has the rows in the sequence of the list: the first rows of each are merged.
function mergedRows(list: TimedList, where: Conditions, page: Page, skipped: string, beyond = ''): string {
  const { table, columns, oneOf = [], created = {} } = list;
  const direction = directionOf(page);
  const limit = where.bind(page.limit);
  const values = oneOf.map((one, index) => `unnest(${where.bind(one.values)}::text[]) AS choice${index} (value)`);
  const chosen = oneOf.map(({ column }, index) => ` AND ${column} = choice${index}.value`).join('');
  const after = afterPosition(page, 'item.created_at, item.id', direction, where);
  return `SELECT item.id, item.created_at AS "createdAt", ${columns}
      FROM (
        SELECT part.id FROM ${values.join(' CROSS JOIN ')} CROSS JOIN LATERAL (
          SELECT item.id, item.created_at FROM ${table} AS item
          WHERE ${where.sql}${chosen}${inRange('item.created_at', created, where)}${beyond}${after}
          ORDER BY item.created_at ${direction}, item.id ${direction} LIMIT ${skipped}::bigint + ${limit}::bigint
        ) AS part
        ORDER BY part.created_at ${direction}, part.id ${direction} LIMIT ${limit} OFFSET ${skipped}
      ) AS found
      JOIN ${table} AS item ON item.store_id = $1 AND item.id = found.id`;
}

// The statement looks up the month, then the day, in which the page begins, and skips only rows of that day.
function deepPage(list: TimedList, tally: Tally, where: Conditions, page: Page): string {
  const { table, columns, onPage = 'page.*', created = {} } = list;
  const direction = directionOf(page);
  const rows = () => counted(list, where);
  // The tally's rows before the range are skipped as well. They include rows of the range's first day, which the page
  // must still show.
  const [outside, within] =
    direction === 'DESC' ? [{ from: created.to }, { from: created.from }] : [{ to: created.from }, { to: created.to }];
  const before = outside.from || outside.to ? ` + ${countIn(outside, tally, rows, where)}` : '';
  const beyond =
    direction === 'DESC'
      ? ` AND item.created_at < (SELECT (period + 1)::timestamp AT TIME ZONE 'UTC' FROM first_day)`
      : ` AND item.created_at >= (SELECT period::timestamp AT TIME ZONE 'UTC' FROM first_day)`;
  const skipped = '(SELECT skipped FROM first_day)';
  const found = list.oneOf
    ? mergedRows({ ...list, created: within }, where, page, skipped, beyond)
    : `SELECT * FROM (
        SELECT * FROM (
          SELECT item.id, item.created_at AS "createdAt", ${columns} FROM ${table} AS item
          WHERE ${where.sql}${inRange('item.created_at', within, where)}${beyond}
          ORDER BY item.created_at ${direction}, item.id ${direction} OFFSET ${skipped}
        ) AS rest LIMIT ${MAX_LIMIT}
      ) AS rows LIMIT ${where.bind(page.limit)}`;
  return `/* ${table}.list_deep */
    WITH page_begin AS MATERIALIZED (
      SELECT ${where.bind(offsetOf(page))}::bigint${before} AS skipped_rows
    ), months AS (
      SELECT period, sum(rows) AS rows, sum(sum(rows)) OVER (ORDER BY period ${direction}) AS through
      FROM ${countsOf(tally, 'month', where)} GROUP BY period
    ), first_month AS (
      SELECT period, through - rows AS before FROM months
      WHERE through > (SELECT skipped_rows FROM page_begin) ORDER BY period ${direction} LIMIT 1
    ), days AS (
      SELECT period, sum(rows) AS rows, sum(sum(rows)) OVER (ORDER BY period ${direction}) AS through
      FROM ${countsOf(tally, 'day', where)} AND period >= (SELECT period FROM first_month)
        AND period < (SELECT period + interval '1 month' FROM first_month)
      GROUP BY period
    ), first_day AS (
      SELECT days.period, skipped_rows - before - (through - days.rows) AS skipped
      FROM days CROSS JOIN first_month CROSS JOIN page_begin
      WHERE before + through > skipped_rows ORDER BY days.period ${direction} LIMIT 1
    )
    SELECT ${before || created.from || created.to ? countIn(created, tally, rows, where) : '(SELECT sum(rows) FROM months)'} AS total, ${onPage}${weightsOf(list)}${placed(page, '"createdAt"')}
    FROM ${onPageOf(list, found)} AS page
    ORDER BY "createdAt" ${direction}, id ${direction}`;
}

/** SQL that joins the newest change of each row as `change`. */
const CHANGE = {
  orders: `change.kind = 'orders' AND item.id = change.entity::uuid`,
  customers: `change.kind = 'customers' AND item.id = change.entity::uuid`,
  products: `change.kind = 'products' AND item.id = change.entity::int`,
};

function changedPage(list: TimedList, tally: Tally, where: Conditions, page: Page): string {
  const { table, columns, onPage = 'page.*', created = {}, sortTable } = list;
  const direction = directionOf(page);
  const rows = () => counted(list, where);
  const from = `${sortTable?.join ?? ''} WHERE ${where.sql}${chosenOf(list, where)}${inRange('item.created_at', created, where)}`;
  const found = foundByChange({
    total: countIn(created, tally, rows, where),
    stored: totalOf({ list: tally.list, labels: [] }, where),
    columns: 'id, "changedAt"',
    byChange: `SELECT item.id, change.changed_at AS "changedAt"
          FROM changes AS change JOIN ${table} AS item ON ${CHANGE[table]} ${from} AND change.store_id = $1`,
    byRow: `SELECT item.id, ${list.changedAt} AS "changedAt" FROM ${table} AS item ${from}`,
    order: `"changedAt" ${direction}, id ${direction}`,
    after: afterPosition(page, '"changedAt", id', direction, where),
    offset: where.bind(offsetOf(page)),
    limit: where.bind(page.limit),
  });
  return `/* ${table}.list_changed */
    ${found}
    SELECT (SELECT listed FROM counts) AS total, ${onPage}${weightsOf(list)}${placed(page, '"changedAt"')}
    FROM ${onPageOf(
      list,
      `SELECT item.id, item.created_at AS "createdAt", found."changedAt", ${columns}
      FROM found JOIN ${table} AS item ON item.store_id = $1 AND item.id = found.id`,
    )} AS page
    ORDER BY "changedAt" ${direction}, id ${direction}`;
}

function onPageOf({ large = [] }: TimedList, rows: string): string {
  return withinBytes(rows, large);
}

function weightsOf({ large = [] }: TimedList): string {
  return large.length > 0 ? `, page."pageBytes", page."pageRows"` : '';
}

/**
 * A generic plan expects a store of average size, and would read a large store as a whole. OFFSET keeps the search for
 * rare rows apart from the order of the list, and looks up one row for each id.
 */
export function searchedRows({ table, rare, ids }: Partial<Search> & { readonly table: string }): string {
  if (ids === undefined) return rare === undefined ? table : `(SELECT * FROM ${table} AS item WHERE ${rare} OFFSET 0)`;
  return `(SELECT item.* FROM (SELECT DISTINCT * FROM (${ids}) AS each) AS wanted (id) CROSS JOIN LATERAL (
      SELECT * FROM ${table} AS item
      WHERE item.store_id = $1 AND item.id = wanted.id${rare === undefined ? '' : ` AND ${rare}`} OFFSET 0
    ) AS item)`;
}

function searchedPage(list: TimedList, where: Conditions, page: Page): string {
  const { table, columns, onPage = 'page.*', sortTable, created = {}, updated = {} } = list;
  const direction = directionOf(page);
  const isChange = isByChange(page) || updated.from !== undefined || updated.to !== undefined;
  // The condition is stated for both tables, so that the planner can begin with either.
  const change = isChange
    ? `JOIN changes AS change ON change.store_id = item.store_id AND ${CHANGE[table]} AND change.entity = item.id::text`
    : '';
  const time = isByChange(page) ? 'change.changed_at' : 'item.created_at';
  const ranges = `${inRange('item.created_at', created, where)}${inRange('change.changed_at', updated, where)}${afterPosition(page, `${time}, item.id`, direction, where)}`;
  return `/* ${table}.search */
    WITH matching AS MATERIALIZED (
      SELECT item.store_id, item.id, ${time} AS time
      FROM ${searchedRows(list)} AS item ${sortTable?.join ?? ''} ${change} WHERE ${where.sql}${chosenOf(list, where)}${ranges}
    )
    SELECT (SELECT count(*) FROM matching) AS total, ${onPage}${weightsOf(list)}${placed(page, '"sortedBy"')}
    FROM ${onPageOf(
      list,
      `SELECT item.id, item.created_at AS "createdAt", found.time AS "sortedBy", ${columns}
      FROM (
        SELECT store_id, id, time FROM matching ORDER BY time ${direction}, id ${direction}
        LIMIT ${where.bind(page.limit)} OFFSET ${where.bind(offsetOf(page))}
      ) AS found
      JOIN ${table} AS item ON item.store_id = found.store_id AND item.id = found.id`,
    )} AS page
    ORDER BY "sortedBy" ${direction}, id ${direction}`;
}
