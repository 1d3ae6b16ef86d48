import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const IMMEDIATE_STOP_AFTER_MS = 2_000;
const STOP_TIMEOUT_MS = 15_000;

/**
 * Ends the server processes that a killed owner left on the cluster, as the watchdog does if it still runs. Only the
 * present owner may call it: any process that still runs there is then an orphan.
 *
 * @throws Error when a process does not end.
 */
export async function stopOrphans(cluster: string): Promise<void> {
  const pid = recordedPid(cluster);
  if (pid === undefined) return;
  const start = performance.now();
  if (isServerOf(pid, cluster)) signal(pid, 'SIGINT');
  for (let left = serversOf(cluster, pid); left.length > 0; left = serversOf(cluster, pid)) {
    const elapsed = performance.now() - start;
    if (elapsed > STOP_TIMEOUT_MS) throw new Error(`Process ${pid} still runs PostgreSQL in ${cluster}.`);
    if (elapsed > IMMEDIATE_STOP_AFTER_MS) left.forEach((server) => signal(server, 'SIGQUIT'));
    await delay(10);
  }
  // PostgreSQL would refuse to start if another program had the recorded pid by now, or got it during the start (usual
  // in containers, which all count from 1).
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

function recordedPid(cluster: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Finds the processes of a server. On Linux, these include the sessions that outlive a killed server for a moment.
 * Elsewhere a retry of the start covers them.
 */
function serversOf(cluster: string, pid: number): number[] {
  const candidates = process.platform === 'linux' ? readdirSync('/proc').map(Number).filter(Number.isInteger) : [pid];
  return candidates.filter((candidate) => isServerOf(candidate, cluster));
}

/** Every process of a server has the cluster as its working directory (Linux), or in its command line (macOS). */
function isServerOf(pid: number, cluster: string): boolean {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout.includes('postgres') && stdout.includes(cluster);
  }
  try {
    if (readlinkSync(`/proc/${pid}/cwd`) !== cluster) return false;
    // This excludes a shell that a user opened in the directory.
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres');
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}
