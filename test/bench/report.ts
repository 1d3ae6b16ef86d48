import { execFileSync } from 'node:child_process';
import os from 'node:os';
import type { TestDatabase } from '../support/test-database.js';

/** Settings for a small server with an SSD. All others are PostgreSQL's defaults, including durability. */
export const POSTGRES_SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '512MB',
  effective_cache_size: '2GB',
  maintenance_work_mem: '256MB',
  // Checkpoints are triggered by time, not by a full log.
  max_wal_size: '4GB',
  random_page_cost: '1.1',
};

export const PRODUCTION = { NODE_ENV: 'production', DATA_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64') };

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
  return { median, min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN };
}

export function spreadText({ median, min, max }: Spread, unit = ''): string {
  return `${short(median)}${unit} (${short(min)}–${short(max)})`;
}

export function verdictOf(found: number, goal: Goal | null, unit = ''): string {
  if (goal === null) return '–';
  const [sign, limit, missing] =
    'atLeast' in goal ? ['≥', goal.atLeast, goal.atLeast - found] : ['≤', goal.atMost, found - goal.atMost];
  // A goal missed by a tiny margin is still missed.
  return `${sign} ${short(limit)}${unit}: ${missing > 0 ? `missed by ${short(missing)}${unit}` : 'met'}`;
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number };

function short(value: number): string {
  return value.toFixed(value < 0.005 ? 4 : value < 10 ? 2 : 0);
}

export type Table = readonly (readonly string[])[];

export async function printRun(database: TestDatabase, method: string, [head = [], ...rows]: Table): Promise<void> {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
  const date = new Date().toISOString().slice(0, 10);
  process.stdout.write(
    `${lines.join('')}\n${method} ${await describeMachine(database)}; ${date}, commit ${commitOf()}.\n`,
  );
}

async function describeMachine(database: TestDatabase): Promise<string> {
  const names = Object.keys(POSTGRES_SETTINGS);
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
