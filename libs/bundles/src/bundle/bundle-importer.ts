import { CommitOutcomeUnknown } from '@app/application';
import type { DataSource, EntityManager } from 'typeorm';
import { confirmedTransaction, type DataCipher, isRetryable, withMaintenanceConnection } from '@app/infrastructure';
import { writeBatch } from './write/batch-writer.js';
import { DryRun, DryRunComplete } from './dry-run.js';
import type { BundleLine } from './schema/bundle.js';
import { BadLines, BundleLineError, RejectedBatch, rejectionOf } from './check/faults.js';
import { sumOf, type ImportCounts } from './write/import-counts.js';
import { targetOf } from './check/line-keys.js';
import { batchesOf, checkedLines, ofBundle, parsedLines, type LineBatch, type SizedLine } from './read/line-batches.js';
import { writeGoodLines } from './write/write-good-lines.js';

/** The progress of an import, reported after each batch. */
export interface ImportProgress {
  /** The number of the last line written. */
  readonly lines: number;
  /** Bytes of the source up to that line; 0 for an import of objects. */
  readonly bytes: number;
}

export interface ImportReport {
  /** When true, nothing was written and `counts` says what an import would do. */
  readonly dryRun: boolean;
  /** The number of the last line written, counted from 1. */
  readonly lines: number;
  readonly counts: ImportCounts;
  /** Fields whose surrounding blanks were removed, such as `line 7: product.name`. The first 100. */
  readonly trimmed: readonly string[];
}

export interface ImportOptions {
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Stops the import between two batches. */
  readonly signal?: AbortSignal;
  /** Rolls each batch back after writing it. */
  readonly dryRun?: boolean;
}

/** An import that ended early. The lines counted in `report` are written, and nothing after them. */
export class ImportStopped extends Error {
  constructor(
    readonly reason: Error,
    readonly report: ImportReport,
  ) {
    super(reason.message, { cause: reason });
  }
}

// Autovacuum needs a minute or more to analyze a new table. Until then PostgreSQL has no statistics, and each
// movement's foreign key check scans the whole bin while orders wait. Statistics taken too early make it scan the
// table.
const MEASURE = 'ANALYZE products, stock';
const WORTH_MEASURING = 500;

const ATTEMPTS = 5;
const FIRST_DELAY_MS = 50;

/** The search for bad lines ends at this number. */
const MAX_BAD_LINES = 100;
/** The number of trimmed fields that the report lists. */
const MAX_NOTED = 100;

/**
 * Imports store bundles. It creates new rows and updates existing ones, so that an import can be repeated. Each batch
 * of lines is one transaction. A batch with a bad line is rolled back; the rest of the bundle is then only checked, to
 * report its bad lines, and not written.
 */
export class BundleImporter {
  constructor(
    private readonly dataSource: DataSource,
    private readonly cipher: DataCipher,
  ) {}

  /**
   * Imports NDJSON in UTF-8.
   *
   * @throws ImportStopped whose `reason` is {@link BadLines}, {@link RejectedBatch}, an error of the source or of the database, or the abort.
   */
  importText(source: AsyncIterable<Uint8Array>, options?: ImportOptions): Promise<ImportReport> {
    return this.importBatches(ofBundle(batchesOf(parsedLines(source))), options);
  }

  /** Imports lines that exist as objects, with the same checks. @throws ImportStopped as `importText`. */
  importObjects(lines: Iterable<BundleLine>, options?: ImportOptions): Promise<ImportReport> {
    return this.importBatches(batchesOf(checkedLines(lines)), options);
  }

