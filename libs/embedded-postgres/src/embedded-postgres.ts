import { accessSync, constants, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { serverAccount } from './account.js';
import { findBinaries, installedBinaries } from './binaries.js';
import { openCluster, ROLE } from './cluster.js';
import { stopOrphans } from './orphan.js';
import { currentOwner, EmbeddedPostgresInUse, takeOwnership, type Ownership } from './ownership.js';
import { startPostmaster, type Postmaster } from './postmaster.js';
import { isElsewhere } from './running-process.js';
import { readState, removeState, writeState } from './state-file.js';

export { EmbeddedPostgresInUse };

/** A directory that whoever starts the process has to choose anew, or to open. Its message is one line. */
export class DataDirUnusable extends Error {
  constructor(problem: string, options?: ErrorOptions) {
    super(`The data directory ${problem}.`, options);
  }
}

/** A PostgreSQL server that needs no installation: the programs come with the npm packages. */
export interface EmbeddedPostgres {
  /** Contains the password: never log it. */
  readonly url: string;
  /** Resolves when the server that this process started has ended, by `stop` or by itself. */
  readonly ended: Promise<void>;
  /** Stops the server if this process started it; otherwise does nothing. May be called more than once. */
  stop(): Promise<void>;
}

/** What to run, and where. */
export interface EmbeddedPostgresOptions {
  /** Made if absent. Holds the cluster, its password, and the address of the running server. */
  readonly dataDir: string;
  /** Made if absent. Default: `store`. */
  readonly database?: string;
  /**
   * PostgreSQL settings over the defaults, which are durable; `port` fixes the port, which is a free one otherwise.
   * Visible to every user of the machine: no secrets.
   */
  readonly settings?: Readonly<Record<string, string>>;
}

/** How long another process may take to start or stop before one that wants to attach gives up. */
const ATTACH_TIMEOUT_MS = 30_000;

/**
 * Starts the server on `<dataDir>/postgres`. It ends with this process, however this process ends.
 *
 * @throws EmbeddedPostgresInUse when another live process owns it.
 * @throws Error with the reason when it does not start, or no server is packaged for this platform.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const native = installedBinaries();
  const dataDir = makeDataDir(options.dataDir);
  const ownership = await takeOwnership(dataDir);
  try {
    return await startOwned({ ...options, dataDir }, native, ownership);
  } catch (error) {
    letGo(dataDir, ownership);
    throw error;
  }
}

/**
 * Attaches to the server another process of the project runs on this data directory, or starts one.
 *
 * @throws EmbeddedPostgresInUse when the other process neither publishes its server nor ends within 30 s.
 */
export async function attachOrStartEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = makeDataDir(options.dataDir);
  const giveUp = performance.now() + ATTACH_TIMEOUT_MS;
  for (;;) {
    const url = await urlOfRunningServer(dataDir, options.database);
    if (url !== undefined) return { url, ended: new Promise(() => undefined), stop: () => Promise.resolve() };
    try {
      return await startEmbeddedPostgres(options);
    } catch (error) {
      // The owner is just starting or stopping its server, or another process won the race to start one.
      if (!(error instanceof EmbeddedPostgresInUse) || performance.now() > giveUp) throw error;
      await delay(50);
    }
  }
}

/** Private from its first moment; directories above it are not ours to close. */
function makeDataDir(path: string): string {
  const dataDir = resolve(path);
  try {
    mkdirSync(dirname(dataDir), { recursive: true });
    mkdirSync(dataDir, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' || !existsSync(dataDir)) throw new DataDirUnusable(`${dataDir} cannot be made (${code})`);
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const advice = 'start as its owner, or choose another data directory with DATA_DIR';
    throw new DataDirUnusable(`${dataDir} is not ours to write to: ${advice}`, { cause });
  }
  return realpathSync(dataDir);
}

async function startOwned(
  options: EmbeddedPostgresOptions,
  native: string,
  ownership: Ownership,
): Promise<EmbeddedPostgres> {
  const { dataDir, database = 'store', settings = {} } = options;
  removeState(dataDir);
  const account = serverAccount(dataDir);
  const { postgres, initdb } = await findBinaries(native, account);
  const cluster = await openCluster({ dataDir, account, initdb, durable: settings['fsync'] !== 'off' });
  await stopOrphans(cluster.directory);
  const postmaster = await startPostmaster({ postgres, cluster: cluster.directory, account, settings });
  const url = `postgres://${ROLE}:${cluster.password}@127.0.0.1:${postmaster.port}/${database}`;
  try {
    await ensureDatabase(url);
    writeState(dataDir, { url, clusterDir: cluster.directory, owner: ownership.owner });
  } catch (error) {
    await postmaster.stop();
    throw error;
  }
  return { url, ...lifeOf(dataDir, postmaster, ownership) };
}

function lifeOf(
  dataDir: string,
  postmaster: Postmaster,
  ownership: Ownership,
): Pick<EmbeddedPostgres, 'ended' | 'stop'> {
  // Also when the server dies by itself: whoever starts it next, here or elsewhere, must not find us in the way.
  const over = postmaster.ended.then(() => letGo(dataDir, ownership));
  // Two servers on one cluster destroy it: ours must not even write what it has in memory.
  void ownership.lost.then(() => postmaster.kill());
  // Reported by stop(); a process that never calls it must not end because of it.
  over.catch(() => undefined);
  const stop = async (): Promise<void> => {
    // Withdrawn first, so that nobody attaches to a server that is about to end.
    if (ownership.isHeld()) removeState(dataDir);
    await postmaster.stop();
    await over;
  };
  let stopped: Promise<void> | undefined;
  return { ended: over, stop: () => (stopped ??= stop()) };
}

/** What another process has taken over is that process's. */
function letGo(dataDir: string, ownership: Ownership): void {
  if (ownership.isHeld()) removeState(dataDir);
  ownership.release();
}

async function urlOfRunningServer(dataDir: string, database = 'store'): Promise<string | undefined> {
  const owner = currentOwner(dataDir);
  const state = owner && readState(dataDir);
  // The address may have been left by an owner before, who was killed.
  if (!state || state.owner.pid !== owner.pid || state.owner.started !== owner.started) return undefined;
  const url = new URL(state.url);
  url.pathname = `/${database}`;
  try {
    await ensureDatabase(url.href);
    return url.href;
  } catch (error) {
    // Another network, or another server at its address since. Whether its owner lives is seen by its heartbeat.
    if (isElsewhere(owner)) return undefined;
    // Ended since its address was read. Anything else is a problem that trying again does not solve.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === '57P03' || code === '57P01') return undefined;
    throw error;
  }
}

/** Two processes may do this at the same moment. */
async function ensureDatabase(url: string): Promise<void> {
  const maintenance = new URL(url);
  const database = maintenance.pathname.slice(1);
  maintenance.pathname = '/postgres';
  const client = new pg.Client({ connectionString: maintenance.href, connectionTimeoutMillis: 10_000 });
  // A server that ends while we are connected is reported by the query that fails, not by an event nobody hears.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
  } catch (error) {
    if ((error as pg.DatabaseError).code !== '42P04' && (error as pg.DatabaseError).code !== '23505') throw error;
  } finally {
    await client.end();
  }
}
