import { tablesOf } from './lines.js';
import type { BenchResults } from './results.js';

/** The report for the terminal. */
export function printed(results: BenchResults): string {
  const { works, cpu, costs, figures, conditions } = tablesOf(results);
  const filled = [works, cpu, costs, figures].filter(({ length }) => length > 1);
  return `\n${[...filled.map(aligned), conditions].join('\n\n')}\n`;
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
