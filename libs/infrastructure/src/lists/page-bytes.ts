import { PageTooLarge } from '@app/application';

/** The maximum size of the large parts of a page. A larger answer would delay other requests of the process. */
const MAX_BYTES = 1024 * 1024;

/** A part of a row that may be large: metadata, lines. */
export interface LargePart {
  readonly name: string;
  /** An SQL expression over the row `page`. */
  readonly sql: string;
}

/** The columns that `withinBytes` adds to each row. */
export interface Weighed {
  readonly pageBytes?: number | string;
  readonly pageRows?: number | string;
}

/**
 * Returns SQL for the rows with their large parts, in the sequence of `rows`. If the parts are too large together, the
 * statement returns only the first row, so that PostgreSQL does not send a page that {@link assertWithinBytes} refuses.
 * `OFFSET 0` makes PostgreSQL compute each part once.
 */
export function withinBytes(rows: string, parts: readonly LargePart[]): string {
  if (parts.length === 0) return `(${rows})`;
  const columns = parts.map(({ name, sql }) => `${sql} AS "${name}"`);
  const bytes = parts.map(({ name }) => `coalesce(octet_length(page."${name}"::text), 0)`);
  return `(
      SELECT * FROM (
        SELECT *, sum(${bytes.join(' + ')}) OVER () AS "pageBytes", count(*) OVER () AS "pageRows", row_number() OVER () AS nth
        FROM (SELECT page.*, ${columns.join(', ')} FROM (${rows}) AS page OFFSET 0) AS page
      ) AS weighed WHERE "pageBytes" <= ${MAX_BYTES} OR nth = 1
    )`;
}

/** A page with a single row is never too large. @throws PageTooLarge */
export function assertWithinBytes(page: readonly Weighed[]): void {
  const [bytes, rows] = [bytesOf(page), Number(page[0]?.pageRows)];
  if (bytes > MAX_BYTES && rows > 1) throw new PageTooLarge(Math.max(1, Math.floor((rows * MAX_BYTES) / bytes)), bytes);
}

/** Returns the bytes of the large parts of a page. */
export function bytesOf([first]: readonly Weighed[]): number {
  return Number(first?.pageBytes ?? 0);
}
