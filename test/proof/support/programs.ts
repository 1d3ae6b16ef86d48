import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../support/free-port.js';

export interface Program {
  readonly port: number;
  stop(): Promise<void>;
}

/** The first PgBouncer that supports prepared statements in transaction mode. */
export const PGBOUNCER_MIN = [1, 21] as const;
const START_MS = 5_000;
/**
 * The settings are those of the service's own connections. Milliseconds have no unit, to avoid quotes inside quotes.
 */
const SETTINGS = {
  statement_timeout: 3_000,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 10_000,
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  jit: 'off',
};

/** @param upstream the server behind it, with the role of all connections. */
export async function startPgBouncer(upstream: URL): Promise<Program> {
  const program = process.env['PGBOUNCER'] ?? 'pgbouncer';
  const port = await freePort();
  return startProgram(program, port, (directory) => {
    const users = path.join(directory, 'users.txt');
    writeFileSync(users, `"${upstream.username}" "${upstream.password}"\n`, { mode: 0o644 });
    // A pooled connection loses a client's session settings, so the pooler sets them on each connection.
    const settings = Object.entries(SETTINGS)
      .map(([name, value]) => `SET ${name} = ${value}`)
      .join('; ');
    const config = path.join(directory, 'pgbouncer.ini');
    writeFileSync(
      config,
      `[databases]
* = host=${upstream.hostname} port=${upstream.port} connect_query='${settings}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
max_prepared_statements = 200
default_pool_size = 20
max_client_conn = 500
; The default, 15 s, is how long orders would be refused after the primary is back.
server_login_retry = 1
`,
    );
    return process.getuid?.() === 0 ? ['--quiet', '--user', 'nobody', config] : ['--quiet', config];
  });
}

/** @param configure writes its files into the directory and returns its arguments. */
export async function startProgram(
  program: string,
  port: number,
  configure: (directory: string) => string[],
): Promise<Program> {
  const directory = mkdtempSync(path.join(tmpdir(), 'store-commerce-topology-'));
  const child = spawn(program, configure(directory), { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const killed = () => {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', killed);
  const stop = async () => {
    process.off('exit', killed);
    await end(child);
    rmSync(directory, { recursive: true, force: true });
  };
  const giveUpAt = Date.now() + START_MS;
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || Date.now() > giveUpAt) {
      await stop();
      throw new Error(`${program} did not start: ${said.trim()}`);
    }
    await delay(50);
  }
  return { port, stop };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await Promise.race([ended, delay(5_000, undefined, { ref: false }).then(() => child.kill('SIGKILL'))]);
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy().destroyed));
    socket.once('error', () => resolve(false));
  });
}
