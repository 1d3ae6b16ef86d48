import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { specsOf } from '../gate.js';
import type { Proof } from './proof.js';

/** A full run that ended. */
export interface ProofResult {
  readonly verdict: 'PASS' | 'FAIL';
  readonly seconds: number;
  /** Absent for the embedded PostgreSQL. */
  readonly engine?: string;
}

const HERE = path.resolve(import.meta.dirname, '..');
const PROMISES = path.resolve(HERE, '../../docs/promises.md');

/** The row of a proof in the table of docs/promises.md. */
export function rowOf({ name, promise, attack }: Proof, lastRun: string): string {
  const specs = specsOf(name)?.map((spec) => `[${path.basename(spec, '.spec.ts')}](../${spec})`);
  const gate = specs?.join(', ') ?? 'the short form';
  return `| ${name} | ${promise} | ${attack} | ${lastRun} | ${gate} |`;
}

/** The rows of docs/promises.md by proof. */
export function readRows(): ReadonlyMap<string, string> {
  const [, table = ''] = readFileSync(PROMISES, 'utf8').split('| proof | promise |');
  const rows = [...table.matchAll(/^\| ([a-z][a-z-]*) \|.*$/gm)];
  return new Map(rows.map(([row, name = '']) => [name, row]));
}

/** Writes the verdict, the seconds and the date to the row of the proof. */
export function writeResult(proof: Proof, { verdict, seconds, engine }: ProofResult): void {
  const date = new Date().toISOString().slice(0, 10);
  const on = engine === undefined ? '' : `, on ${engine}`;
  const row = rowOf(proof, `${verdict === 'PASS' ? 'held' : '**FAILED**'}, ${seconds} s, ${date}${on}`);
  const before = readRows().get(proof.name);
  if (before === undefined) throw new Error(`docs/promises.md has no row for ${proof.name}`);
  const text = readFileSync(PROMISES, 'utf8');
  writeFileSync(
    PROMISES,
    text.replace(before, () => row),
  );
}

/** Appends to the figures of all runs on this machine. */
export function keepFigures(line: string): void {
  appendFileSync(runFile('figures.log'), `${new Date().toISOString()} ${line}`);
}

/** The file for the requests and answers of a failed run. */
export function failureFile(name: string, seed: number): string {
  return runFile(`${name}-${seed}.ndjson`);
}

function runFile(name: string): string {
  const directory = path.join(HERE, 'runs');
  mkdirSync(directory, { recursive: true });
  return path.join(directory, name);
}
