import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isBeating, startBeating } from './heartbeat.js';
import { isElsewhere, isRunning, thisProcess, type ProcessIdentity } from './running-process.js';

/** Another live process runs the server of this data directory. */
export class EmbeddedPostgresInUse extends Error {
  constructor(
    readonly owner: ProcessIdentity,
    readonly dataDir: string,
  ) {
    const place = isElsewhere(owner) ? ' of another container or machine' : '';
    super(
      `The embedded PostgreSQL in ${dataDir} is already in use by process ${owner.pid}${place}: ` +
        `stop that process, or choose another data directory with DATA_DIR.`,
    );
    this.name = 'EmbeddedPostgresInUse';
  }
}

/** The right to start, stop and initialise the server of one data directory. */
export interface Ownership {
  readonly owner: ProcessIdentity;
  /** Resolves when another process has taken the directory over, because this one was suspended and looked dead. */
  readonly lost: Promise<void>;
  /** Whether this process still owns the directory. */
  isHeld(): boolean;
  release(): void;
}

interface OwnerRecord {
  readonly number: number;
  /** `null` when the previous owner has released the directory. */
  readonly owner: ProcessIdentity | null;
}

const FREE = 'free';

/**
 * Takes the data directory for this process, also when its owner has died. An owner that is invisible from here (two
 * containers on one volume) is watched: it lives while it touches its record, and counts as dead after 10 s without a
 * touch. `flock` would answer at once, but Node cannot call it, images without util-linux have no program for it, and
 * it does not work between machines on every file system.
 *
 * Records are numbered and only the highest counts. A process that finds the directory free or its owner dead publishes
 * the next number; the file system grants it to exactly one process. A record is removed only after a higher one
 * exists, so a process that was delayed between looking and publishing sees a number higher than its own, and has lost.
 *
 * @throws EmbeddedPostgresInUse when the owner is alive.
 */
export async function takeOwnership(dataDir: string): Promise<Ownership> {
  const directory = recordsOf(dataDir);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const owner = thisProcess();
  for (;;) {
    const latest = latestRecord(directory);
    if (latest?.owner && (await isAlive(directory, latest.number, latest.owner))) {
      throw new EmbeddedPostgresInUse(latest.owner, dataDir);
    }
    const number = (latest?.number ?? 0) + 1;
    if (!publish(directory, number, `${owner.pid} ${owner.started}`)) continue;
    const numbers = recordNumbers(directory);
    if (numbers.some((other) => other > number)) {
      remove(directory, number);
      continue;
    }
    numbers.filter((other) => other < number).forEach((other) => remove(directory, other));
    return hold(directory, number, owner);
  }
}

function hold(directory: string, number: number, owner: ProcessIdentity): Ownership {
  const isHeld = () => recordNumbers(directory).every((other) => other <= number);
  let stopBeating = (): void => undefined;
  const lost = new Promise<void>((resolve) => {
    stopBeating = startBeating(beatOf(directory, number), () => {
      if (!isHeld()) resolve();
    });
  });
  const free = (): void => {
    stopBeating();
    if (isHeld()) release(directory, number);
  };
  return { owner, lost, isHeld, release: free };
}

function isAlive(directory: string, number: number, owner: ProcessIdentity): Promise<boolean> | boolean {
  if (!isElsewhere(owner)) return isRunning(owner);
  return isBeating(beatOf(directory, number), () => recordNumbers(directory).some((other) => other > number));
}

function beatOf(directory: string, number: number): string {
  return join(directory, `${number}.beat`);
}

/** The process that owns the data directory, if any: a live one, or one that is invisible from here. */
export function currentOwner(dataDir: string): ProcessIdentity | undefined {
  const owner = latestRecord(recordsOf(dataDir))?.owner;
  return owner && (isElsewhere(owner) || isRunning(owner)) ? owner : undefined;
}

function release(directory: string, number: number): void {
  try {
    publish(directory, number + 1, FREE);
    remove(directory, number);
  } catch (error) {
    // The data directory was deleted: there is nothing left to release.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function recordsOf(dataDir: string): string {
  return join(dataDir, 'postgres.owner');
}

/** A record is a dangling symbolic link: creating a link is exclusive and atomic, which a write is not. */
function publish(directory: string, number: number, text: string): boolean {
  try {
    symlinkSync(text, join(directory, String(number)));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function remove(directory: string, number: number): void {
  rmSync(join(directory, String(number)), { force: true });
  rmSync(beatOf(directory, number), { force: true });
}

function recordNumbers(directory: string): number[] {
  try {
    return readdirSync(directory).map(Number).filter(Number.isSafeInteger);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function latestRecord(directory: string): OwnerRecord | undefined {
  for (;;) {
    const numbers = recordNumbers(directory);
    if (numbers.length === 0) return undefined;
    const number = Math.max(...numbers);
    try {
      return { number, owner: parseOwner(readlinkSync(join(directory, String(number)))) };
    } catch (error) {
      // Another record has replaced it since the listing: look again.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

function parseOwner(text: string): ProcessIdentity | null {
  const [pid = '', started = ''] = text.split(' ');
  return /^\d+$/.test(pid) ? { pid: Number(pid), started } : null;
}
