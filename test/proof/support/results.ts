import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Proof } from './proof.js';

/** The last full run of a proof that passed or failed. */
export interface ProofResult {
  readonly verdict: 'PASS' | 'FAIL';
  readonly promise: string;
  readonly attack: string;
  readonly figures: string;
  readonly command: string;
  readonly date: string;
  readonly seed: number;
  readonly seconds: number;
  /** Absent for the embedded PostgreSQL. */
  readonly engine?: string;
}

const HERE = path.resolve(import.meta.dirname, '..');
const FILE = path.join(HERE, 'results.json');

export function readResults(): Record<string, ProofResult> {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, ProofResult>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** Replaces the result of that proof and keeps the others. */
export function writeResult(
  proof: Proof,
  run: Pick<ProofResult, 'verdict' | 'figures' | 'seed' | 'seconds' | 'engine'>,
): void {
  const { name, promise, attack } = proof;
  const date = new Date().toISOString().slice(0, 10);
  const result: ProofResult = { ...run, promise, attack, command: `npm run proof:${name}`, date };
  const results = Object.entries({ ...readResults(), [name]: result }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(results), null, 2)}\n`);
}

/** The file for the requests and answers of a failed run. */
export function failureFile(name: string, seed: number): string {
  const directory = path.join(HERE, 'failures');
  mkdirSync(directory, { recursive: true });
  return path.join(directory, `${name}-${seed}.ndjson`);
}
