import { KINDS_IN_ORDER } from '../schema/bundle-schema.js';
import type { BundleKind } from '../schema/bundle.js';

const OUTCOMES = ['created', 'updated', 'unchanged'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The outcome of an import per kind of line. An order that is already stored counts as `unchanged`. */
export type ImportCounts = Readonly<Record<BundleKind, Readonly<Record<Outcome, number>>>>;

/** The sums of the counts. */
export function sumOf(...parts: readonly ImportCounts[]): Record<BundleKind, Record<Outcome, number>> {
  const sum = (kind: BundleKind, outcome: Outcome) => parts.reduce((total, part) => total + part[kind][outcome], 0);
  const rows = KINDS_IN_ORDER.map((kind) => [
    kind,
    Object.fromEntries(OUTCOMES.map((name) => [name, sum(kind, name)])),
  ]);
  return Object.fromEntries(rows) as Record<BundleKind, Record<Outcome, number>>;
}
