import type { Load } from '../driver/job.js';
import type { Rounds } from './rounds.js';
import type { Goal, Work } from './works.js';

export interface Speed {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** The result of one work: every figure is the median of the rounds. */
export interface WorkResult {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  readonly service: Speed;
  readonly reference: Speed;
  readonly ratio: Spread;
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

export function summarize(
  { name, title, connections, goal }: Work,
  { service, reference, loopDelays }: Rounds,
): WorkResult {
  const ratio = spreadOf(service.map(({ perSecond }, round) => perSecond / (reference[round]?.perSecond ?? NaN)));
  const tail = median(service.map(({ p50, p99 }) => p99 / p50));
  const met = goal && ratio.median >= goal.ratio && tail < (goal.tail ?? Infinity);
  return {
    name,
    title,
    connections,
    service: speedOf(service),
    reference: speedOf(reference),
    ratio,
    tail,
    loopDelayP99: median(loopDelays),
    goal,
    met,
  };
}

function speedOf(loads: readonly Load[]): Speed {
  const of = (figure: keyof Speed) => median(loads.map((load) => load[figure]));
  return { perSecond: of('perSecond'), p50: of('p50'), p99: of('p99') };
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
