import { SharedReads } from './shared-reads.js';

interface Thing {
  readonly id: number;
  readonly storeId: number;
}

const keyOf = ({ id }: Thing) => String(id);

/** The first of ten large things. */
const LARGE = 100;

describe('SharedReads', () => {
  let asked: string[];
  let things: SharedReads<Thing>;
  beforeEach(() => {
    asked = [];
    things = new SharedReads((storeId, ids, size) => {
      asked.push(`${storeId}: ${ids.join()}`);
      const known = ids.map(Number).filter((id) => id < LARGE + 10);
      size.bytes = known.filter((id) => id >= LARGE).length * 512 * 1024;
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
    expect(await things.find(7, '110')).toBeNull();
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

  it('reads one record at a time after a large one, and more again after small ones', async () => {
    const read = (storeId: number, ids: readonly number[]) =>
      Promise.all(ids.map((id) => things.find(storeId, String(id))));
    await read(7, [LARGE]);
    asked = [];

    await read(7, [LARGE, LARGE + 1, 1, 2, 3, 4]);
    await read(8, [1, 2, 3]);

    expect(asked).toEqual(['7: 100', '7: 101', '7: 1', '7: 2,3', '7: 4', '8: 1,2,3']);
  });

  it('lets the process do other work between the answers with a large record', async () => {
    await things.find(7, String(LARGE));
    let answers = 0;
    const crowd = Promise.all(Array.from({ length: 5 }, () => things.find(7, String(LARGE)).then(() => answers++)));

    const seen: number[] = [];
    while (answers < 5) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(answers);
    }
    await crowd;

    expect(seen).toEqual(expect.arrayContaining([1, 2, 3, 4, 5]));
  });
});
