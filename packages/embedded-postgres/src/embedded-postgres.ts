import { accessSync, constants, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { serverAccount } from './account.js';
import { findBinaries, installedBinaries } from './binaries.js';
import { openCluster, ROLE } from './cluster.js';
import { stopOrphans } from './orphan.js';
import { EmbeddedPostgresInUse, publishedUrl, takeOwnerLock, type OwnerLock } from './owner-lock.js';
import { startPostmaster, type Postmaster } from './postmaster.js';

export { EmbeddedPostgresInUse };

/** The operator must choose another data directory or change its permissions. The message is one line. */
export class DataDirUnusable extends Error {
  constructor(problem: string, options?: ErrorOptions) {
    super(`The data directory ${problem}.`, options);
  }
}

/** A PostgreSQL server that needs no installation: the programs come with the npm packages. */
export interface EmbeddedPostgres {
  /** Contains the password: never log it. */
  readonly url: string;
  /** Resolves when the server that this process started has ended, by `stop` or on its own. */
  readonly ended: Promise<void>;
  /**
   * Ends the use of the server, and stops it if this process started it. Safe to call more than once. A server that
   * `attachOrStartEmbeddedPostgres` started is stopped when the last process that attached has ended its use.
   */
  stop(): Promise<void>;
}

/** The location and settings of the server. */
export interface EmbeddedPostgresOptions {
  /** The directory is created if absent. It holds the cluster, its password, and the URL of the running server. */
  readonly dataDir: string;
  /** The database is created if absent. The default is `store`. */
  readonly database?: string;
  /**
   * PostgreSQL settings that override the durable defaults. `port` fixes the port; by default, any free one is used.
   * Every user of the machine can see the settings, so they must contain no secrets.
   */
  readonly settings?: Readonly<Record<string, string>>;
}

/** How long an attaching process waits for another one that starts or stops. */
const ATTACH_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
/**
 * An advisory lock of the database `postgres`. A process that attached shares it until it stops or dies; the process that
 * stops the server takes it alone.
 */
const IN_USE = 1;

/**
 * Starts the server on `<dataDir>/postgres`. The server ends with this process, even when this process is killed.
 *
 * @throws EmbeddedPostgresInUse when another live process owns it.
 * @throws Error with the reason when the server does not start, or this platform has no packaged server.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { database = 'store', settings = {} } = options;
  const native = installedBinaries();
  const dataDir = makeDataDir(options.dataDir);
  const lock = takeOwnerLock(dataDir);
  try {
    const account = serverAccount(dataDir);
    const { postgres, initdb } = await findBinaries(native, account);
    const cluster = await openCluster({ dataDir, account, initdb, durable: settings['fsync'] !== 'off' });
    await stopOrphans(cluster.directory);
    const postmaster = await startPostmaster({ postgres, cluster: cluster.directory, account, settings });
    const url = `postgres://${ROLE}:${cluster.password}@127.0.0.1:${postmaster.port}/${database}`;
    await publish(url, database, lock, postmaster);
    return { url, ...lifeOf(postmaster, lock) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Attaches to the server that another process of the project runs on this data directory, or starts one.
 *
 * @throws EmbeddedPostgresInUse when the other process neither publishes its server nor ends within 30 s.
 */
export async function attachOrStartEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = makeDataDir(options.dataDir);
  const giveUpAt = performance.now() + ATTACH_TIMEOUT_MS;
  for (;;) {
    const running = await attach(dataDir, options.database);
    if (running !== undefined) return running;
    try {
      return lastToLeave(await startEmbeddedPostgres(options));
    } catch (error) {
      // The owner is starting or stopping its server, or another process won the race to start one.
      if (!(error instanceof EmbeddedPostgresInUse) || performance.now() > giveUpAt) throw error;
      await delay(POLL_MS);
    }
  }
}

