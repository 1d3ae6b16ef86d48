import type { Table } from '../report.js';
import type { Kind } from './requests.js';

/** Numbers of orders of the stores. */
export const SIZES = [10_000, 100_000, 1_000_000];

export interface FlatRow {
  readonly name: string;
  readonly kind: Kind;
  /** Median milliseconds, one per store. */
  readonly medians: readonly number[];
  /** Forbidden steps in the plans of the largest store. */
  readonly faults: readonly string[];
}

const GOALS: Record<Kind, number> = { 'first page': 1.5, 'deep page': 3, search: 3, one: 1.5 };

/** The requests, the medians, and whether they meet the goal. */
export function flatTable(rows: readonly FlatRow[]): Table {
  const sizes = SIZES.slice(0, rows[0]?.medians.length).map((size) => `${size.toLocaleString('en')} orders`);
  const firstPage = rows.find(({ name }) => name === 'orders')?.medians ?? [];
  return [
    ['p50 in ms', ...sizes, 'growth', 'goal'],
    ...rows.map(({ name, kind, medians, faults }) => {
      // A deep page is compared with the first page of the same store, everything else with the smallest store.
      const isDeep = kind === 'deep page';
      const growths = medians.map((median, size) => median / ((isDeep ? firstPage[size] : medians[0]) ?? NaN));
      const growth = isDeep ? Math.max(...growths) : (growths.at(-1) ?? NaN);
      const verdict = growth <= GOALS[kind] ? 'met' : `missed by ${(growth - GOALS[kind]).toFixed(1)}`;
      return [
        name,
        ...medians.map((median) => median.toFixed(2)),
        `${growth.toFixed(2)} ×${isDeep ? ' of page 1' : ''}`,
        `≤ ${GOALS[kind]} ×: ${[verdict, ...faults].join(', ')}`,
      ];
    }),
  ];
}
