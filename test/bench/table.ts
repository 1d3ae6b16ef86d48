import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tablesOf } from './report/lines.js';
import { flatnessConditions, flatnessTable, readFlatness } from './flatness/results.js';
import { readResults } from './report/results.js';

// Fills the tables of docs/benchmarks.md from the last full runs: tsx test/bench/table.ts [--check]
// --check writes nothing and exits with 1 when the file is out of date.

const CHART = '![Median time of a request by size of the store](../test/bench/flatness.svg)';
const FILE = path.resolve(import.meta.dirname, '../../docs/benchmarks.md');

function main(): number {
  const before = readFileSync(FILE, 'utf8');
  const [results, flatness] = [readResults(), readFlatness()];
  let filled = before;
  if (results) {
    const { works, cpu, costs, figures, conditions } = tablesOf(results);
    const tables = [works, cpu, costs, figures].filter(({ length }) => length > 1);
    filled = fill(filled, 'bench', `${tables.map(markdown).join('\n')}\n${conditions}\n`);
  }
  if (flatness)
    filled = fill(
      filled,
      'flat',
      `${markdown(flatnessTable(flatness))}\n${flatnessConditions(flatness)}\n\n${CHART}\n`,
    );
  if (process.argv.includes('--check')) return filled === before ? 0 : 1;
  writeFileSync(FILE, filled);
  return 0;
}

/** @throws Error when the file has no lines `<!-- name:begin -->` and `<!-- name:end -->`. */
function fill(text: string, name: string, table: string): string {
  const marked = new RegExp(`(<!-- ${name}:begin -->\\n)[\\s\\S]*?(<!-- ${name}:end -->)`);
  if (!marked.test(text)) throw new Error(`docs/benchmarks.md has no place for ${name}`);
  // A replacement function: figures may contain the patterns of String.replace, such as $&.
  return text.replace(marked, (_all, begin: string, end: string) => `${begin}\n${table}\n${end}`);
}

function markdown([head = [], ...rows]: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
}

process.exitCode = main();
