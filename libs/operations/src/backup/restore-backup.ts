import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { verifyStock, withOwnClient } from '@app/infrastructure';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  ArchiveReader,
  BackupUnusable,
  isObject,
  notABackup,
  type ArchiveHeader,
  type ArchiveManifest,
  type TableDigest,
} from './archive.js';
import { PostData } from './post-data.js';
import { assertOnlyRestore, claimEmptyTables } from './restore-target.js';
import { appliedMigrations, copyTarget, storedTables, type StoredTable } from './stored-tables.js';

export interface RestoreReport {
  readonly takenAt: string;
  readonly schema: string;
  /** Rows by table. */
  readonly tables: Readonly<Record<string, number>>;
  /** Bins whose quantity agrees with the ledger: all of them. */
  readonly stockChecked: number;
  /** Stages of orders that were pending when the backup was taken. The worker will run them. */
  readonly pendingStages: number;
}

/** The fraction of a restore that loads the rows; the rest builds indexes and keys. */
const LOADING = 0.5;
/** Uncompressed bytes per message to the database. */
const PIECE = 1 << 17;

// The check of the stock sorts and hashes every row of two tables, an index build every row of one.
const SETTINGS = `
  SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL work_mem = '128MB';
  SET LOCAL maintenance_work_mem = '256MB';`;

/** SQLSTATE of a value that the table rejects. */
const REFUSED_VALUE = /^2[23]/;

// The original may have gone on after the backup: its later positions mean other changes.
const BEGIN_BRANCH = '/* restore.begin_branch */ SELECT begin_branch()';

// No worker holds a stage of the restored database.
const RELEASE_STAGES = `/* restore.release_stages */ UPDATE order_stages SET locked_until = NULL WHERE state = 'pending'`;

/** Begins a branch of the feed, in a copy of a database that looks like the original. @returns its id. */
export async function beginBranch(url: string): Promise<string> {
  return withOwnClient(url, 'store-commerce-backup', async (client) => {
    await client.query(BEGIN_BRANCH);
    const newest = '/* branch.newest */ SELECT id FROM change_branches ORDER BY number DESC LIMIT 1';
    return (await client.query<{ id: string }>(newest)).rows[0]?.id ?? '';
  });
}

/**
 * Loads a backup into an empty database with the schema it was taken from, and verifies that it is complete. It does so
 * in one transaction: a failure leaves the database empty.
 *
 * @param onProgress receives the fraction done, from 0 to 1.
 * @throws BackupUnusable when the file or the database does not meet the requirements.
 */
export async function restoreBackup(
  url: string,
  file: string,
  onProgress: (done: number) => void = () => undefined,
): Promise<RestoreReport> {
  const { size } = await stat(file);
  const source = createReadStream(file, { highWaterMark: 1 << 20 });
  const bytes = createGunzip({ chunkSize: PIECE });
  // The reader of the bytes receives an error of the file, even one that precedes the first read.
  bytes.on('error', () => undefined);
  pipeline(source, bytes).catch(() => undefined);
  async function* watched(): AsyncGenerator<Buffer> {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      onProgress((LOADING * source.bytesRead) / size);
      yield chunk;
    }
  }
  try {
    return await withOwnClient(url, 'store-commerce-backup', (client) => {
      const onBuilt = (done: number) => onProgress(LOADING + (1 - LOADING) * done);
      return new Restoration(client, new ArchiveReader(watched()), onBuilt).run();
    });
  } catch (error) {
    const isDamaged = (error as NodeJS.ErrnoException).code?.startsWith('Z_') ?? false;
    throw isDamaged ? notABackup() : error;
  } finally {
    source.destroy();
  }
}

class Restoration {
  private readonly digests = new Map<string, TableDigest>();
  private tables: readonly StoredTable[] = [];

  constructor(
    private readonly client: pg.Client,
    private readonly archive: ArchiveReader,
    private readonly onBuilt: (done: number) => void,
  ) {}

  async run(): Promise<RestoreReport> {
    const header = readHeader(await this.archive.object());
    await this.client.query('BEGIN');
    await this.client.query(SETTINGS);
    await assertOnlyRestore(this.client);
    await this.assertSameSchema(header);
    this.tables = await storedTables(this.client);
    await claimEmptyTables(this.client, this.tables);
    // The backup contains totals as the tables do: triggers would count everything twice.
    const postData = await PostData.drop(this.client);
    // COPY can freeze the rows of a table that the same transaction has truncated: later scans, of the keys first, need
    // not look up whether a row is visible.
    await this.client.query(`TRUNCATE ${this.tables.map(({ name }) => this.client.escapeIdentifier(name)).join(', ')}`);
    const manifest = await this.load();
    this.compare(manifest);
    await postData.buildKeys(this.onBuilt);
    const pendingStages = (await this.client.query(RELEASE_STAGES)).rowCount ?? 0;
    await this.setSequences(manifest);
    await this.client.query(BEGIN_BRANCH);
    await postData.createTriggers();
    const stockChecked = await this.assertStockIsWhole();
    await this.client.query('COMMIT');
    // Once, after the indexes: those on expressions have statistics too. Table sizes, which plan the checks above, are
    // known from the index builds.
    await this.client.query('ANALYZE');
    const tables = Object.fromEntries([...this.digests].map(([name, { rows }]) => [name, rows]));
    return { takenAt: header.taken_at, schema: header.migrations.at(-1) ?? '', tables, stockChecked, pendingStages };
  }

