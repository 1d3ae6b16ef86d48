import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { NAMED_PROOFS } from './proofs.js';
import { figuresOf } from './support/figures.js';
import { readResults, type ProofResult } from './support/results.js';

// Fills docs/promises.md from the last full runs: tsx test/proof/table.ts [--check]
// --check writes nothing and exits with 1 when the file is out of date.

const FILE = path.resolve(import.meta.dirname, '../../docs/promises.md');
const MARKED = /(<!-- proofs:begin -->\n)[\s\S]*?(<!-- proofs:end -->)/;

function main(): number {
  const before = readFileSync(FILE, 'utf8');
  if (!MARKED.test(before)) {
    process.stderr.write('docs/promises.md has no lines <!-- proofs:begin --> and <!-- proofs:end -->\n');
    return 2;
  }
  const results = NAMED_PROOFS.flatMap(({ name }) => readResults()[name] ?? []);
  const table = [['promise', 'attack', 'last run'], ['---', '---', '---'], ...results.map(rowOf)];
  const text = [
    table.map((cells) => `| ${cells.join(' | ')} |\n`).join(''),
    '\n## Figures\n',
    ...results.map(sectionOf),
  ].join('');
  // A replacement function: figures may contain the patterns of String.replace, such as $&.
  const filled = before.replace(MARKED, (_all, begin: string, end: string) => `${begin}\n${text}\n${end}`);
  if (process.argv.includes('--check')) return filled === before ? 0 : 1;
  writeFileSync(FILE, filled);
  return 0;
}

function rowOf({ verdict, promise, attack, command, date, seconds, engine }: ProofResult): string[] {
  const run = `\`${command}\`: ${verdict === 'PASS' ? 'held' : '**FAILED**'}, ${seconds} s, ${date}${engine === undefined ? '' : `, on ${engine}`}`;
  return [promise, attack, run].map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' '));
}

function sectionOf({ verdict, promise, figures, command, date, seed, seconds }: ProofResult): string {
  const lines = figuresOf(figures).map((figure) => `- ${figure}\n`);
  return `\n### ${promise}\n\n\`${command}\`, ${date}, seed ${seed}, ${seconds} s: ${verdict}\n\n${lines.join('')}`;
}

process.exitCode = main();
