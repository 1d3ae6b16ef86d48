import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestDatabase } from '../../support/test-database.js';
import type { TcpProxy } from '../../support/tcp-proxy.js';
import type { ProofContext, Random } from '../support/proof.js';

export interface Trouble {
  readonly name: string;
  readonly lastsMs: number;
  /** Whether it also affects services that bypass the proxy. */
  readonly hitsAll?: true;
  /** Whether no route under /v1 can succeed while it lasts. */
  readonly isOutage?: boolean;
  /** Whether the database neither answers nor disconnects. */
  readonly isSilent?: true;
  /** Whether the readiness probe must notice the fault, which takes up to 8 s. */
  readonly showsInReadiness?: boolean;
  /**
   * The time after which the service must succeed again although the fault continues. By default, this is when the
   * fault ends.
   */
  readonly healsAfterMs?: number;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

/** The server accepts no further connection of the service: every request must succeed on those that it has. */
export const FULL: Trouble = {
  name: 'PostgreSQL full',
  lastsMs: 10_000,
  healsAfterMs: 0,
  begin: () => undefined,
  end: () => undefined,
};

/** @param resets how many statements of the proxy pass for each one that resets its connection; 0 resets all. */
export function troublesOf(
  { form, rig, random }: ProofContext,
  proxy: TcpProxy,
  resets: { oneIn: number },
): readonly Trouble[] {
  const { database, server } = rig;
  // Specs test the others: silent-commit, silent-connections and crowded-database.
  if (form === 'quick') return [cut(proxy, 800), terminated(database, random, 800)];
  if (!server) throw new Error('dbdown stops PostgreSQL, so it needs its own server: run it without DATABASE_URL');
  return [
    {
      ...{ name: 'PostgreSQL stopped', lastsMs: 30_000, hitsAll: true, isOutage: true, showsInReadiness: true },
      begin: () => server.stop(),
      end: () => server.start(),
    },
    terminated(database, random, 15_000),
    locked(database, 'api_keys'),
    locked(database, 'stock'),
    locked(database, 'orders'),
    slow(proxy, 40),
    slow(proxy, 400),
    {
      ...{ name: '1 of 20 statements reset', lastsMs: 10_000 },
      begin: () => void (resets.oneIn = 20),
      end: () => void (resets.oneIn = 0),
    },
    cut(proxy, 5_000),
    frozen(proxy, 12_000),
    frozen(proxy, 2_000),
    {
      // This is what happens when a firewall drops their state. New connections work.
      ...{ name: 'open connections frozen', lastsMs: 10_000, isSilent: true, healsAfterMs: 5_000 },
      begin: () => proxy.freezeOpenConnections(),
      end: () => proxy.restore(),
    },
  ];
}

function terminated(database: TestDatabase, random: Random, lastsMs: number): Trouble {
  let isOn = true;
  let loop: Promise<void> = Promise.resolve();
  const terminate = async () => {
    while (isOn) {
      await database.query(
        `SELECT pg_terminate_backend(pid) FROM (
           SELECT pid FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'store-commerce' ORDER BY pid
           OFFSET $1 LIMIT 1) AS victim`,
        [random(8)],
      );
      await delay(random(100));
    }
  };
  const end = () => {
    isOn = false;
    return loop;
  };
  return { name: 'sessions terminated', lastsMs, hitsAll: true, begin: () => void (loop = terminate()), end };
}

function locked(database: TestDatabase, table: string): Trouble {
  const client = new pg.Client({ connectionString: database.url });
  const begin = async () => {
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  };
  // Every request looks up its key.
  const isOutage = table === 'api_keys';
  return { name: `${table} locked`, lastsMs: 8_000, hitsAll: true, isOutage, begin, end: () => client.end() };
}

function slow(proxy: TcpProxy, latencyMs: number): Trouble {
  const name = `${latencyMs} ms latency each way`;
  return { name, lastsMs: 8_000, begin: () => proxy.delay(latencyMs), end: () => proxy.delay(0) };
}

function cut(proxy: TcpProxy, lastsMs: number): Trouble {
  return { name: 'cut off', lastsMs, isOutage: true, begin: () => proxy.cut(), end: () => proxy.restore() };
}

function frozen(proxy: TcpProxy, lastsMs: number): Trouble {
  const seen = { isOutage: true, isSilent: true, showsInReadiness: lastsMs > 8_500 } as const;
  return { ...seen, name: `frozen ${lastsMs} ms`, lastsMs, begin: () => proxy.freeze(), end: () => proxy.restore() };
}
