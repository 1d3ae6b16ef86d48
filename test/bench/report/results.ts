import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CostResult } from '../costs/measure.js';
import type { Figures } from '../figures/figures.js';
import type { Plan } from '../works/rounds.js';
import type { WorkResult } from '../works/summary.js';
import type { StoreSizes } from '../stores/sizes.js';
import type { Machine } from './machine.js';

/** All figures of a run, and everything needed to repeat it. */
export interface BenchResults {
  readonly form: 'full' | 'quick';
  readonly date: string;
  readonly commit: string;
  readonly seed: number;
  readonly seconds: number;
  readonly machine: Machine;
  /** Size of the measured store. One other store is equal to it, and nine others are a tenth of it each. */
  readonly store: StoreSizes;
  readonly plan: Plan;
  readonly works: readonly WorkResult[];
  /** Comparisons of the service with itself; a run of an earlier release has none. */
  readonly costs?: readonly CostResult[];
  /** The fraud verdicts on the orders of the service. */
  readonly verdicts: Readonly<Record<string, number>>;
  readonly figures: Figures;
}

/** The results of the last full run, the source of docs/benchmarks.md. */
export const RESULTS_FILE = path.resolve(import.meta.dirname, '../results.json');

export function readResults(): BenchResults | null {
  try {
    return JSON.parse(readFileSync(RESULTS_FILE, 'utf8')) as BenchResults;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export function writeResults(file: string, results: BenchResults): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}
