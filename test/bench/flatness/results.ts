import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Machine } from '../report/machine.js';
import type { Kind } from './requests.js';

export interface FlatRow {
  readonly name: string;
  readonly kind: Kind;
  /** Median milliseconds, one per store size. */
  readonly medians: readonly number[];
  /** Forbidden steps in the plans of the largest store. */
  readonly faults: readonly string[];
}

export interface Flatness {
  readonly date: string;
  readonly commit: string;
  readonly machine: Machine;
  /** Numbers of orders; a store has a tenth as many products and half as many customers. */
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

/** The table: the requests, the medians, and whether they meet the flatness goal. */
export function flatnessTable({ sizes, rows }: Flatness): string[][] {
  const head = ['p50 in ms', ...sizes.map((size) => `${size.toLocaleString('en')} orders`), 'growth', 'goal'];
  const firstPage = rows.find(({ name }) => name === 'orders')?.medians ?? [];
  return [
    head,
    ...rows.map(({ name, kind, medians, faults }) => {
      // A deep page is compared with the first page of the same store, everything else with the smallest store.
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
    'Median milliseconds of one client that sends requests sequentially; a tenth as many products as orders, half as many ' +
    'customers. No plan in the largest store scans a whole large table or sorts more than a page, unless noted. ' +
    `${cores} cores (${cpu}), ${memoryGb} GB, Node ${node.slice(1)}, PostgreSQL ${postgres}; ${date}, commit ${commit}.`
  );
}

export function printed(flatness: Flatness): string {
  const rows = flatnessTable(flatness);
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`).join('');
}
