import type pg from 'pg';
import { ReadBatches } from './read-batches.js';

/** Returns the names of the reads on each connection. */
async function batchesOf(reads: readonly (readonly [name: string, ...values: readonly unknown[]])[]) {
  const batches: string[][] = [];
  const shared = new ReadBatches((_owner, work) => {
    const sent: string[] = [];
    batches.push(sent);
    const query = ({ text }: pg.QueryConfig) => (sent.push(text), Promise.resolve({ rows: [] }));
    return work({ query } as unknown as pg.PoolClient);
  });
  await Promise.all(reads.map(([text, ...values]) => shared.query({ text, values })));
  return batches;
}

describe('ReadBatches', () => {
  it('sends four reads of a store on a connection, and those of another store on another', async () => {
    const batches = await batchesOf([
      ['a', 1],
      ['other', 2],
      ...['b', 'c', 'd', 'e'].map((name) => [name, 1] as const),
    ]);

    expect(batches).toEqual([['a', 'b', 'c', 'd'], ['other'], ['e']]);
  });

  it('sends look-ups of keys beside the reads of stores', async () => {
    const batches = await batchesOf([
      ['page', 1],
      ['keys', ['hash']],
      ['receipt', 'R-1'],
    ]);

    expect(batches).toEqual([['page'], ['keys', 'receipt']]);
  });

  it('sends the clock with the prices of its order', async () => {
    const batches = await batchesOf([['prices', 1], ['clock'], ['prices', 2], ['clock']]);

    expect(batches).toEqual([
      ['prices', 'clock'],
      ['prices', 'clock'],
    ]);
  });
});
