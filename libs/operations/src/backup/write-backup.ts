import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { withOwnClient, writeWholeFile } from '@app/infrastructure';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  END_OF_ROWS,
  type ArchiveHeader,
  type ArchiveManifest,
  type TableDigest,
  type TableHeader,
} from './archive.js';
import { appliedMigrations, copyTarget, storedTables, type StoredTable } from './stored-tables.js';

export interface BackupOptions {
  /** Aborts the backup and removes its file. */
  readonly signal?: AbortSignal;
  /** Receives the fraction done, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
}

export interface BackupReport {
  /** Size of the file. */
  readonly bytes: number;
  /** The moment of the snapshot. */
  readonly takenAt: string;
  /** Name of the newest migration. */
  readonly schema: string;
  /** Rows by table. */
  readonly tables: Readonly<Record<string, number>>;
}

const NO_LIMITS = 'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0';

// Sequences are not part of a snapshot: read last, they are beyond every copied id.
const SEQUENCES = `/* backup.sequences */
  SELECT sequencename::text AS name, last_value::text AS value FROM pg_sequences
  WHERE schemaname = current_schema() AND last_value IS NOT NULL
  ORDER BY sequencename`;

/**
 * Copies all rows of all tables, as of one moment, to a file that only its owner can read. It blocks no other process,
 * and its memory does not grow with the database. The file gets its name only when it is complete.
 *
 * @throws Error when the file already exists or cannot be written.
 */
export async function writeBackup(url: string, file: string, options: BackupOptions = {}): Promise<BackupReport> {
  const content = await writeWholeFile(file, (draft) =>
    withOwnClient(url, 'store-commerce-backup', (client) => inSnapshot(client, draft, options)),
  );
  return { bytes: (await stat(file)).size, ...content };
}

async function inSnapshot(client: pg.Client, draft: string, options: BackupOptions) {
  const listed = await storedTables(client);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(NO_LIMITS);
  // Before the snapshot, which the first reading statement takes: no table can change its columns, or be dropped,
  // between its description and its rows.
  const names = [...listed.map(({ name }) => name), 'migrations'].map((name) => client.escapeIdentifier(name));
  await client.query(`LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`);
  const tables = await storedTables(client);
  if (tables.some(({ name }) => !listed.some((known) => known.name === name))) {
    throw new Error('The schema was changed at this moment: take the backup again.');
  }
  const archive = new ArchiveWriter(client, tables, options.onProgress ?? (() => undefined));
  const target = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(Readable.from(archive.bytes()), createGzip(), target, { signal: options.signal });
  await client.query('COMMIT');
  return archive.report();
}

class ArchiveWriter {
  private readonly digests = new Map<string, TableDigest>();
  private header: ArchiveHeader | null = null;

  constructor(
    private readonly client: pg.Client,
    private readonly tables: readonly StoredTable[],
    private readonly onProgress: (done: number) => void,
  ) {}

  async *bytes(): AsyncGenerator<Buffer> {
    this.header = await this.begin();
    yield line(this.header);
    let before = 0;
    const total = Math.max(1, sum(this.tables));
    for (const table of this.tables) {
      yield line({ table: table.name, columns: table.columns } satisfies TableHeader);
      // The text length of a table is unknown in advance: its size on disk stands for it.
      yield* this.rows(table, (bytes) => this.onProgress((before + Math.min(bytes, table.size)) / total));
      yield END_OF_ROWS;
      before += table.size;
    }
    const { rows: sequences } = await this.client.query<{ name: string; value: string }>(SEQUENCES);
    yield line({
      tables: Object.fromEntries(this.digests),
      sequences: Object.fromEntries(sequences.map(({ name, value }) => [name, value])),
    } satisfies ArchiveManifest);
  }

  report(): Omit<BackupReport, 'bytes'> {
    const tables = Object.fromEntries([...this.digests].map(([name, { rows }]) => [name, rows]));
    return { takenAt: this.header?.taken_at ?? '', schema: this.header?.migrations.at(-1) ?? '', tables };
  }

  private async begin(): Promise<ArchiveHeader> {
    const migrations = await appliedMigrations(this.client);
    const { rows } = await this.client.query<{ now: Date }>('/* backup.now */ SELECT now()');
    const takenAt = rows[0]?.now.toISOString() ?? '';
    return { format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, taken_at: takenAt, migrations };
  }

  private async *rows(table: StoredTable, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
    const hash: Hash = createHash('sha256');
    let bytes = 0;
    const copy = this.client.query(copyTo(`/* backup.copy */ COPY ${copyTarget(this.client, table)} TO STDOUT`));
    for await (const chunk of copy as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
      onBytes(bytes);
      yield chunk;
    }
    this.digests.set(table.name, { rows: copy.rowCount, sha256: hash.digest('hex') });
  }
}

function line(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function sum(tables: readonly StoredTable[]): number {
  return tables.reduce((total, { size }) => total + size, 0);
}
