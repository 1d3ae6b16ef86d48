import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tablesOf } from './report/lines.js';
import { readResults } from './report/results.js';

// Fills the README's table of speed from the last full run: tsx test/bench/table.ts [--check]
// With --check nothing is written, and the exit code tells whether the table is up to date.

const README = path.resolve(import.meta.dirname, '../../README.md');
const MARKED = /(<!-- bench:begin -->\n)[\s\S]*?(<!-- bench:end -->)/;

function main(): number {
  const before = readFileSync(README, 'utf8');
  const results = readResults();
  if (!MARKED.test(before) || !results) {
    const problem = results
      ? 'README.md has no lines <!-- bench:begin --> and <!-- bench:end -->'
      : 'There is no full run';
    process.stderr.write(`${problem}\n`);
    return 2;
  }
  const { works, figures, conditions } = tablesOf(results);
  const text = `${markdown(works)}\n${markdown(figures)}\n${conditions}\n`;
  // Through a function: figures may contain what String.replace takes for a pattern.
  const filled = before.replace(MARKED, (_all, begin: string, end: string) => `${begin}\n${text}\n${end}`);
  if (process.argv.includes('--check')) return filled === before ? 0 : 1;
  writeFileSync(README, filled);
  return 0;
}

function markdown([head = [], ...rows]: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
}

process.exitCode = main();
