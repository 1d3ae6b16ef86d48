import type { BundleLine } from '../schema/bundle.js';
import type { Outcome } from './table-writer.js';

export type BundleKind = BundleLine['kind'];

/** The outcome of an import per kind of line. An order that is already stored counts as `unchanged`. */
export type ImportCounts = Readonly<Record<BundleKind, Readonly<Record<Outcome, number>>>>;

/** The kinds, each after the kinds that it may refer to. Stock comes last: placing an order waits for its locks. */
export const KINDS_IN_ORDER = [
  'store',
  'warehouse',
  'bin',
  'brand',
  'category',
  'product',
  'customer',
  'order',
  'stock',
] as const satisfies readonly BundleKind[];

/** Counts the lines of a running import. */
export class Tally {
  private readonly numbers = Object.fromEntries(
    KINDS_IN_ORDER.map((kind) => [kind, { created: 0, updated: 0, unchanged: 0 }]),
  ) as Record<BundleKind, Record<Outcome, number>>;

  add(kind: BundleKind, outcome: Outcome, count = 1): void {
    this.numbers[kind][outcome] += count;
  }

  addAll(other: Tally): void {
    for (const kind of KINDS_IN_ORDER) {
      const { created, updated, unchanged } = other.numbers[kind];
      this.add(kind, 'created', created);
      this.add(kind, 'updated', updated);
      this.add(kind, 'unchanged', unchanged);
    }
  }

  get counts(): ImportCounts {
    return structuredClone(this.numbers);
  }
}
