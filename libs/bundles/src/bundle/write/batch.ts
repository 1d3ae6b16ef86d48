import type { Currency } from '@app/domain';
import type { DataCipher, DrawnIds, Sql } from '@app/infrastructure';
import type { BundleKind, BundleLine, LineOf } from '../schema/bundle.js';
import { BundleLineError, quoted } from '../check/faults.js';
import type { LineResult, Outcome } from './import-counts.js';
import type { ReadGood, Row, TableWriter, Written } from './table-writer.js';

export interface Numbered<Line extends BundleLine = BundleLine> {
  readonly number: number;
  readonly line: Line;
}

export interface Owner {
  readonly id: number;
  readonly subdomain: string;
  readonly currency: Currency;
}

/** Covers the e-mails of those lines that it was made for. */
export type EmailKey = (email: string) => string;

/**
 * Writes lines with different natural keys. It refuses bad lines before it writes the others: writing, rolling back and
 * starting again would cost the square of the number of lines.
 */
export type WriteLines<Kind extends BundleKind> = (
  batch: Batch,
  store: Owner,
  lines: readonly Numbered<LineOf<Kind>>[],
) => Promise<void>;

/**
 * @param name the name of the row in the message; by default, the key's last value.
 * @throws BundleLineError when the row does not exist or a later line creates it.
 */
export type FindId<Id = number> = (line: number, key: Row, what: string, name?: string) => Id;

export class Batch {
  readonly results: LineResult[] = [];
  /** Warnings about lines that are written but may not do what was intended. */
  readonly warnings: BundleLineError[] = [];
  private readonly refused = new Map<number, BundleLineError>();
  /** The highest id that a line has given to a new row, by table. */
  readonly givenIds = new Map<TableWriter<number>, number>();
  /**
   * Rows with the line that creates them; 0 for a stored row. A row exists from its own line on, even within a batch:
   * the end of a batch must not decide whether a bundle is valid.
   */
  private readonly known = new Map<string, { readonly id: number | string; readonly line: number }>();

  constructor(
    readonly sql: Sql,
    readonly cipher: DataCipher,
    readonly emailKey: EmailKey,
    readonly drawnIds: DrawnIds,
  ) {}

  async write<T extends { readonly number: number; readonly row: Row }>(
    table: TableWriter<number>,
    storeId: number,
    lines: readonly T[],
  ): Promise<(T & Written<number>)[]> {
    const written = await this.writeNamed(table, storeId, lines);
    for (const { row, id, outcome } of written) {
      const isGiven = outcome === 'created' && row['id'] === id;
      if (isGiven) this.givenIds.set(table, Math.max(id, this.givenIds.get(table) ?? 0));
    }
    return written;
  }

  /** Writes rows that later lines name, into a table without numbers. */
  async writeNamed<Id extends number | string, T extends { readonly number: number; readonly row: Row }>(
    table: TableWriter<Id>,
    storeId: number,
    lines: readonly T[],
  ): Promise<(T & Written<Id>)[]> {
    const written = await table.write(this.sql, storeId, lines, this);
    for (const { number: line, row, id, outcome } of written) {
      if (outcome === 'created') this.known.set(placeOf(table, storeId, table.keyOf(row)), { id, line });
    }
    return written;
  }

  /** Refuses and omits the lines that `read` finds bad, completely or in part. */
  readonly good: ReadGood = (lines, read) => {
    const results = lines.flatMap((each) => {
      try {
        return [{ number: each.number, result: read(each) }];
      } catch (error) {
        if (!(error instanceof BundleLineError)) throw error;
        this.refuse(error);
        return [];
      }
    });
    return results.flatMap(({ number, result }) => (this.refused.has(number) ? [] : [result]));
  };

  /** Records the first fault of a line; later ones are ignored. */
  refuse(fault: BundleLineError): void {
    if (!this.refused.has(fault.line)) this.refused.set(fault.line, fault);
  }

  get faults(): readonly BundleLineError[] {
    return [...this.refused.values()];
  }

  /** @param changed ids of rows that count as updated because their parts changed. */
  note<Id>(
    written: readonly (Numbered & { readonly id: Id; readonly outcome: Outcome })[],
    changed: ReadonlySet<Id> = new Set(),
  ): void {
    for (const { number, line, id, outcome } of written) {
      const isPartOnly = outcome === 'unchanged' && changed.has(id);
      this.results.push({ number, kind: line.kind, id: String(id), outcome: isPartOnly ? 'updated' : outcome });
    }
  }

  warn(line: number, problem: string): void {
    this.warnings.push(new BundleLineError(line, problem));
  }

  /** Rows have lost these keys. */
  forget(table: TableWriter<number>, storeId: number, keys: readonly Row[]): void {
    for (const key of keys) this.known.delete(placeOf(table, storeId, table.keyOf(key)));
  }

  async finder<Id extends number | string>(
    table: TableWriter<Id>,
    storeId: number,
    keys: readonly Row[],
  ): Promise<FindId<Id>> {
    const missing = new Map<string, Row>();
    for (const row of keys) {
      const key = table.keyOf(row);
      if (!this.known.has(placeOf(table, storeId, key))) missing.set(key, row);
    }
    for (const [key, id] of await table.find(this.sql, storeId, [...missing.values()])) {
      this.known.set(placeOf(table, storeId, key), { id, line: 0 });
    }
    return (line, key, what, name = String(Object.values(key).at(-1))) => {
      const row = this.known.get(placeOf(table, storeId, table.keyOf(key)));
      if (!row || row.line > line) throw new BundleLineError(line, `${what} ${quoted(name)} is not known`);
      return row.id as Id;
    };
  }
}

const placeOf = ({ spec }: Pick<TableWriter<number>, 'spec'>, storeId: number, key: string) =>
  `${spec.table} ${storeId} ${key}`;
