import type { Numbered } from './batch.js';
import type { BundleLine } from './bundle.js';
import { BundleLineError, Fault } from './faults.js';
import { checkLine, parseLine } from './parse-line.js';
import { readLines } from './read-lines.js';

/** A checked line, and how many bytes of the source it ends after; 0 for objects. */
export interface SizedLine extends Numbered {
  readonly bytes: number;
}

const BATCH_LINES = 1_000;
/** So that a batch of long lines does not fill the memory. */
const BATCH_BYTES = 4_000_000;
/** Reads and checks NDJSON. @throws BundleLineError at the first bad line. */
export async function* parsedLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<SizedLine> {
  for await (const { number, text, bytes } of readLines(source)) {
    yield { number, bytes, line: atLine(number, () => parseLine(text)) };
  }
}

/** Checks lines that exist as objects. @throws BundleLineError at the first bad one. */
export function* checkedLines(lines: Iterable<BundleLine>): Generator<SizedLine> {
  let number = 0;
  for (const line of lines) {
    number++;
    yield { number, bytes: 0, line: atLine(number, () => checkLine(line)) };
  }
}

/** Adds the number of the line to a fault. @throws BundleLineError */
export function atLine<T>(number: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Fault ? new BundleLineError(number, error.message) : error;
  }
}

/** Groups lines into what one transaction writes. */
export async function* batchesOf(lines: AsyncIterable<SizedLine> | Iterable<SizedLine>): AsyncGenerator<SizedLine[]> {
  let batch: SizedLine[] = [];
  let start = 0;
  for await (const line of lines) {
    batch.push(line);
    if (batch.length < BATCH_LINES && line.bytes - start < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    start = line.bytes;
  }
  if (batch.length > 0) yield batch;
}
