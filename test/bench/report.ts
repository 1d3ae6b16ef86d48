import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestDatabase } from '../support/test-database.js';

/**
 * An operator's settings for a small server with an SSD. All others are PostgreSQL's defaults, including durability
 * (fsync, synchronous_commit and full_page_writes are on).
 */
export const POSTGRES_SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '512MB',
  effective_cache_size: '2GB',
  maintenance_work_mem: '256MB',
  // Checkpoints are triggered by time, not by a full log.
  max_wal_size: '4GB',
  random_page_cost: '1.1',
};

/** The figures of a run, and the conditions that they depend on. */
export interface Run<Row> {
  readonly date: string;
  /** With a plus when the working tree had changes. */
  readonly commit: string;
  readonly machine: string;
  /** How the figures were measured. */
  readonly method: string;
  readonly rows: readonly Row[];
}

/** Rows of text; the first is the head. */
export type Table = readonly (readonly string[])[];

export async function runOf<Row>(database: TestDatabase, method: string, rows: readonly Row[]): Promise<Run<Row>> {
  const date = new Date().toISOString().slice(0, 10);
  return { date, commit: commitOf(), machine: await describeMachine(database), method, rows };
}

type RunName = 'results' | 'flatness' | 'webhooks';

const fileOf = (name: string) => path.join(import.meta.dirname, `${name}.json`);

/** The last full run, the source of docs/benchmarks.md. */
export function readRun<Row>(name: RunName): Run<Row> {
  return JSON.parse(readFileSync(fileOf(name), 'utf8')) as Run<Row>;
}

/** Writes one line for each row, and six digits of each figure. */
export function writeRun<Row>(name: RunName, { rows, ...conditions }: Run<Row>): void {
  const short = (_key: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value);
  const lines = rows.map((row) => `    ${JSON.stringify(row, short)}`).join(',\n');
  writeFileSync(fileOf(name), `${JSON.stringify(conditions, null, 2).slice(0, -2)},\n  "rows": [\n${lines}\n  ]\n}\n`);
}

export function conditionsOf({ method, machine, date, commit }: Run<unknown>): string {
  return `${method} ${machine}; ${date}, commit ${commit}.`;
}

/** A table for the terminal. */
export function aligned(rows: Table): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}

async function describeMachine(database: TestDatabase): Promise<string> {
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', ...Object.keys(POSTGRES_SETTINGS)];
  const [server] = await database.query<{ version: string; settings: string }>(
    `SELECT current_setting('server_version') AS version,
       (SELECT string_agg(name || ' ' || current_setting(name), ', ' ORDER BY n)
        FROM unnest($1::text[]) WITH ORDINALITY AS known (name, n)) AS settings`,
    [names],
  );
  const memory = Math.round(os.totalmem() / 2 ** 30);
  return (
    `${os.availableParallelism()} cores (${os.cpus()[0]?.model.trim()}), ${memory} GB, ` +
    `Node ${process.version.slice(1)}, PostgreSQL ${server?.version} (${server?.settings})`
  );
}

function commitOf(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') ? '+' : '');
}
