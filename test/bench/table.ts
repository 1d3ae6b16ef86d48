import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tablesOf } from './report/lines.js';
import { flatnessConditions, flatnessTable, readFlatness } from './flatness/results.js';
import { readResults } from './report/results.js';

// Fills the README's performance tables from the last full runs: tsx test/bench/table.ts [--check]
// With --check it writes nothing, and the exit code says whether the table is up to date.

const CHART = '![Median time of a request by size of the store](test/bench/flatness.svg)';
const README = path.resolve(import.meta.dirname, '../../README.md');

function main(): number {
  const before = readFileSync(README, 'utf8');
  const [results, flatness] = [readResults(), readFlatness()];
  let filled = before;
  if (results) {
    const { works, figures, conditions } = tablesOf(results);
    filled = fill(filled, 'bench', `${markdown(works)}\n${markdown(figures)}\n${conditions}\n`);
  }
  if (flatness)
    filled = fill(
      filled,
      'flat',
      `${markdown(flatnessTable(flatness))}\n${flatnessConditions(flatness)}\n\n${CHART}\n`,
    );
  if (process.argv.includes('--check')) return filled === before ? 0 : 1;
  writeFileSync(README, filled);
  return 0;
}

/** @throws Error when the README lacks the lines `<!-- name:begin -->` and `<!-- name:end -->`. */
function fill(text: string, name: string, table: string): string {
  const marked = new RegExp(`(<!-- ${name}:begin -->\\n)[\\s\\S]*?(<!-- ${name}:end -->)`);
  if (!marked.test(text)) throw new Error(`README.md has no place for ${name}`);
  // Through a function: figures may contain what String.replace takes for a pattern.
  return text.replace(marked, (_all, begin: string, end: string) => `${begin}\n${table}\n${end}`);
}

function markdown([head = [], ...rows]: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
}

process.exitCode = main();
