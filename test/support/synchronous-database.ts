import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@store-commerce/embedded-postgres';
import { migrate } from '@app/infrastructure';
import pg from 'pg';
import { eventually } from './eventually.js';
import { startStandby } from './standby.js';
import type { TestDatabase } from './test-database.js';

export interface SynchronousDatabase extends TestDatabase {
  addStandby(): Promise<{
    readonly url: string;
    freeze(): Promise<void>;
    promote(): Promise<void>;
    stop(): Promise<void>;
  }>;
  /** Makes commits wait for standbys with these names; '' = for none, which also ends the waits. */
  waitFor(names: string): Promise<void>;
  waiting(): Promise<number[]>;
  /** Ends each wait, from now on, with this function of PostgreSQL. Returns a function that stops it. */
  endWaits(how: 'pg_cancel_backend' | 'pg_terminate_backend'): () => Promise<void>;
}

// Commits wait for a standby only with `synchronous_commit`. The test's own must not wait.
const SETTINGS = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'on' };
const OWN_SESSIONS = '-c synchronous_commit=local';

export async function startSynchronousDatabase(): Promise<SynchronousDatabase> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'store-commerce-synchronous-'));
  await chmod(home, 0o711);
  const dataDir = path.join(home, 'primary');
  const server = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
  const standbys: EmbeddedPostgres[] = [];
  await migrate(server.url);
  const pool = open(server.url, OWN_SESSIONS);
  const query = async <Row>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as Row[];
  const waiting = async () =>
    (await query<{ pid: number }>(`SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)).map(
      ({ pid }) => pid,
    );

  const commitWaits = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: server.url, application_name: 'probe' });
    await client.connect();
    let isCommitted = false;
    const commit = client.query(`SELECT pg_logical_emit_message(true, 'probe', '')`).then(() => (isCommitted = true));
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
      WHERE wait_event = 'SyncRep' AND application_name = 'probe'`;
    let isCancelled = false;
    while (!isCommitted && !isCancelled) isCancelled = (await query(cancel)).length > 0;
    await commit;
    await client.end();
    return isCancelled;
  };

  return {
    url: server.url,
    query,
    waiting,
    waitFor: async (names) => {
      await query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
      await query('SELECT pg_reload_conf()');
      await eventually(async () => {
        const [row] = await query<{ names: string }>(`SELECT current_setting('synchronous_standby_names') AS names`);
        if (row?.names !== names || (names === '' && (await waiting()).length > 0)) throw new Error('not yet reloaded');
        // The checkpointer publishes the setting to the commits, later than sessions read it.
        const isStreaming = (await query('SELECT FROM pg_stat_replication')).length > 0;
        if (!isStreaming && (await commitWaits()) !== (names !== '')) throw new Error('not yet published');
      });
    },
    endWaits: (how) => {
      let isStopped = false;
      const work = (async () => {
        while (!isStopped) {
          for (const pid of await waiting()) await query(`SELECT ${how}($1)`, [pid]);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      return async () => {
        isStopped = true;
        await work;
      };
    },
    addStandby: async () => {
      const standby = await startStandby(
        { url: server.url, dataDir },
        path.join(home, `standby-${standbys.length}`),
        SETTINGS,
      );
      standbys.push(standby);
      const own = open(standby.url);
      await eventually(async () => {
        const [row] = await query('SELECT FROM pg_stat_replication WHERE state = $1', ['streaming']);
        if (!row) throw new Error('The standby does not stream yet');
      });
      return {
        url: standby.url,
        // Streaming ends; the server stays up, as the survivor of a lost network.
        freeze: async () => {
          await own.query(`ALTER SYSTEM SET primary_conninfo = ''`);
          await own.query('SELECT pg_reload_conf()');
          await eventually(async () => {
            if ((await query('SELECT FROM pg_stat_replication')).length > 0) throw new Error('still streaming');
          });
        },
        stop: () => standby.stop(),
        promote: async () => {
          await own.query('SELECT pg_promote()');
          await own.end();
        },
      };
    },
    drop: async () => {
      await pool.end();
      for (const standby of standbys) await standby.stop();
      await server.stop();
      await rm(home, { recursive: true });
    },
  };
}

function open(url: string, options?: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 3, ...(options && { options }) });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
