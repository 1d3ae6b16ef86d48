import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from './service.js';

/** The resources of a process at one moment, after a garbage collection. */
interface Holdings {
  readonly descriptors: number;
  readonly residentBytes: number;
  /** Reachable JavaScript objects and buffers. */
  readonly heapBytes: number;
  /** Timers that keep the process alive. Others show in `heapBytes` only. */
  readonly timers: number;
  readonly logLines: number;
}

type Limits = Readonly<Record<Exclude<keyof Holdings, 'logLines'>, number>>;

const MIB = 2 ** 20;
/** Descriptors: kept connections and the pool of 10. Heap: code and metrics; a leaked request weighs at least 2 kB. */
const GROWTH: Limits = {
  descriptors: 20,
  residentBytes: 256 * MIB,
  heapBytes: 16 * MIB,
  timers: 12,
};
/** Longer than every connection time limit of the service except the one for idle connections. */
const SETTLE_MS = 25_000;
const LOOK_EVERY_MS = 500;
const REPORT_MS = 10_000;
/** Log lines about start and shutdown, in addition to one per request. */
const OTHER_LINES = 10;

/** Compares a service's resources before and after an attack, because answers do not show leaks. */
export class HoldingsWatch {
  private last: Holdings | null = null;

  private constructor(
    private readonly service: Service,
    private readonly before: Holdings | null,
  ) {}

  /** Requires a warm service: its database connections are open, and all its code has run once. */
  static async begin(service: Service): Promise<HoldingsWatch> {
    return new HoldingsWatch(service, await holdingsOf(service));
  }

  /** The clients must be gone. @param requests the number sent since the beginning; each may have one log line. */
  async violations(requests: number): Promise<string[]> {
    if (!this.before) return [];
    const giveUpAt = Date.now() + SETTLE_MS;
    for (;;) {
      this.last = await holdingsOf(this.service);
      const found = this.last ? grown(this.before, this.last, requests) : ['the process is gone'];
      if (found.length === 0 || Date.now() > giveUpAt) return found;
      await delay(LOOK_EVERY_MS);
    }
  }

  get figures(): string {
    const { before, last } = this;
    if (!before || !last) return 'holdings not compared: only Linux reports them';
    return (
      `held before and after: descriptors ${before.descriptors}, ${last.descriptors}; ` +
      `heap ${mib(before.heapBytes)}, ${mib(last.heapBytes)}; resident ${mib(before.residentBytes)}, ` +
      mib(last.residentBytes)
    );
  }
}

/** `null` when the system does not report it, or the process is gone. */
async function holdingsOf(service: Service): Promise<Holdings | null> {
  if (platform() !== 'linux' || !service.isRunning) return null;
  return {
    descriptors: readdirSync(`/proc/${service.pid}/fd`).length,
    residentBytes: service.memory ?? 0,
    ...(await memoryOf(service)),
    logLines: service.log.split('\n').length - 1,
  };
}

/** The report that report-memory.mjs writes on request. @throws Error when the process does not answer. */
export async function memoryOf({ pid }: Service): Promise<Pick<Holdings, 'heapBytes' | 'timers'>> {
  const file = path.join(tmpdir(), `store-commerce-memory-${pid}.json`);
  const giveUpAt = Date.now() + REPORT_MS;
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    try {
      const report = JSON.parse(readFileSync(file, 'utf8')) as Pick<Holdings, 'heapBytes' | 'timers'>;
      rmSync(file);
      return report;
    } catch (error) {
      if (Date.now() > giveUpAt) throw new Error(`Process ${pid} does not report its memory`, { cause: error });
      await delay(20);
    }
  }
}

function grown(before: Holdings, after: Holdings, requests: number): string[] {
  const names = Object.keys(GROWTH) as (keyof Limits)[];
  const found = names
    .filter((name) => after[name] > before[name] + GROWTH[name])
    .map((name) => `${name} grew from ${before[name]} to ${after[name]}, the limit is ${GROWTH[name]}`);
  const lines = after.logLines - before.logLines;
  if (lines > requests + OTHER_LINES) found.push(`${lines} lines were logged for ${requests} requests`);
  return found;
}

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
