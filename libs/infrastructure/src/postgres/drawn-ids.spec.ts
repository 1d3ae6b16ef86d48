import { DrawnIds } from './drawn-ids.js';

describe('DrawnIds', () => {
  let last: number;
  beforeEach(() => (last = 100));
  const brands = { table: 'brands', free: 'free', draw: 'draw' };
  const query = (sql: string, value: unknown) =>
    Promise.resolve(sql === 'free' ? (value as number[]) : Array.from({ length: value as number }, () => ++last));

  it('gives back also spare numbers that rows of the transaction name, so that no request uses up numbers', async () => {
    const spare = new Map([['brands', [7, 8]]]);
    const refused = async () => {
      const drawnIds = new DrawnIds(spare);
      const ids = await drawnIds.draw(query, brands, 2, new Set([7, 8]));
      drawnIds.returnUnused();
      return ids;
    };

    const first = await refused();
    for (let n = 0; n < 5; n++) await refused();

    expect(first).toEqual([101, 102]);
    expect([last, spare.get('brands')?.toSorted((a, b) => a - b)]).toEqual([102, [7, 8, 101, 102]]);
  });

  it('keeps the numbers of a transaction that commits', async () => {
    const spare = new Map([['brands', [7]]]);

    expect(await new DrawnIds(spare).draw(query, brands, 2)).toEqual([7, 101]);
    expect(spare.get('brands')).toEqual([]);
  });
});
