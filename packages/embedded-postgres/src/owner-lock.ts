import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Another live process runs the server of this data directory. */
export class EmbeddedPostgresInUse extends Error {
  constructor(pid: number, dataDir: string) {
    super(
      `The embedded PostgreSQL in ${dataDir} is already in use by process ${pid}: ` +
        `stop that process, or choose another data directory with DATA_DIR.`,
    );
    this.name = 'EmbeddedPostgresInUse';
  }
}

/** The right to initialise, start and stop the server of one data directory. A process that dies loses it. */
export interface OwnerLock {
  /** Shows the server to the other processes of the same user. The URL includes the password: the file is 0600. */
  publish(url: string): void;
  release(): void;
}

/**
 * Takes the data directory for this process, also when its owner has died.
 *
 * The lock is a directory with one file, which has the name of its owner. A directory replaces another one only while
 * that is absent or empty, so one process gets the lock. The file of a dead owner is removed by its name, which no other
 * owner ever has: a process that was delayed cannot remove a later owner. Node has no `flock`.
 *
 * @throws EmbeddedPostgresInUse when the owner is alive.
 */
export function takeOwnerLock(dataDir: string): OwnerLock {
  const lock = lockOf(dataDir);
  const draft = mkdtempSync(`${lock}.`);
  try {
    const owner = `${process.pid}_${startOf(process.pid)}_${draft.slice(-6)}`;
    writeFileSync(join(draft, owner), '', { mode: 0o600 });
    while (!replaces(draft, lock)) {
      for (const other of readdirSync(lock)) {
        if (isRunning(other)) throw new EmbeddedPostgresInUse(pidOf(other), dataDir);
        rmSync(join(lock, other), { force: true });
      }
    }
    const file = join(lock, owner);
    return {
      publish: (url) => writeFileSync(file, `${url}\n`),
      release: () => rmSync(file, { force: true }),
    };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Returns the URL that a live owner has published. */
export function publishedUrl(dataDir: string): string | undefined {
  const lock = lockOf(dataDir);
  try {
    const owner = readdirSync(lock).find(isRunning);
    const text = owner === undefined ? '' : readFileSync(join(lock, owner), 'utf8');
    // A line without its end is still being written.
    return text.endsWith('\n') ? text.trim() : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function lockOf(dataDir: string): string {
  return join(dataDir, 'postgres.lock');
}

function replaces(draft: string, lock: string): boolean {
  try {
    renameSync(draft, lock);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

function pidOf(owner: string): number {
  return Number.parseInt(owner, 10);
}

/** Whether exactly this process still runs, and not a later one with the same number. */
function isRunning(owner: string): boolean {
  return owner.split('_')[1] === startOf(pidOf(owner));
}

/** Distinguishes a process from others with its number, before and after a reboot. `undefined` when it has ended. */
function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8' });
    return stdout.replace(/\W/g, '') || undefined;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name is in parentheses and may contain anything; the fields after it are counted.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended and waits for its parent.
    return fields[0] === 'Z' ? undefined : `${fields[19]}-${bootId()}`;
  } catch {
    return undefined;
  }
}

/** Identifies the boot: ticks since the boot, which the kernel counts, may be the same after a reboot. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'boot';
  }
}
