import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from './account.js';
import { serverEnvironment } from './cluster.js';

/** A running server: a child of this process. */
export interface Postmaster {
  readonly port: number;
  /** Settles when the server has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Ends sessions at once, writes everything to disk, and waits for the end of the server. Safe to call again. */
  stop(): Promise<void>;
}

interface PostmasterOptions {
  readonly postgres: string;
  readonly cluster: string;
  readonly account: Account | undefined;
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * `sh` becomes the server (so its pid is the server's) after it has started a watchdog. The watchdog is a grandchild,
 * because the server would mistake an unknown child for one of its own. It reads from a pipe that only our process
 * holds open. A line means that we stop the server ourselves. The end of the pipe means that we died, even by kill -9:
 * the watchdog then requests a fast shutdown, which spares the next start a recovery, and forces it after 0.8 s.
 */
const START_WITH_WATCHDOG = `exec 3<&0 </dev/null
( ( read -r line <&3 || { kill -INT $$; n=0
  while [ $n -lt 8 ] && kill -0 $$; do sleep 0.1; n=$((n+1)); done
  [ $n -lt 8 ] || kill -QUIT $$; } ) >/dev/null 2>&1 & )
exec "$@" 3<&-`;

/** Statements and parameter values must not reach the log, even on errors: they are customers' data. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_checkpoints: 'off',
  logging_collector: 'off',
};

/** Recovery after a crash replays at most `max_wal_size`, so a server that takes longer than this has hung. */
const START_TIMEOUT_MS = 120_000;
/** How long a start waits for the remains of a killed server: its sessions, its port. */
const LEFTOVERS_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 30_000;
const LOG_TAIL = 4_000;

/** Starts the server on a free port of the loopback interface. @throws Error with the end of the server's log. */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const giveUpAt = performance.now() + LEFTOVERS_TIMEOUT_MS;
  for (;;) {
    const port = Number(options.settings['port'] ?? (await freePort()));
    const attempt = launch(options, port);
    if (await becomesReady(attempt, options.cluster)) return running(attempt, port);
    const passing = /Address already in use|pre-existing shared memory block/.test(attempt.log());
    if (!passing || performance.now() > giveUpAt) {
      throw new Error(`The embedded PostgreSQL in ${options.cluster} did not start: ${attempt.log().trim()}`);
    }
    await delay(100);
  }
}

interface Attempt {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  log(): string;
}

function launch({ postgres, cluster, account, settings }: PostmasterOptions, port: number): Attempt {
  const all = { ...SETTINGS, ...settings, port: String(port) };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn('/bin/sh', ['-c', START_WITH_WATCHDOG, 'sh', postgres, '-D', cluster, ...args], {
    ...account,
    cwd: '/',
    env: serverEnvironment(),
    // The server has its own session: Ctrl-C reaches only the application, which drains its requests before it stops
    // the server.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  // Only the end of the log is kept, in memory: it explains a failed start, and no file can grow or leak.
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-LOG_TAIL)));
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      log += error.message;
      resolve();
    });
  });
  return { child, ended, log: () => log };
}

/** Reads readiness from the pid file; the log depends on settings and language. */
async function becomesReady({ child, ended }: Attempt, cluster: string): Promise<boolean> {
  let over = false;
  void ended.then(() => (over = true));
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  while (!over && performance.now() < giveUpAt) {
    if (isReady(cluster, child.pid)) return true;
    await Promise.race([delay(5), ended]);
  }
  // The pipe may still hold the last lines of the log.
  child.stdin?.destroy();
  await Promise.race([new Promise((resolve) => child.once('close', resolve)), delay(200)]);
  return false;
}

function isReady(cluster: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

function running({ child, ended }: Attempt, port: number): Postmaster {
  // A process that ends without stopping the server leaves that to the watchdog.
  child.unref();
  [child.stdin, child.stderr].forEach((pipe) => (pipe as Socket | null)?.unref());
  const stop = async (): Promise<void> => {
    child.ref();
    child.stdin?.write('stopping\n');
    // SIGINT is the fast shutdown; SIGTERM would wait for clients to leave.
    child.kill('SIGINT');
    const insist = setTimeout(() => child.kill('SIGQUIT'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(insist);
  };
  return { port, ended, stop };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
