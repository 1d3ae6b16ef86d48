import { execFileSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import type { TestDatabase } from '../../support/test-database.js';
import { POSTGRES_SETTINGS } from '../support/postgres-settings.js';

/** The environment that the figures depend on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  readonly postgres: string;
  /** As the server reports them. */
  readonly settings: Readonly<Record<string, string>>;
}

const DURABLE = ['fsync', 'synchronous_commit', 'full_page_writes'];

export async function describeMachine(database: TestDatabase): Promise<Machine> {
  const [server] = await database.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
  const settings = await database.query<{ name: string; value: string }>(
    `SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name`,
    [[...DURABLE, ...Object.keys(POSTGRES_SETTINGS)]],
  );
  return {
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    postgres: server?.version ?? 'unknown',
    settings: Object.fromEntries(settings.map(({ name, value }) => [name, value])),
  };
}

/** The commit of the working tree, with a plus when it has changes. */
export function commitOf(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: path.resolve(import.meta.dirname, '../../..'), encoding: 'utf8' }).trim();
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') ? '+' : '');
  } catch {
    return 'unknown';
  }
}
