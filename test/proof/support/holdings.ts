import { readFileSync, rmSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { descriptorsOf, socketsAt, tcpMemory } from './holdings/proc.js';
import type { Service } from './service.js';

/** What a process holds at one moment, garbage collected. */
export interface Holdings {
  readonly descriptors: number;
  /** Descriptors of regular files. */
  readonly files: number;
  /** Established connections to the service. */
  readonly connections: number;
  /** Sockets of the service that nobody has any more, with unsent data. */
  readonly orphans: number;
  readonly unsentBytes: number;
  /** Kernel memory of all TCP sockets of the machine. */
  readonly tcpBytes: number;
  readonly residentBytes: number;
  /** JavaScript objects and buffers that can be reached. */
  readonly heapBytes: number;
  /** Timers that keep the process alive. Others show in `heapBytes` only. */
  readonly timers: number;
  readonly logLines: number;
}

type Limits = Readonly<Record<Exclude<keyof Holdings, 'logLines'>, number>>;

const MIB = 2 ** 20;
/**
 * By how much each may grow. Connections: the proof keeps some of its own for later. Descriptors: those, and the pool may
 * open its 10.
 * The heap: compiled code, plans' names and series of the metrics; a request that is kept weighs 2 kB and more.
 * Resident memory: what V8 keeps of a peak for the next one.
 */
const GROWTH: Limits = {
  descriptors: 20,
  files: 0,
  connections: 8,
  orphans: 0,
  unsentBytes: 0,
  tcpBytes: 64 * MIB,
  residentBytes: 256 * MIB,
  heapBytes: 16 * MIB,
  timers: 12,
};
/** Longer than any time limit of the service on a connection but the one on idle connections. */
const SETTLE_MS = 25_000;
const LOOK_EVERY_MS = 500;
const REPORT_MS = 10_000;
/** A start or an end of something, beside the requests' own lines. */
const OTHER_LINES = 10;

/** Compares what a service holds before and after an attack, because answers do not show what is never given back. */
export class HoldingsWatch {
  private last: Holdings | null = null;

  private constructor(
    private readonly service: Service,
    private readonly before: Holdings | null,
  ) {}

  /** Begin when the service is warm: with its connections to the database open, and all its code run once. */
  static async begin(service: Service): Promise<HoldingsWatch> {
    return new HoldingsWatch(service, await holdingsOf(service));
  }

  /**
   * Waits until the service has let go of everything, 25 s at most. The clients must be gone.
   *
   * @param requests sent since the beginning; none may have more than one line in the log.
   * @returns a text for each thing that the service still holds.
   */
  async violations(requests: number): Promise<string[]> {
    if (!this.before) return [];
    const giveUp = Date.now() + SETTLE_MS;
    for (;;) {
      this.last = await holdingsOf(this.service);
      const found = this.last ? grown(this.before, this.last, requests) : ['the process is gone'];
      if (found.length === 0 || Date.now() > giveUp) return found;
      await delay(LOOK_EVERY_MS);
    }
  }

  /** In words, for the proof's line. */
  get figures(): string {
    const { before, last } = this;
    if (!before || !last) return 'holdings not compared: only Linux tells them';
    return (
      `held before and after: descriptors ${before.descriptors}, ${last.descriptors}; ` +
      `heap ${mib(before.heapBytes)}, ${mib(last.heapBytes)}; resident ${mib(before.residentBytes)}, ` +
      `${mib(last.residentBytes)}; unsent ${mib(last.unsentBytes)} in ${last.orphans} orphaned sockets`
    );
  }
}

/** `null` where the system does not tell, or the process is gone. */
export async function holdingsOf(service: Service): Promise<Holdings | null> {
  if (platform() !== 'linux' || !service.isRunning) return null;
  const memory = await memoryOf(service);
  const { all, files } = descriptorsOf(service.pid);
  const { open, orphans, unsentBytes } = socketsAt(Number(new URL(service.url).port));
  return {
    descriptors: all,
    files,
    connections: open,
    orphans,
    unsentBytes,
    tcpBytes: tcpMemory(),
    residentBytes: service.memory ?? 0,
    ...memory,
    logLines: service.log.split('\n').length - 1,
  };
}

/** What report-memory.mjs writes down when it is asked. @throws Error when the process does not answer. */
async function memoryOf({ pid }: Service): Promise<Pick<Holdings, 'heapBytes' | 'timers'>> {
  const file = path.join(tmpdir(), `store-commerce-memory-${pid}.json`);
  const giveUp = Date.now() + REPORT_MS;
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    try {
      const report = JSON.parse(readFileSync(file, 'utf8')) as Pick<Holdings, 'heapBytes' | 'timers'>;
      rmSync(file);
      return report;
    } catch (error) {
      if (Date.now() > giveUp) throw new Error(`Process ${pid} does not report its memory`, { cause: error });
      await delay(20);
    }
  }
}

function grown(before: Holdings, after: Holdings, requests: number): string[] {
  const names = Object.keys(GROWTH) as (keyof Limits)[];
  const found = names
    .filter((name) => after[name] > before[name] + GROWTH[name])
    .map((name) => `${name} grew from ${before[name]} to ${after[name]}, ${GROWTH[name]} are allowed for`);
  const lines = after.logLines - before.logLines;
  if (lines > requests + OTHER_LINES) found.push(`${lines} lines were logged for ${requests} requests`);
  return found;
}

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
