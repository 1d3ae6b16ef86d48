import type { Measured } from './drive.js';
import type { Rounds } from './rounds.js';
import type { Goal, Work } from './works.js';

export interface Speed {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU milliseconds of the server and of PostgreSQL per 1,000 answers; `null` when not measurable. */
  readonly cpu: number | null;
}

/** A reference, and the service divided by it. In a comparison of the service with itself, its other side. */
export interface Compared extends Speed {
  /** Of the requests per second. */
  readonly ratio: Spread;
  /** Of the CPU time per request; `null` when not measurable. */
  readonly cpuRatio: Spread | null;
}

/** The result of one work: every figure is the median of the rounds. */
export interface WorkResult {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  readonly service: Speed;
  /** `null` for a work that is measured alone. */
  readonly bare: Compared | null;
  readonly sameSchema: Compared | null;
  /** p99 / p50 of the service. */
  readonly tail: number;
  /** Of the service: the 99th percentile in milliseconds. */
  readonly loopDelayP99: number;
  readonly goal: Goal | null;
  /** `null` without a goal. */
  readonly met: boolean | null;
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function summarize({ name, title, connections, goal }: Work, { loads, loopDelays }: Rounds): WorkResult {
  const bare = compared(loads.service, loads.bare);
  const tail = median(loads.service.map(({ p50, p99 }) => p99 / p50));
  return {
    name,
    title,
    connections,
    service: speedOf(loads.service),
    bare,
    sameSchema: compared(loads.service, loads.sameSchema),
    tail,
    loopDelayP99: median(loopDelays),
    goal,
    met: goal && bare && bare.ratio.median >= goal.ratio && tail < (goal.tail ?? Infinity),
  };
}

export function compared(service: readonly Measured[], reference: readonly Measured[]): Compared | null {
  if (reference.length === 0) return null;
  const divided = (of: (load: Measured) => number | null) =>
    spreadOf(reference.map((load, round) => (of(service[round] as Measured) ?? NaN) / (of(load) ?? NaN)));
  const speed = speedOf(reference);
  return {
    ...speed,
    ratio: divided(({ perSecond }) => perSecond),
    cpuRatio: speed.cpu === null ? null : divided(({ cpu }) => cpu),
  };
}

export function speedOf(loads: readonly Measured[]): Speed {
  const of = (figure: (load: Measured) => number | null) => median(loads.map((load) => figure(load) ?? NaN));
  const cpu = of((load) => load.cpu);
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    cpu: Number.isNaN(cpu) ? null : cpu,
  };
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}