/** Makes the directory private from the first moment, without changing the permissions of its parents. */
function makeDataDir(path: string): string {
  const dataDir = resolve(path);
  try {
    mkdirSync(dirname(dataDir), { recursive: true });
    mkdirSync(dataDir, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' || !existsSync(dataDir)) throw new DataDirUnusable(`${dataDir} cannot be created (${code})`);
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const advice = 'start as its owner, or choose another data directory with DATA_DIR';
    throw new DataDirUnusable(`${dataDir} is not writable by this user: ${advice}`, { cause });
  }
  return realpathSync(dataDir);
}

/** Shows the server to other processes as soon as it has the database. */
async function publish(url: string, database: string, lock: OwnerLock, postmaster: Postmaster): Promise<void> {
  const session = maintenanceSession(url);
  try {
    await session.connect();
    await ensureDatabase(session, database);
    lock.publish(url);
  } catch (error) {
    await postmaster.stop();
    throw error;
  } finally {
    await session.end();
  }
}

function lifeOf(postmaster: Postmaster, lock: OwnerLock): Pick<EmbeddedPostgres, 'ended' | 'stop'> {
  // The lock is released even when the server dies: the next process to start it, here or elsewhere, must find the
  // directory free.
  const ended = postmaster.ended.then(() => lock.release());
  // stop() reports the error; a process that never calls it must not end because of it.
  ended.catch(() => undefined);
  return { ended, stop: () => postmaster.stop().then(() => ended) };
}

/** Returns `undefined` when no server runs, or when it is stopping or starting again. */
async function attach(dataDir: string, database = 'store'): Promise<EmbeddedPostgres | undefined> {
  const published = publishedUrl(dataDir);
  if (published === undefined) return undefined;
  const url = new URL(published);
  url.pathname = `/${database}`;
  const session = maintenanceSession(published);
  try {
    await session.connect();
    if (await tryLock(session, 'pg_try_advisory_lock_shared')) {
      await ensureDatabase(session, database);
      // The server of an owner that has died answers until the watchdog ends it.
      if (publishedUrl(dataDir) === published) {
        return { url: url.href, ended: new Promise(() => undefined), stop: () => session.end() };
      }
    }
  } catch (error) {
    // Retrying solves no other problem.
    if (!isUnavailable(error)) {
      await session.end();
      throw error;
    }
  }
  await session.end();
  return undefined;
}

/** Stops the server only when no other process uses it: processes that attach in the meantime are served. */
function lastToLeave(server: EmbeddedPostgres): EmbeddedPostgres {
  const stop = async (): Promise<void> => {
    const session = maintenanceSession(server.url);
    try {
      await session.connect();
      while (!(await tryLock(session, 'pg_try_advisory_lock'))) await delay(POLL_MS);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    } finally {
      await server.stop();
      await session.end();
    }
  };
  let stopped: Promise<void> | undefined;
  return { ...server, stop: () => (stopped ??= stop()) };
}

async function tryLock(session: pg.Client, attempt: string): Promise<boolean> {
  const { rows } = await session.query<{ done: boolean }>(`SELECT ${attempt}(${IN_USE}) AS done`);
  return rows[0]?.done === true;
}

/** Whether the error means that the server is stopping, has stopped, or does not accept sessions yet. */
function isUnavailable(error: unknown): boolean {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03'].includes(code) ||
    /^Connection terminated/.test(message)
  );
}

/** Creates the database if it is absent. Two processes may call this at the same moment. */
async function ensureDatabase(session: pg.Client, database: string): Promise<void> {
  try {
    const { rowCount } = await session.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (rowCount === 0) await session.query(`CREATE DATABASE ${session.escapeIdentifier(database)}`);
  } catch (error) {
    if ((error as pg.DatabaseError).code !== '42P04' && (error as pg.DatabaseError).code !== '23505') throw error;
  }
}

/** Opens a session on the database `postgres` of the same server. */
function maintenanceSession(url: string): pg.Client {
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  const session = new pg.Client({ connectionString: maintenance.href, connectionTimeoutMillis: 10_000 });
  // The failing query reports a server that ends in the meantime; an unhandled event would end the process.
  session.on('error', () => undefined);
  return session;
}