  private async assertSameSchema({ migrations }: ArchiveHeader): Promise<void> {
    const here = await appliedMigrations(this.client);
    if (here.join() === migrations.join()) return;
    throw new BackupUnusable(
      `The backup has the schema ${migrations.at(-1)}, this version of the service has ${here.at(-1)}: ` +
        `restore it with the version that took it, then migrate.`,
    );
  }

  /** Loads everything after the first line. */
  private async load(): Promise<ArchiveManifest> {
    for (;;) {
      const next = await this.archive.object();
      if (typeof next['table'] !== 'string') {
        await this.archive.finish();
        return readManifest(next);
      }
      await this.loadTable(next['table'], next['columns'] as readonly string[]);
    }
  }

  private async loadTable(name: string, columns: readonly string[]): Promise<void> {
    const table = this.tables.find((known) => known.name === name);
    if (!table || this.digests.has(name) || !Array.isArray(columns)) throw notABackup();
    // By name: two databases with the same schema may order their columns differently.
    if (columns.toSorted().join() !== table.columns.toSorted().join()) throw notABackup();
    const hash = createHash('sha256');
    const rows = this.archive.rows();
    async function* hashed(): AsyncGenerator<Buffer> {
      for await (const chunk of rows) {
        hash.update(chunk);
        yield chunk;
      }
    }
    const target = copyTarget(this.client, { name, columns });
    const copy = this.client.query(
      copyFrom(`/* restore.copy */ COPY ${target} FROM STDIN WITH (ENCODING 'UTF8', FREEZE)`),
    );
    await pipeline(Readable.from(hashed()), copy).catch((error: unknown) => {
      // The database's own message quotes the value.
      throw REFUSED_VALUE.test((error as pg.DatabaseError).code ?? '') ? notABackup() : error;
    });
    this.digests.set(name, { rows: copy.rowCount, sha256: hash.digest('hex') });
  }

  private compare({ tables }: ArchiveManifest): void {
    for (const { name } of this.tables) {
      const [wanted, found] = [tables[name], this.digests.get(name)];
      if (!wanted || wanted.rows !== found?.rows || wanted.sha256 !== found.sha256) throw notABackup();
    }
  }

  private async setSequences({ sequences }: ArchiveManifest): Promise<void> {
    const known =
      '/* restore.sequences */ SELECT sequencename::text AS name FROM pg_sequences WHERE schemaname = current_schema()';
    const { rows } = await this.client.query<{ name: string }>(known);
    for (const [name, value] of Object.entries(sequences)) {
      if (!rows.some((sequence) => sequence.name === name)) throw notABackup();
      await this.client.query('/* restore.set_sequence */ SELECT setval($1::regclass, $2)', [
        this.client.escapeIdentifier(name),
        value,
      ]);
    }
  }

  private async assertStockIsWhole(): Promise<number> {
    const query = async (text: string, values: unknown[]) => (await this.client.query<never>(text, values)).rows;
    const { checked, differences } = await verifyStock(query, null);
    if (differences.length === 0) return checked;
    throw new BackupUnusable(`${differences.length} of ${checked} bins of the backup differ from the ledger.`);
  }
}

function readHeader(line: Readonly<Record<string, unknown>>): ArchiveHeader {
  if (line['format'] !== ARCHIVE_FORMAT || !Array.isArray(line['migrations'])) throw notABackup();
  if (line['version'] === ARCHIVE_VERSION) return line as unknown as ArchiveHeader;
  throw new BackupUnusable('The backup was taken by a newer version of the service: restore it with that.');
}

function readManifest(line: Readonly<Record<string, unknown>>): ArchiveManifest {
  const { tables, sequences } = line;
  if (!isObject(tables) || !Object.values(tables).every(isObject)) throw notABackup();
  if (!isObject(sequences) || !Object.values(sequences).every(isInteger)) throw notABackup();
  return line as unknown as ArchiveManifest;
}

function isInteger(value: unknown): boolean {
  return typeof value === 'string' && /^\d{1,19}$/.test(value);
}
