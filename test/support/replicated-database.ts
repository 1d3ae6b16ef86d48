import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { migrate } from '@app/infrastructure';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@app/embedded-postgres';
import pg from 'pg';
import { eventually } from './eventually.js';
import { startStandby } from './standby.js';

/** A migrated database and a server that follows it by streaming replication. */
export interface ReplicatedDatabase {
  readonly primary: pg.Pool;
  readonly primaryUrl: string;
  readonly standby: pg.Pool;
  readonly standbyUrl: string;
  /** Stops the standby, and starts it at another address. */
  restartStandby(): Promise<void>;
  /**
   * Promotes the standby. The old primary writes more rows, crashes and recovers.
   *
   * @returns the new address of the old primary.
   */
  failOver(): Promise<string>;
  stop(): Promise<void>;
}

const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off' };

export async function startReplicatedDatabase(): Promise<ReplicatedDatabase> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'store-commerce-replicated-'));
  await chmod(home, 0o711);
  const primaryDir = path.join(home, 'primary');
  const standbyDir = path.join(home, 'standby');
  let primaryServer = await startEmbeddedPostgres({ dataDir: primaryDir, settings: NOT_DURABLE });
  await migrate(primaryServer.url);
  let standbyServer = await startStandby({ url: primaryServer.url, dataDir: primaryDir }, standbyDir, NOT_DURABLE);
  const primary = connect(primaryServer);
  let standby = connect(standbyServer);
  const stopStandby = async () => {
    await standby.end();
    await standbyServer.stop();
  };
  const failOver = async () => {
    const { rows } = await primary.query<{ position: string }>('SELECT pg_current_wal_insert_lsn() AS position');
    await eventually(async () => {
      const caughtUp = await standby.query('SELECT 1 WHERE pg_last_wal_replay_lsn() >= $1::pg_lsn', [
        rows[0]?.position,
      ]);
      if (caughtUp.rowCount === 0) throw new Error('The standby has not caught up');
    });
    await standby.query('SELECT pg_promote()');
    await primary.query('CREATE TABLE written_after AS SELECT generate_series(1, 100000)');
    const [pid] = (await readFile(path.join(primaryDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGQUIT');
    await primaryServer.ended.catch(() => undefined);
    primaryServer = await startEmbeddedPostgres({ dataDir: primaryDir, settings: NOT_DURABLE });
    return primaryServer.url;
  };
  return {
    primary,
    primaryUrl: primaryServer.url,
    get standby() {
      return standby;
    },
    get standbyUrl() {
      return standbyServer.url;
    },
    restartStandby: async () => {
      await stopStandby();
      standbyServer = await startEmbeddedPostgres({ dataDir: standbyDir, settings: NOT_DURABLE });
      standby = connect(standbyServer);
    },
    failOver,
    stop: async () => {
      await stopStandby();
      await primary.end();
      await primaryServer.stop();
      await rm(home, { recursive: true });
    },
  };
}

function connect({ url }: EmbeddedPostgres): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
