import { MAX_LINE_BYTES, readLines, type SourceLine, type UnreadableLine } from './read-lines.js';
import { parseJson } from './line-batches.js';

async function* chunksOf(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
}

async function linesOf(...chunks: (string | Uint8Array)[]): Promise<SourceLine[]> {
  return collect(readLines(chunksOf(...chunks)));
}

async function collect(lines: AsyncIterable<SourceLine | UnreadableLine>): Promise<SourceLine[]> {
  const collected: SourceLine[] = [];
  for await (const line of lines) collected.push('fault' in line ? { ...line, text: line.fault.message } : line);
  return collected;
}

describe('readLines', () => {
  it('numbers lines from 1, and counts but does not return blank ones', async () => {
    const lines = await linesOf('a\n\r\n  \nb');

    expect(lines.map(({ number, text }) => [number, text])).toEqual([
      [1, 'a'],
      [4, 'b'],
    ]);
  });

  it('joins a line that arrives in chunks, even when a chunk ends within a character', async () => {
    const euro = Buffer.from('€');

    const lines = await linesOf('{"a":"', euro.subarray(0, 1), euro.subarray(1), '"}\nb\n');

    expect(lines.map(({ text }) => text)).toEqual(['{"a":"€"}', 'b']);
  });

  it('reports the byte position at the end of each line', async () => {
    const lines = await linesOf('€', 'a\nbc', 'd\n', 'e');

    expect(lines.map(({ bytes }) => bytes)).toEqual([5, 9, 10]);
  });

  it('drops a byte order mark', async () => {
    expect(await linesOf('\ufeffa\n\ufeffb')).toMatchObject([{ text: 'a' }, { text: '\ufeffb' }]);
  });

  it('reports a line that is not UTF-8, and continues with the next', async () => {
    const lines = await linesOf('a\n', Buffer.from([0xff, 0x0a]), 'b');

    expect(lines.map(({ text }) => text)).toEqual(['a', 'line 2: is not UTF-8 text', 'b']);
  });

  it('rejects an over-long line before its end arrives', async () => {
    const part = 'x'.repeat(MAX_LINE_BYTES / 2);
    const endless = (async function* () {
      yield Buffer.from('a\n');
      for (;;) yield await Promise.resolve(Buffer.from(part));
    })();

    const lines = await collect(readLines(endless));

    expect(lines.map(({ text }) => text)).toEqual(['a', `line 2: is longer than ${MAX_LINE_BYTES} bytes`]);
  });
});

describe('parseJson', () => {
  it('names the position where the JSON ends without repeating its text', () => {
    expect(() => parseJson('{"kind":"customer","email":"ada@example.com"')).toThrow(/^the line is not valid JSON/);
    expect(() => parseJson('{"email":"ada@example.com",}')).not.toThrow(/ada/);
  });
});
