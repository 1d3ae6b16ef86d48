import { readFileSync, readlinkSync } from 'node:fs';

/** The identity of a process. It differs from that of a later process with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal only for the same process. `unknown` when the system does not reveal it. */
  readonly started: string;
}

const UNKNOWN = 'unknown';

/** The identity of the calling process. */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, started: startOf(process.pid) ?? UNKNOWN };
}

/**
 * Whether the process belongs to another machine, another container or an earlier boot, so that its state is invisible
 * from here. Linux only: elsewhere all processes share one table.
 */
export function isElsewhere({ started }: ProcessIdentity): boolean {
  const [boot, , namespace] = started.split('/');
  return namespace !== undefined && (boot !== bootId() || namespace !== pidNamespace());
}

/** Whether exactly this process still runs. A zombie does not: it has ended and waits for its parent. */
export function isRunning({ pid, started }: ProcessIdentity): boolean {
  const start = startOf(pid);
  return start !== null && (start === started || start === UNKNOWN || started === UNKNOWN);
}

/**
 * On Linux: the boot, the clock tick at which the process started, and its process namespace. Elsewhere (macOS has no
 * /proc) any process with the number counts as the same, so after a reboot the user may have to wait for a foreign
 * process to end.
 */
function startOf(pid: number): string | null {
  if (process.platform !== 'linux') return answersSignals(pid) ? UNKNOWN : null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name is in parentheses and may contain anything; the fields after it are counted.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${bootId()}/${fields[19] ?? UNKNOWN}/${pidNamespace()}`;
  } catch {
    // The process is gone, or the mount option hidepid hides it.
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

/** The kernel reuses the number only after the last process of the namespace has ended. */
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
