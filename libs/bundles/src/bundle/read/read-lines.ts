import { BundleLineError } from '../check/faults.js';

export interface SourceLine {
  readonly number: number;
  readonly text: string;
  readonly bytes: number;
}

export interface UnreadableLine {
  readonly number: number;
  readonly bytes: number;
  readonly fault: BundleLineError;
}

/** A longer line is not a record of a bundle, and must not fill the memory. */
export const MAX_LINE_BYTES = 20_000_000;

const TOO_LONG = `is longer than ${MAX_LINE_BYTES} bytes`;
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Counts blank lines but does not return them, and drops a byte order mark. Reading ends when
 * a line exceeds the limit before its end is read.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SourceLine | UnreadableLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let number = 0;
  let bytes = 0;
  let rest: Uint8Array[] = [];
  let restLength = 0;

  const unreadable = (problem: string): UnreadableLine => ({
    number,
    bytes,
    fault: new BundleLineError(number, problem),
  });
  const finish = (last: Uint8Array): SourceLine | UnreadableLine | null => {
    number++;
    const line = rest.length === 0 ? last : Buffer.concat([...rest, last]);
    rest = [];
    restLength = 0;
    if (line.length > MAX_LINE_BYTES) return unreadable(TOO_LONG);
    const text = decode(decoder, line, number);
    if (text === null) return unreadable('is not UTF-8 text');
    return text.trim() === '' ? null : { number, text, bytes };
  };

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      bytes += end + 1 - start + restLength;
      const line = finish(chunk.subarray(start, end));
      if (line) yield line;
      start = end + 1;
    }
    if (start === chunk.length) continue;
    rest.push(chunk.subarray(start));
    restLength += chunk.length - start;
    if (restLength > MAX_LINE_BYTES) {
      number++;
      yield unreadable(TOO_LONG);
      return;
    }
  }
  bytes += restLength;
  const line = finish(new Uint8Array());
  if (line) yield line;
}

function decode(decoder: InstanceType<typeof TextDecoder>, line: Uint8Array, number: number): string | null {
  try {
    const text = decoder.decode(line);
    return number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  } catch {
    return null;
  }
}
