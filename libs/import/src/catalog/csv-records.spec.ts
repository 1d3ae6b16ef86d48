import { readCsv } from './csv-records.js';

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  for (const text of texts) yield Buffer.from(text);
}

async function read(...texts: string[]): Promise<void> {
  for await (const record of readCsv(pieces(...texts))) void record;
}

describe('readCsv', () => {
  const long = 'x'.repeat(1_200_000);

  it.each([
    ['in the piece of the lines before it', ['a\nb\nc\n', `d\n${long}`], 'line 5: is longer'],
    ['in a piece of its own', ['a\nb\n', long], 'line 3: is longer'],
  ])('names the line that is too long, %s', async (_where, texts, message) => {
    await expect(read(...texts)).rejects.toThrow(message);
  });
});
