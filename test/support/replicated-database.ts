import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres, migrate, type EmbeddedPostgres } from '@app/infrastructure';
import pg from 'pg';
import { startStandby } from './standby.js';

/** A migrated database and a server that follows it by streaming replication. */
export interface ReplicatedDatabase {
  readonly primary: pg.Pool;
  readonly primaryUrl: string;
  readonly standby: pg.Pool;
  readonly standbyUrl: string;
  stopStandby(): Promise<void>;
  stop(): Promise<void>;
}

const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off' };

export async function startReplicatedDatabase(): Promise<ReplicatedDatabase> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'store-commerce-replicated-'));
  await chmod(home, 0o711);
  const primaryDir = path.join(home, 'primary');
  const standbyDir = path.join(home, 'standby');
  const primaryServer = await startEmbeddedPostgres({ dataDir: primaryDir, settings: NOT_DURABLE });
  await migrate(primaryServer.url);
  const standbyServer = await startStandby({ url: primaryServer.url, dataDir: primaryDir }, standbyDir, NOT_DURABLE);
  const primary = connect(primaryServer);
  const standby = connect(standbyServer);
  const stopStandby = async () => {
    await standby.end();
    await standbyServer.stop();
  };
  return {
    primary,
    primaryUrl: primaryServer.url,
    standby,
    standbyUrl: standbyServer.url,
    stopStandby,
    stop: async () => {
      if (!standby.ended) await stopStandby();
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
