import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestDatabase } from '../../../support/test-database.js';
import type { TcpProxy } from '../../../support/tcp-proxy.js';
import type { PostgresServer } from '../postgres-server.js';

/** One kind of database fault. */
export interface Trouble {
  readonly name: string;
  readonly lastsMs: number;
  /** Whether it also affects services that bypass the proxy. */
  readonly hitsAll: boolean;
  /** Whether no route under /v1 can succeed while it lasts. */
  readonly isOutage: boolean;
  /** Whether the database neither answers nor disconnects. */
  readonly isSilent: boolean;
  /** Whether the readiness probe must notice the fault, which takes up to 8 s. */
  readonly showsInReadiness: boolean;
  /** The time after which the service must succeed again although the fault lasts; `null` = when the fault ends. */
  readonly healsAfterMs: number | null;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

const SERVER = { hitsAll: true, isOutage: false, isSilent: false, showsInReadiness: false, healsAfterMs: null };
const LINK = { hitsAll: false, isOutage: false, isSilent: false, showsInReadiness: false, healsAfterMs: null };

export function stopped(server: PostgresServer, lastsMs: number): Trouble {
  const name = `PostgreSQL stopped ${lastsMs / 1_000} s`;
  const shows = { isOutage: true, showsInReadiness: true };
  return { ...SERVER, ...shows, name, lastsMs, begin: () => server.stop(), end: () => server.start() };
}

/** The server accepts no further connection of the service: every request must succeed on those that it has. */
export function full(lastsMs: number): Trouble {
  const nothing = () => undefined;
  return { ...LINK, name: 'PostgreSQL full', healsAfterMs: 0, lastsMs, begin: nothing, end: nothing };
}

/** Repeatedly terminates one random session of the services. */
export function terminated(database: TestDatabase, random: (below: number) => number, lastsMs: number): Trouble {
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
  return { ...SERVER, name: 'sessions terminated at random', lastsMs, begin: () => void (loop = terminate()), end };
}

/** Every request that needs the table waits, and each holds a connection of the pool. */
export function locked(database: TestDatabase, table: string, lastsMs: number): Trouble {
  const client = new pg.Client({ connectionString: database.url });
  const begin = async () => {
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  };
  // Every request looks up its key.
  const isOutage = table === 'api_keys';
  return { ...SERVER, isOutage, name: `${table} locked`, lastsMs, begin, end: () => client.end() };
}

export function slow(proxy: TcpProxy, latencyMs: number, lastsMs: number): Trouble {
  const begin = () => proxy.delay(latencyMs);
  return { ...LINK, name: `${latencyMs} ms latency each way`, lastsMs, begin, end: () => proxy.delay(0) };
}

/** Resets a connection in the middle of its work, every so many statements. */
export function reset(resets: { oneIn: number }, oneIn: number, lastsMs: number): Trouble {
  const set = (value: number) => () => void (resets.oneIn = value);
  return { ...LINK, name: `1 of ${oneIn} statements reset`, lastsMs, begin: set(oneIn), end: set(0) };
}

/** Resets every connection, including new ones. */
export function cut(proxy: TcpProxy, lastsMs: number): Trouble {
  const name = `cut off ${lastsMs / 1_000} s`;
  return { ...LINK, isOutage: true, name, lastsMs, begin: () => proxy.cut(), end: () => proxy.restore() };
}

/** The database accepts connections but sends nothing. */
export function frozen(proxy: TcpProxy, lastsMs: number): Trouble {
  const name = `frozen ${lastsMs / 1_000} s`;
  const shows = { isOutage: true, isSilent: true, showsInReadiness: lastsMs > 8_500 };
  return { ...LINK, ...shows, name, lastsMs, begin: () => proxy.freeze(), end: () => proxy.restore() };
}

/** Open connections go silent, as when a firewall drops their state. New ones work. */
export function forgotten(proxy: TcpProxy, healsAfterMs: number, lastsMs: number): Trouble {
  const name = `open connections frozen ${lastsMs / 1_000} s`;
  const begin = () => proxy.freezeOpenConnections();
  return { ...LINK, isSilent: true, healsAfterMs, name, lastsMs, begin, end: () => proxy.restore() };
}
