import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const HERE = path.resolve(import.meta.dirname, '..');
const PROMISES = path.resolve(HERE, '../../docs/promises.md');

/** The row of a proof in docs/promises.md. */
export interface Row {
  /** The row without its last two cells. */
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

/** Writes the verdict, the duration and the date of a full run to the row of the proof. */
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
