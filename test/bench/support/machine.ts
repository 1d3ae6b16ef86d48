import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import type { TestDatabase } from '../../support/test-database.js';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly node: string;
  readonly postgres: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly commit: string;
}

const SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size'];

/** What the figures depend on. */
export async function describeMachine(database: TestDatabase): Promise<Machine> {
  const settings = await database.query<{ name: string; value: string }>(
    `SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name`,
    [SETTINGS],
  );
  const [version] = await database.query<{ server_version: string }>('SHOW server_version');
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    postgres: version?.server_version ?? 'unknown',
    settings: Object.fromEntries(settings.map(({ name, value }) => [name, value])),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  };
}
