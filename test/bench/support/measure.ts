import type { Work } from '../works.js';
import type { Driver, DriveResult } from './drive.js';
import type { Server } from './same-answers.js';

export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

export interface Figures {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface Measurement {
  readonly name: string;
  readonly title: string;
  readonly goal: number | null;
  readonly tailGoal: number | null;
  /** Medians of the rounds. */
  readonly service: Figures;
  readonly reference: Figures;
  /** Median of the rounds' ratios, and the least and the greatest. */
  readonly ratio: number;
  readonly ratios: readonly [least: number, greatest: number];
  /** Orders that the service acknowledged. */
  readonly acknowledged: number;
}

let series = 0;

/** Drives both servers in turn, so that what slows the machine down slows down both. */
export async function measure(
  driver: Driver,
  work: Work,
  service: Server,
  reference: Server,
  pace: Pace,
): Promise<Measurement> {
  const round = (server: Server, seconds: number) =>
    driver.drive({
      ...server,
      connections: work.connections,
      seconds,
      paths: work.paths,
      ...(work.orders && { orders: { ...work.orders, series: ++series } }),
    });
  const results: { ours: DriveResult; theirs: DriveResult }[] = [];
  const warm = [await round(service, pace.warmUpSeconds), await round(reference, pace.warmUpSeconds)];
  for (let n = 0; n < pace.rounds; n++) {
    results.push({ ours: await round(service, pace.seconds), theirs: await round(reference, pace.seconds) });
  }
  for (const { bad, errors } of [...warm, ...results.flatMap(({ ours, theirs }) => [ours, theirs])]) {
    if (bad + errors > 0) throw new Error(`${work.name}: ${bad} bad answers, ${errors} without an answer`);
  }
  const ratios = results.map(({ ours, theirs }) => ours.perSecond / theirs.perSecond);
  return {
    name: work.name,
    title: work.title,
    goal: work.goal,
    tailGoal: work.tailGoal ?? null,
    service: figuresOf(results.map(({ ours }) => ours)),
    reference: figuresOf(results.map(({ theirs }) => theirs)),
    ratio: median(ratios),
    ratios: [Math.min(...ratios), Math.max(...ratios)],
    acknowledged: work.orders
      ? [warm[0], ...results.map(({ ours }) => ours)].reduce((sum, r) => sum + (r?.good ?? 0), 0)
      : 0,
  };
}

function figuresOf(results: readonly DriveResult[]): Figures {
  return {
    perSecond: median(results.map(({ perSecond }) => perSecond)),
    p50: median(results.map(({ p50 }) => p50)),
    p99: median(results.map(({ p99 }) => p99)),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = NaN, high = NaN] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}
