import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { flatTable, type FlatRow } from './flatness/table.js';
import type { WorkRow } from './measure.js';
import { conditionsOf, readRun, type Table } from './report.js';
import { costTable, speedTable } from './tables.js';

// Fills the tables of docs/benchmarks.md from the last full runs: tsx test/bench/table.ts [--check]
// --check writes nothing and exits with 1 when the file is out of date.

const FILE = path.resolve(import.meta.dirname, '../../docs/benchmarks.md');

const markdown = ([head = [], ...rows]: Table) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

/** @throws Error when the file has no lines `<!-- name:begin -->` and `<!-- name:end -->`. */
function fill(text: string, name: string, filling: string): string {
  const marked = new RegExp(`(<!-- ${name}:begin -->\\n)[\\s\\S]*?(<!-- ${name}:end -->)`);
  if (!marked.test(text)) throw new Error(`docs/benchmarks.md has no place for ${name}`);
  return text.replace(marked, (_all, begin: string, end: string) => `${begin}\n${filling}\n\n${end}`);
}

const before = readFileSync(FILE, 'utf8');
const works = readRun<WorkRow>('results');
const flat = readRun<FlatRow>('flatness');
const tables = [speedTable(works), costTable(works)].map(markdown);
const filled = fill(
  fill(before, 'bench', [...tables, conditionsOf(works)].join('\n')),
  'flat',
  `${markdown(flatTable(flat.rows))}\n${conditionsOf(flat)}`,
);
if (!process.argv.includes('--check')) writeFileSync(FILE, filled);
else if (filled !== before) process.exitCode = 1;