  /** Imports checked lines, each batch in one transaction. @throws ImportStopped as `importText`. */
  async importBatches(batches: AsyncIterable<LineBatch>, options: ImportOptions = {}): Promise<ImportReport> {
    const { onProgress, signal, dryRun = false } = options;
    const faults: BundleLineError[] = [];
    const trimmed: string[] = [];
    let counts: ImportCounts = sumOf();
    let lines = 0;
    let isMeasured = dryRun;
    let dry = dryRun ? new DryRun() : null;
    // One batch is written while the next one is read and checked.
    let writing = Promise.resolve();
    const write = async (batch: LineBatch) => {
      for (const { fault } of batch.bad) faults.push(fault);
      if (batch.bad.length > 0) dry ??= new DryRun();
      const readable = withTargetsOfBad(batch);
      const written = await this.writeWithRetries(readable, dry).catch((error: unknown) => {
        if (!(error instanceof BadLines)) throw error;
        const known = new Set(batch.bad.map(({ number }) => number));
        faults.push(...error.faults.filter(({ line }) => !known.has(line)));
        dry ??= new DryRun();
        return null;
      });
      await dry?.remember(this.dataSource.manager, readable);
      const last = readable.at(-1);
      if (written && last && (dryRun || !dry)) {
        counts = sumOf(counts, written);
        lines = last.number;
        if (trimmed.length < MAX_NOTED) trimmed.push(...trimmedIn(readable));
      }
      if (!isMeasured && counts.stock.created >= WORTH_MEASURING) {
        isMeasured = true;
        await this.dataSource.query(MEASURE);
      }
      onProgress?.({ lines, bytes: last?.bytes ?? 0 });
    };
    const report = () => ({ dryRun, lines: dryRun ? 0 : lines, counts, trimmed: trimmed.slice(0, MAX_NOTED) });
    try {
      for await (const batch of batches) {
        await writing;
        signal?.throwIfAborted();
        if (faults.length >= MAX_BAD_LINES) break;
        writing = write(batch);
        // The next `await writing` handles the failure; until then it must not count as an unhandled rejection.
        writing.catch(() => undefined);
      }
      await writing;
    } catch (error) {
      // A failing source shows early. The batches before it are either written or hold the error to report.
      const failure: unknown = await writing.then(
        () => error,
        (earlier: unknown) => earlier,
      );
      throw new ImportStopped(faults.length > 0 ? badLines(faults) : asReason(failure), report());
    }
    if (faults.length > 0) throw new ImportStopped(badLines(faults), report());
    return { ...report(), lines };
  }

  private async writeWithRetries(batch: readonly SizedLine[], dry: DryRun | null): Promise<ImportCounts> {
    const write = dry ? dry.write(writeBatch) : writeBatch;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transact(write, batch);
      } catch (error) {
        if (error instanceof BundleLineError || rejectionOf(error)) {
          throw await this.reasonOf(error, batch, dry ?? new DryRun());
        }
        // Writing a batch twice has the same effect as writing it once.
        const mayRepeat = isRetryable(error) || error instanceof CommitOutcomeUnknown;
        if (!mayRepeat || attempt === ATTEMPTS) throw asReason(error);
        await new Promise((resolve) => setTimeout(resolve, FIRST_DELAY_MS * 2 ** attempt));
      }
    }
  }

  /** Finds all bad lines of a batch that cannot be written: writes the good ones, and rolls them back. */
  private async reasonOf(error: unknown, batch: readonly SizedLine[], dry: DryRun): Promise<Error> {
    const found: unknown = await this.transact(dry.write(writeGoodLines), batch).catch((bad: unknown) => bad);
    if (found instanceof BadLines) return found;
    if (error instanceof BundleLineError) return new BadLines([error]);
    return new RejectedBatch([batch[0]?.number ?? 0, batch.at(-1)?.number ?? 0], rejectionOf(error) ?? '');
  }

  /** Runs one transaction. A dry run counts as complete after its rollback. */
  private transact(write: typeof writeBatch, batch: readonly SizedLine[]): Promise<ImportCounts> {
    const work = (manager: EntityManager) => write(manager, this.cipher, batch);
    return confirmedTransaction(this.dataSource, work).catch((error: unknown) => {
      if (error instanceof DryRunComplete) return error.counts;
      throw error;
    });
  }
}

/** Replaces each bad line by its target, so that a line that refers to it does not count as bad as well. */
function withTargetsOfBad({ lines, bad }: LineBatch): readonly SizedLine[] {
  const targets = bad.flatMap(({ number, bytes, given }) => {
    const line = targetOf(given);
    return line ? [{ number, bytes, line }] : [];
  });
  return targets.length === 0 ? lines : [...lines, ...targets].sort((a, b) => a.number - b.number);
}

const trimmedIn = (lines: readonly SizedLine[]): string[] =>
  lines.flatMap(({ number, trimmed = [] }) => trimmed.map((path) => `line ${number}: ${path}`));

function badLines(faults: readonly BundleLineError[]): BadLines {
  const inOrder = faults.toSorted((a, b) => a.line - b.line);
  return new BadLines(inOrder.slice(0, MAX_BAD_LINES), inOrder.length >= MAX_BAD_LINES);
}

/** Runs `work` with an importer that has its own connections, without the time limits of requests. */
export function withBundleImporter<T>(
  url: string,
  cipher: DataCipher,
  work: (importer: BundleImporter) => Promise<T>,
): Promise<T> {
  return withMaintenanceConnection(url, (dataSource) => work(new BundleImporter(dataSource, cipher)));
}

function asReason(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
