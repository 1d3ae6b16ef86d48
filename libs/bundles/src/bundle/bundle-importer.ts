import { setTimeout } from 'node:timers/promises';
import { CommitOutcomeUnknown } from '@app/application';
import { type Connection, type DataCipher, isRetryable, type Sql, withConnection } from '@app/infrastructure';
import { BadLines, type BundleLineError } from './check/faults.js';
import { batchesOf, checkedLines, ofBundle, parsedLines, type LineBatch, type SizedLine } from './read/line-batches.js';
import type { BundleLine } from './schema/bundle.js';
import { writeGoodLines, type WrittenLines } from './write/batch-writer.js';
import { countsOf, sumOf, type ImportCounts } from './write/import-counts.js';
import { lockStoresForImport } from './write/lock-batch.js';
import { beginImport, recordImport, type ImportRun } from './write/record-import.js';

export interface ImportReport {
  /** When true, nothing was written and `counts` says what an import would do. */
  readonly dryRun: boolean;
  /** The number of the last written line, from 1. */
  readonly lines: number;
  readonly counts: ImportCounts;
  /** The first 100 fields whose surrounding blanks were removed, such as `line 7: product.name`. */
  readonly trimmed: readonly string[];
  /** The first 100 warnings about lines that were written but may not do what was intended. */
  readonly warnings: readonly string[];
}

export interface ImportOptions {
  /** Receives the number of bytes of the source up to the end of each batch; 0 for an import of objects. */
  readonly onProgress?: (bytes: number) => void;
  readonly signal?: AbortSignal;
  /** Writes everything in one transaction, and rolls it back. It holds the locks of all lines until the end. */
  readonly dryRun?: boolean;
}

/** The import ended early. The lines counted in `report` are written, and nothing after them. */
export class ImportStopped extends Error {
  constructor(
    readonly reason: Error,
    readonly report: ImportReport,
  ) {
    super(reason.message, { cause: reason });
  }
}

// Without statistics, which autovacuum gathers only after a minute or more, the foreign key check of each movement
// scans the whole bin while orders wait. Statistics gathered too early make it scan the table.
const ANALYZE_TABLES = 'ANALYZE products, stock';
const ANALYZE_AFTER_ROWS = 500;

// The timeout is shorter than deadlock_timeout: when an order and a dry run wait for each other, the dry run gives up.
const SHORT_LOCK_TIMEOUT = `/* import.dry_run.give_way */ SET LOCAL lock_timeout = '500ms'`;

const ATTEMPTS = 5;
const FIRST_DELAY_MS = 50;

const MAX_BAD_LINES = 100;
const MAX_TRIMMED = 100;
const MAX_WARNINGS = 100;

/**
 * Imports bundles. Each batch is one transaction. A batch with a bad line is rolled back, and of the remaining lines
 * only the form is checked.
 */
export class BundleImporter {
  constructor(
    private readonly connection: Connection,
    private readonly cipher: DataCipher,
  ) {}

  /** Imports NDJSON in UTF-8. @throws ImportStopped */
  importText(source: AsyncIterable<Uint8Array>, options?: ImportOptions): Promise<ImportReport> {
    return this.importBatches(ofBundle(batchesOf(parsedLines(source))), options);
  }

  importObjects(lines: Iterable<BundleLine>, options?: ImportOptions): Promise<ImportReport> {
    return this.importBatches(batchesOf(checkedLines(lines)), options);
  }

  importBatches(batches: AsyncIterable<LineBatch>, options: ImportOptions = {}): Promise<ImportReport> {
    if (!options.dryRun) return this.importAll(batches, options);
    return this.connection.dryRun(async (sql) => {
      await lockStoresForImport(sql, []);
      await sql.query(SHORT_LOCK_TIMEOUT);
      return this.importEach(batches, (lines) => writeGoodLines(sql, this.cipher, lines), options);
    });
  }

  private async importAll(batches: AsyncIterable<LineBatch>, options: ImportOptions): Promise<ImportReport> {
    const run = await beginImport(this.connection);
    return this.importEach(batches, (lines) => this.writeWithRetries(run, lines), options);
  }

