import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@store-commerce/embedded-postgres';
import { freePort } from '../../support/free-port.js';

/** The proof's own durable PostgreSQL, which can be killed and restarted. */
export interface PostgresServer {
  /** The same after every start. Contains the password. */
  readonly url: string;
  readonly dataDir: string;
  /** kill -9 of the postmaster; resolves when it is gone. Its sessions then end on their own. */
  kill(): Promise<void>;
  /** Shuts the server down; it can be started again. */
  stop(): Promise<void>;
  /** Starts again with the same files and the same port, after `kill` or `stop`. */
  start(): Promise<void>;
  /** Copies the files of the server, which has stopped, for a second server on another port. */
  copy(): Promise<PostgresServer>;
  /** Stops for good and deletes the files. */
  remove(): Promise<void>;
}

/** @param tuning settings unrelated to durability. */
export function startDurablePostgres(tuning: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  return serve(newDataDir(), tuning);
}

function newDataDir(): string {
  return mkdtempSync(path.join(tmpdir(), 'store-commerce-proof-'));
}

async function serve(dataDir: string, tuning: Readonly<Record<string, string>>): Promise<PostgresServer> {
  // Durability is the server's default. It is set explicitly because a proof without it would prove nothing.
  const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
  const settings = { ...tuning, ...durable, port: String(await freePort()) };
  const start = () => startEmbeddedPostgres({ dataDir, settings });
  let server: EmbeddedPostgres = await start();
  return {
    url: server.url,
    dataDir,
    kill: async () => {
      process.kill(Number.parseInt(readFileSync(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10), 'SIGKILL');
      await server.stop();
    },
    stop: () => server.stop(),
    start: async () => {
      server = await start();
    },
    copy: async () => {
      const copy = newDataDir();
      // Unlike cpSync, cp keeps the owner of the files.
      execFileSync('cp', ['-a', `${dataDir}/.`, copy]);
      return serve(copy, tuning);
    },
    remove: async () => {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
