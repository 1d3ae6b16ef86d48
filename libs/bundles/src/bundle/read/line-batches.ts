import type { Numbered } from '../write/batch.js';
import type { BundleLine } from '../schema/bundle.js';
import { BundleLineError, Fault } from '../check/faults.js';
import { checkLine } from '../check/check-line.js';
import { readLines } from './read-lines.js';

export interface SizedLine extends Numbered {
  readonly bytes: number;
  readonly trimmed?: readonly string[];
}

interface BadLine {
  readonly number: number;
  readonly bytes: number;
  readonly given?: unknown;
  readonly fault: BundleLineError;
}

export interface LineBatch {
  readonly lines: readonly SizedLine[];
  readonly bad: readonly BadLine[];
}

const BATCH_LINES = 1_000;
/** Limits the memory for a batch of long lines. */
const BATCH_BYTES = 4_000_000;

export async function* parsedLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<SizedLine | BadLine> {
  for await (const line of readLines(source)) {
    if ('fault' in line) yield line;
    else yield checked(line.number, line.bytes, () => parseJson(line.text));
  }
}

export function* checkedLines(lines: Iterable<BundleLine>): Generator<SizedLine | BadLine> {
  let number = 0;
  for (const line of lines) yield checked(++number, 0, () => structuredClone(line));
}

function checked(number: number, bytes: number, read: () => unknown): SizedLine | BadLine {
  let given: unknown;
  try {
    given = read();
    const trimmed: string[] = [];
    const line = checkLine(given, (path) => trimmed.push(path));
    return { number, bytes, line, ...(trimmed.length > 0 && { trimmed }) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { number, bytes, given, fault: new BundleLineError(number, error.message) };
  }
}

export function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    // The message of the parser quotes the line, which may contain personal data.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    const place = position === undefined ? '' : ` (character ${Number(position) + 1})`;
    throw new Fault('the line', `is not valid JSON${place}`);
  }
}

/** Reports a single fault, instead of one for each line, when no line of the source is an object with a kind. */
export async function* ofBundle(batches: AsyncIterable<LineBatch>): AsyncGenerator<LineBatch> {
  let isFirst = true;
  for await (const batch of batches) {
    const [first, ...others] = batch.bad;
    if (isFirst && first && others.length > 0 && batch.lines.length === 0 && !batch.bad.some(hasKind)) {
      const problem = `none of the first ${batch.bad.length} lines is a JSON object with a kind: the file is not a store bundle`;
      const fault = new BundleLineError(first.number, `${first.fault.problem}; ${problem}`);
      yield { lines: [], bad: [{ ...first, fault }] };
      return;
    }
    isFirst = false;
    yield batch;
  }
}

const hasKind = ({ given }: BadLine): boolean => typeof given === 'object' && given !== null && 'kind' in given;

export async function* batchesOf(
  lines: AsyncIterable<SizedLine | BadLine> | Iterable<SizedLine | BadLine>,
): AsyncGenerator<LineBatch> {
  let batch = { lines: [] as SizedLine[], bad: [] as BadLine[] };
  let start = 0;
  for await (const line of lines) {
    if ('fault' in line) batch.bad.push(line);
    else batch.lines.push(line);
    if (batch.lines.length + batch.bad.length < BATCH_LINES && line.bytes - start < BATCH_BYTES) continue;
    yield batch;
    batch = { lines: [], bad: [] };
    start = line.bytes;
  }
  if (batch.lines.length + batch.bad.length > 0) yield batch;
}
