import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const HERE = path.resolve(import.meta.dirname, '..');
const PROMISES = path.resolve(HERE, '../../docs/promises.md');

export interface Row {
  readonly start: string;
  readonly lastRun: string;
  /** Where `npm test` looks at the promise: links to specs, or the short form of the proof. */
  readonly inTest: string;
}

export const SHORT_FORM = 'the short form';

export function readRows(): ReadonlyMap<string, Row> {
  const rows = readFileSync(PROMISES, 'utf8').matchAll(/^(\| ([a-z][a-z-]*) \| .*) \| ([^|]+) \| ([^|]+) \|$/gm);
  const entries = [...rows].map(([, start = '', name = '', lastRun = '', inTest = '']) => {
    return [name, { start, lastRun, inTest }] as const;
  });
  return new Map(entries.filter(([name]) => name !== 'proof'));
}

export function writeResult(name: string, result: string): void {
  const row = readRows().get(name);
  if (!row) throw new Error(`docs/promises.md has no row for ${name}`);
  const { start, lastRun, inTest } = row;
  const text = readFileSync(PROMISES, 'utf8');
  const after = `${start} | ${result} | ${inTest} |`;
  writeFileSync(
    PROMISES,
    text.replace(`${start} | ${lastRun} | ${inTest} |`, () => after),
  );
}

export function keepFigures(line: string): void {
  appendFileSync(runFile('figures.log'), `${new Date().toISOString()} ${line}`);
}

export function failureFile(name: string, seed: number): string {
  return runFile(`${name}-${seed}.ndjson`);
}

function runFile(name: string): string {
  const directory = path.join(HERE, 'runs');
  mkdirSync(directory, { recursive: true });
  return path.join(directory, name);
}
