import type { StoredTable } from './stored-tables.js';

/**
 * The format of a backup: lines of UTF-8, compressed by gzip, to be read with `zcat`.
 *
 *     {"format":"store-commerce backup","version":1,"taken_at":"…","migrations":[…]}
 *     {"table":"stores","columns":["id",…]}
 *     rows, one a line, as COPY writes them
 *     \.
 *     … every table, each after those that its foreign keys name …
 *     {"tables":{"stores":{"rows":1,"sha256":"…"},…},"sequences":{"stores_id_seq":"1",…}}
 *
 * The last line makes the file a backup: a file without it is incomplete.
 */
export interface ArchiveHeader {
  readonly format: typeof ARCHIVE_FORMAT;
  readonly version: typeof ARCHIVE_VERSION;
  readonly taken_at: string;
  readonly migrations: readonly string[];
}

/** The line before the rows of a table. */
export interface TableHeader {
  readonly table: string;
  readonly columns: StoredTable['columns'];
}

/** Count and checksum of a table's rows. */
export interface TableDigest {
  readonly rows: number;
  /** Of the bytes of the rows as the file stores them. */
  readonly sha256: string;
}

export interface ArchiveManifest {
  readonly tables: Readonly<Record<string, TableDigest>>;
  /** Last values as text, because they may exceed the numbers of JSON. */
  readonly sequences: Readonly<Record<string, string>>;
}

export const ARCHIVE_FORMAT = 'store-commerce backup';
export const ARCHIVE_VERSION = 1;
/** A single-column row with this text gets another backslash before it. */
export const END_OF_ROWS = Buffer.from('\\.\n');

/** A backup that cannot be used. The message gives the operator the reason. */
export class BackupUnusable extends Error {}

/** Far longer than any header. A row is no longer than a line of an import, 1 MB. */
const LONGEST_HEADER = 1 << 20;
const LONGEST_ROW = 1 << 26;
const ROW_TOO_LONG = 'The file has a row of more than 64 MB, which no backup of this service contains.';
const NEWLINE = 0x0a;

/** Reads an archive from its uncompressed bytes, front to back, and holds little more than one chunk in memory. */
export class ArchiveReader {
  private readonly chunks: AsyncIterator<Buffer>;
  private pending: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Buffer>) {
    this.chunks = bytes[Symbol.asyncIterator]();
  }

  /** The next line. @throws BackupUnusable when it is not a JSON object. */
  async object(): Promise<Readonly<Record<string, unknown>>> {
    let end = this.pending.indexOf(NEWLINE);
    while (end < 0) {
      if (this.pending.length > LONGEST_HEADER || !(await this.more())) throw notABackup();
      end = this.pending.indexOf(NEWLINE);
    }
    const line = this.pending.subarray(0, end).toString();
    this.pending = this.pending.subarray(end + 1);
    return parseObject(line);
  }

  /**
   * The rows of a table, in chunks that may begin and end within a row, without the end marker.
   *
   * @throws BackupUnusable when the end marker is missing, or a row is longer than any row of the service.
   */
  async *rows(): AsyncGenerator<Buffer> {
    let isFirst = true;
    let rowLength = 0;
    for (;;) {
      const end = this.endOfRows(isFirst);
      // The last bytes may be the first part of the end marker.
      const length = end >= 0 ? end : this.pending.length - END_OF_ROWS.length;
      if (length > 0) {
        const piece = this.pending.subarray(0, length);
        this.pending = this.pending.subarray(length);
        const lineEnd = piece.lastIndexOf(NEWLINE);
        rowLength = lineEnd < 0 ? rowLength + length : length - lineEnd - 1;
        if (rowLength > LONGEST_ROW) throw new BackupUnusable(ROW_TOO_LONG);
        yield piece;
        isFirst = false;
      }
      if (end >= 0) {
        this.pending = this.pending.subarray(END_OF_ROWS.length);
        return;
      }
      if (!(await this.more())) throw notABackup();
    }
  }

  /** @throws BackupUnusable when any data is left. Reading to the end makes gzip verify its own checksum. */
  async finish(): Promise<void> {
    if (this.pending.length > 0 || (await this.more())) throw notABackup();
  }

  /**
   * The position of the end marker; negative when it is not here yet. @param isFirst whether a row could begin at 0.
   */
  private endOfRows(isFirst: boolean): number {
    if (isFirst && this.pending.subarray(0, END_OF_ROWS.length).equals(END_OF_ROWS)) return 0;
    const found = this.pending.indexOf('\n\\.\n');
    return found < 0 ? -1 : found + 1;
  }

  private async more(): Promise<boolean> {
    const next = await this.chunks.next();
    if (next.done) return false;
    this.pending = this.pending.length === 0 ? next.value : Buffer.concat([this.pending, next.value]);
    return true;
  }
}

function parseObject(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // Not JSON: the error below covers it.
  }
  throw notABackup();
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function notABackup(): BackupUnusable {
  return new BackupUnusable('The file is damaged, cut off or not a backup of this service.');
}