  private async importEach(
    batches: AsyncIterable<LineBatch>,
    write: (lines: readonly SizedLine[]) => Promise<WrittenLines>,
    { onProgress, signal, dryRun = false }: ImportOptions,
  ): Promise<ImportReport> {
    const faults: BundleLineError[] = [];
    const trimmed: string[] = [];
    const warnings: string[] = [];
    let counts: ImportCounts = sumOf();
    let lines = 0;
    let isWriting = true;
    let isAnalyzed = dryRun;
    const report = () => ({
      ...{ dryRun, lines, counts },
      ...{ trimmed: trimmed.slice(0, MAX_TRIMMED), warnings: warnings.slice(0, MAX_WARNINGS) },
    });
    try {
      for await (const batch of batches) {
        signal?.throwIfAborted();
        faults.push(...batch.bad.map(({ fault }) => fault));
        // Otherwise, a good line that refers to a line of a wrong form would be listed as well.
        isWriting &&= batch.bad.length === 0;
        const last = batch.lines.at(-1);
        if (isWriting && last) {
          const written = await write(batch.lines);
          faults.push(...written.faults);
          isWriting = dryRun || written.faults.length === 0;
          if (faults.length === 0) {
            counts = sumOf(counts, countsOf(written.results));
            lines = last.number;
            if (trimmed.length < MAX_TRIMMED) trimmed.push(...trimmedIn(batch.lines));
            if (warnings.length < MAX_WARNINGS) warnings.push(...written.warnings.map(({ message }) => message));
          }
        }
        if (!isAnalyzed && counts.stock.created >= ANALYZE_AFTER_ROWS) {
          isAnalyzed = true;
          await this.connection.query(ANALYZE_TABLES);
        }
        onProgress?.(last?.bytes ?? 0);
        if (faults.length >= MAX_BAD_LINES) break;
      }
      if (faults.length === 0) return report();
      throw badLines(faults);
    } catch (error) {
      if (dryRun) lines = 0;
      throw new ImportStopped(faults.length > 0 ? badLines(faults) : asError(error), report());
    }
  }

  private async writeWithRetries(run: ImportRun, lines: readonly SizedLine[]): Promise<WrittenLines> {
    for (let attempt = 1; ; attempt++) {
      try {
        if (attempt > 1) await this.connection.reopen();
        return await this.write(run, lines);
      } catch (error) {
        // Writing a batch twice has the same effect as writing it once.
        const mayRepeat = isRetryable(error) || error instanceof CommitOutcomeUnknown;
        if (!mayRepeat || attempt === ATTEMPTS) throw error;
        await setTimeout(FIRST_DELAY_MS * 2 ** attempt);
      }
    }
  }

  private async write(run: ImportRun, lines: readonly SizedLine[]): Promise<WrittenLines> {
    const work = afterLocking(lines, async (sql) => {
      const written = await writeGoodLines(sql, this.cipher, lines);
      if (written.faults.length > 0) throw new RefusedBatch(written);
      await recordImport(sql, run, lines, written.results);
      // This comes last, because a rollback moves no sequence back.
      for (const [table, id] of written.givenIds) await table.passId(sql, id);
      return written;
    });
    try {
      return await this.connection.transaction(null, work);
    } catch (error) {
      if (error instanceof RefusedBatch) return error.written;
      throw error;
    }
  }
}

/** Rolls back a batch that has bad lines. */
class RefusedBatch extends Error {
  constructor(readonly written: WrittenLines) {
    super('The batch has invalid lines');
  }
}

function afterLocking<T>(lines: readonly SizedLine[], work: (sql: Sql) => Promise<T>): (sql: Sql) => Promise<T> {
  const stores = lines.map(({ line }) => (line.kind === 'store' ? line.subdomain : line.store));
  return async (sql) => {
    await lockStoresForImport(sql, [...new Set(stores)]);
    return work(sql);
  };
}

const trimmedIn = (lines: readonly SizedLine[]): string[] =>
  lines.flatMap(({ number, trimmed = [] }) => trimmed.map((path) => `line ${number}: ${path}`));

function badLines(faults: readonly BundleLineError[]): BadLines {
  const inOrder = faults.toSorted((a, b) => a.line - b.line);
  return new BadLines(inOrder.slice(0, MAX_BAD_LINES), inOrder.length >= MAX_BAD_LINES);
}

/** Gives the importer its own connection, without the time limits of requests. */
export function withBundleImporter<T>(
  url: string,
  cipher: DataCipher,
  work: (importer: BundleImporter) => Promise<T>,
): Promise<T> {
  return withConnection(url, 'store-commerce', (connection) => work(new BundleImporter(connection, cipher)));
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
