import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Machine } from '../report/machine.js';
import type { Kind } from './requests.js';

export interface FlatRow {
  readonly name: string;
  readonly kind: Kind;
  /** Median milliseconds, in each size of store. */
  readonly medians: readonly number[];
  /** What the plans in the largest store do that they must not. */
  readonly faults: readonly string[];
}

export interface Flatness {
  readonly date: string;
  readonly commit: string;
  readonly machine: Machine;
  /** Orders in the store; a tenth of that are products, half of it customers. */
  readonly sizes: readonly number[];
  readonly rows: readonly FlatRow[];
}

export const FLATNESS_FILE = path.resolve(import.meta.dirname, '../flatness.json');
export const CHART_FILE = path.resolve(import.meta.dirname, '../flatness.svg');

export function readFlatness(): Flatness | null {
  try {
    return JSON.parse(readFileSync(FLATNESS_FILE, 'utf8')) as Flatness;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

const GOALS: Record<Kind, number> = { 'first page': 1.5, 'deep page': 3, search: 3, one: 1.5 };

/** The table: what was asked, the medians, and whether they stay as flat as they should. */
export function flatnessTable({ sizes, rows }: Flatness): string[][] {
  const head = ['p50 in ms', ...sizes.map((size) => `${size.toLocaleString('en')} orders`), 'growth', 'goal'];
  const firstPage = rows.find(({ name }) => name === 'orders')?.medians ?? [];
  return [
    head,
    ...rows.map(({ name, kind, medians, faults }) => {
      // A deep page is held against the first page of the same store, everything else against the smallest store.
      const growths =
        kind === 'deep page'
          ? medians.map((median, size) => median / (firstPage[size] ?? NaN))
          : medians.map((median) => median / (medians[0] ?? NaN));
      const growth = kind === 'deep page' ? Math.max(...growths) : (growths.at(-1) ?? NaN);
      const verdict = growth <= GOALS[kind] ? 'met' : `missed by ${(growth - GOALS[kind]).toFixed(1)}`;
      const held = kind === 'deep page' ? ' of page 1' : '';
      return [
        name,
        ...medians.map((median) => median.toFixed(2)),
        `${growth.toFixed(2)} ×${held}`,
        `≤ ${GOALS[kind]} ×: ${[verdict, ...faults].join(', ')}`,
      ];
    }),
  ];
}

export function flatnessConditions({ machine, date, commit }: Flatness): string {
  const { cpu, cores, memoryGb, node, postgres } = machine;
  return (
    'Median milliseconds of one client that asks again and again; a tenth as many products as orders, half as many ' +
    'customers. No plan in the largest store reads the whole of a large table or sorts more than a page, unless it says so. ' +
    `${cores} cores (${cpu}), ${memoryGb} GB, Node ${node.slice(1)}, PostgreSQL ${postgres}; ${date}, commit ${commit}.`
  );
}

export function printed(flatness: Flatness): string {
  const rows = flatnessTable(flatness);
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`).join('');
}
