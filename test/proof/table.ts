import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { specsOf } from './gate.js';
import { NAMED_PROOFS } from './proofs.js';
import { figuresOf } from './support/figures.js';
import { readResults, type ProofResult } from './support/results.js';

// Fills docs/promises.md from the last full runs: tsx test/proof/table.ts

const FILE = path.resolve(import.meta.dirname, '../../docs/promises.md');
const MARKED = /(<!-- proofs:begin -->\n)[\s\S]*?(<!-- proofs:end -->)/;

interface Run extends ProofResult {
  readonly name: string;
}

function main(): number {
  const before = readFileSync(FILE, 'utf8');
  if (!MARKED.test(before)) {
    process.stderr.write('docs/promises.md has no lines <!-- proofs:begin --> and <!-- proofs:end -->\n');
    return 2;
  }
  const results = readResults();
  const runs = NAMED_PROOFS.flatMap(({ name }) => (results[name] ? [{ name, ...results[name] }] : []));
  const head = ['promise', 'attack', 'last run', 'in `npm test`'];
  const table = [head, head.map(() => '---'), ...runs.map(rowOf)];
  const text = [
    table.map((cells) => `| ${cells.join(' | ')} |\n`).join(''),
    '\n## Figures\n\n',
    ...runs.map(sectionOf),
  ].join('');
  // A replacement function: figures may contain the patterns of String.replace, such as $&.
  writeFileSync(
    FILE,
    before.replace(MARKED, (_all, begin: string, end: string) => `${begin}\n${text}\n${end}`),
  );
  return 0;
}

function rowOf({ name, verdict, promise, attack, command, date, seconds, engine }: Run): string[] {
  const run = `\`${command}\`: ${verdict === 'PASS' ? 'held' : '**FAILED**'}, ${seconds} s, ${date}${engine === undefined ? '' : `, on ${engine}`}`;
  const gate = specsOf(name)?.map((spec) => `[${path.basename(spec, '.spec.ts')}](../${spec})`) ?? ['the short form'];
  return [promise, attack, run, gate.join(', ')].map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' '));
}

function sectionOf({ name, verdict, figures, date, seed, seconds }: Run): string {
  const lines = figuresOf(figures).map((figure) => `  - ${figure}\n`);
  return `- **${name}**, ${date}, seed ${seed}, ${seconds} s: ${verdict}\n${lines.join('')}`;
}

process.exitCode = main();
