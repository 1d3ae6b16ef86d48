import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROOFS } from './proofs.js';
import { readResults, type ProofResult } from './support/results.js';

// Fills the README's table of promises from the last full runs: tsx test/proof/table.ts [--check]
// With --check nothing is written, and the exit code tells whether the table is up to date.

const README = path.resolve(import.meta.dirname, '../../README.md');
const MARKED = /(<!-- proofs:begin -->\n)[\s\S]*?(<!-- proofs:end -->)/;

function main(): number {
  const before = readFileSync(README, 'utf8');
  if (!MARKED.test(before)) {
    process.stderr.write('README.md has no lines <!-- proofs:begin --> and <!-- proofs:end -->\n');
    return 2;
  }
  const results = readResults();
  const rows = PROOFS.flatMap(({ name }) => (results[name] ? [rowOf(results[name])] : []));
  const table = [
    ['promise', 'attack and measured figures', 'command', 'last run'],
    ['---', '---', '---', '---'],
    ...rows,
  ];
  const text = table.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  // Through a function: figures may contain what String.replace takes for a pattern.
  const filled = before.replace(MARKED, (_all, begin: string, end: string) => `${begin}\n${text}\n${end}`);
  if (process.argv.includes('--check')) return filled === before ? 0 : 1;
  writeFileSync(README, filled);
  return 0;
}

function rowOf({ verdict, promise, attack, figures, command, date, seed, seconds }: ProofResult): string[] {
  const outcome = verdict === 'PASS' ? figures : `**FAILED**: ${figures}`;
  const cells = [promise, `${attack}<br>${outcome}`, `\`${command}\``, `${date}, seed ${seed}, ${seconds} s`];
  return cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' '));
}

process.exitCode = main();
