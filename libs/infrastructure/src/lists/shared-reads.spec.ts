import { SharedReads } from './shared-reads.js';

interface Thing {
  readonly id: number;
  readonly storeId: number;
}

const keyOf = ({ id }: Thing) => String(id);

describe('SharedReads', () => {
  let asked: string[];
  let things: SharedReads<Thing>;
  beforeEach(() => {
    asked = [];
    things = new SharedReads((storeId, ids) => {
      asked.push(`${storeId}: ${ids.join()}`);
      const known = ids.map(Number).filter((id) => id < 10);
      return Promise.resolve(known.map((id) => ({ id, storeId })));
    }, keyOf);
  });

  it('reads the records of a store that are requested together at once', async () => {
    const found = await Promise.all(['1', '2', '1'].map((id) => things.find(7, id)));

    expect(found.map((thing) => thing?.id)).toEqual([1, 2, 1]);
    expect(asked).toEqual(['7: 1,2']);
  });

  it('gives each store its own record of an id', async () => {
    const found = await Promise.all([things.find(7, '1'), things.find(8, '1')]);

    expect(found.map((thing) => thing?.storeId)).toEqual([7, 8]);
    expect(asked).toEqual(['7: 1', '8: 1']);
  });

  it('returns null for a record that does not exist', async () => {
    expect(await things.find(7, '10')).toBeNull();
  });

  it('finds the record of a store while the statements of another store hang', async () => {
    const hanging = new SharedReads<Thing>(
      (storeId, ids) =>
        storeId === 7 ? new Promise(() => undefined) : Promise.resolve(ids.map((id) => ({ id: Number(id), storeId }))),
      keyOf,
    );
    for (const id of ['1', '2', '3']) {
      hanging.find(7, id).catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect(await hanging.find(8, '1')).toEqual({ id: 1, storeId: 8 });
  });
});
