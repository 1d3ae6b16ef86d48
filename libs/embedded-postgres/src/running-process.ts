import { readFileSync, readlinkSync } from 'node:fs';

/** A process told apart from a later one that was given the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal only for the same process. `unknown` where the system does not tell. */
  readonly started: string;
}

const UNKNOWN = 'unknown';

/** The identity of the calling process. */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, started: startOf(process.pid) ?? UNKNOWN };
}

/**
 * Whether the process belongs to another machine, another container or an earlier boot, so that nobody here can see
 * whether it runs. Linux only: elsewhere there is one set of processes.
 */
export function isElsewhere({ started }: ProcessIdentity): boolean {
  const [boot, , namespace] = started.split('/');
  return namespace !== undefined && (boot !== bootId() || namespace !== pidNamespace());
}

/** Whether exactly this process still runs. A zombie does not: it was killed and only waits for its parent. */
export function isRunning({ pid, started }: ProcessIdentity): boolean {
  const start = startOf(pid);
  return start !== null && (start === started || start === UNKNOWN || started === UNKNOWN);
}

/**
 * Linux only: the boot and the clock tick at which the process started, and the set of processes that it sees. Elsewhere (macOS has no /proc) a number that
 * is in use counts as the same process, so after a reboot a foreign process may have to be waited out by the user.
 */
function startOf(pid: number): string | null {
  if (process.platform !== 'linux') return answersSignals(pid) ? UNKNOWN : null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name is in parentheses and may contain anything; the fields are counted from behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${bootId()}/${fields[19] ?? UNKNOWN}/${pidNamespace()}`;
  } catch {
    // Either gone, or hidden from us by the mount option hidepid.
    return answersSignals(pid) ? UNKNOWN : null;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'boot';
  }
}

/** The kernel gives the number to another one only after the last process of this one has ended. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return 'namespace';
  }
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
