import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROOFS } from './proofs.js';
import { readResults, type ProofResult } from './support/results.js';

// Fills the README's table of promises, and docs/proofs.md, from the last full runs: tsx test/proof/table.ts [--check]
// With --check it writes nothing, and the exit code says whether they are up to date.

const README = path.resolve(import.meta.dirname, '../../README.md');
const FIGURES = path.resolve(import.meta.dirname, '../../docs/proofs.md');
const MARKED = /(<!-- proofs:begin -->\n)[\s\S]*?(<!-- proofs:end -->)/;

function main(): number {
  const before = readFileSync(README, 'utf8');
  if (!MARKED.test(before)) {
    process.stderr.write('README.md has no lines <!-- proofs:begin --> and <!-- proofs:end -->\n');
    return 2;
  }
  const results = PROOFS.flatMap(({ name }) => readResults()[name] ?? []);
  const table = [['promise', 'attack', 'last run'], ['---', '---', '---'], ...results.map(rowOf)];
  const text = table.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  // Through a function: figures may contain what String.replace takes for a pattern.
  const filled = before.replace(MARKED, (_all, begin: string, end: string) => `${begin}\n${text}\n${end}`);
  const figures = `# What the proofs measured\n\nWritten by \`npm run proof:table\` from their last full runs.\n${results.map(sectionOf).join('')}`;
  if (process.argv.includes('--check')) return filled === before && figures === readFileSync(FIGURES, 'utf8') ? 0 : 1;
  writeFileSync(README, filled);
  writeFileSync(FIGURES, figures);
  return 0;
}

function rowOf({ verdict, promise, attack, command, date, seconds }: ProofResult): string[] {
  const run = `\`${command}\`: ${verdict === 'PASS' ? 'held' : '**FAILED**'}, ${seconds} s, ${date}`;
  return [promise, attack, run].map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' '));
}

function sectionOf({ verdict, promise, figures, command, date, seed, seconds }: ProofResult): string {
  const lines = figures.split('; ').map((figure) => `- ${figure}\n`);
  return `\n## ${promise}\n\n\`${command}\`, ${date}, seed ${seed}, ${seconds} s: ${verdict}\n\n${lines.join('')}`;
}

process.exitCode = main();
