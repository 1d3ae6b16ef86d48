import { KINDS_IN_ORDER } from '../schema/bundle-schema.js';
import type { BundleKind } from '../schema/bundle.js';

const OUTCOMES = ['created', 'updated', 'unchanged'] as const;
export type Outcome = (typeof OUTCOMES)[number];

type Counts = Record<BundleKind, Record<Outcome, number>>;
/** An order that is already stored counts as `unchanged`. */
export type ImportCounts = Readonly<Record<BundleKind, Readonly<Record<Outcome, number>>>>;

/** What the import did with a line that it wrote or found unchanged. */
export interface LineResult {
  /** The line number in the bundle, from 1. */
  readonly number: number;
  readonly kind: BundleKind;
  readonly id: string;
  readonly outcome: Outcome;
}

export function countsOf(results: readonly LineResult[]): ImportCounts {
  const counts = sumOf();
  for (const { kind, outcome } of results) counts[kind][outcome]++;
  return counts;
}

export function sumOf(...parts: readonly ImportCounts[]): Counts {
  const sum = Object.fromEntries(
    KINDS_IN_ORDER.map((kind) => [kind, { created: 0, updated: 0, unchanged: 0 }]),
  ) as Counts;
  for (const kind of KINDS_IN_ORDER) {
    for (const outcome of OUTCOMES) for (const part of parts) sum[kind][outcome] += part[kind][outcome];
  }
  return sum;
}

/** Counts the lines that changed something, by kind. */
export function writtenByKind(results: readonly LineResult[]): Partial<Record<BundleKind, number>> {
  const counts: Partial<Record<BundleKind, number>> = {};
  for (const { kind, outcome } of results) if (outcome !== 'unchanged') counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
