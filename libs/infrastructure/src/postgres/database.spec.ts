import type pg from 'pg';
import { Database } from './database.js';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a page of large rows', () => {
  it('is read when the answer with the page before it is made', async () => {
    const done: string[] = [];
    const query = async ({ values = [] }: pg.QueryConfig) => {
      done.push(`read ${String(values[1])}`);
      await settled();
      return { rows: [] };
    };
    const database = new Database({ options: { max: 10 }, query } as unknown as pg.Pool);
    const answer = async (store: number, page: string) => {
      await database.searchLarge('/* a.list */ SELECT', [store, page], { onePlan: true });
      // The layers above.
      for (let n = 0; n < 20; n++) await Promise.resolve();
      done.push(`made ${page}`);
    };

    await Promise.all([answer(1, 'A'), answer(1, 'B'), answer(1, 'C'), answer(2, 'D')]);

    const ofFirst = done.filter((what) => !what.endsWith('D'));
    expect(ofFirst).toEqual(['read A', 'made A', 'read B', 'made B', 'read C', 'made C']);
    expect(done.indexOf('read D')).toBeLessThan(done.indexOf('read B'));
  });

  it('is not waited for when its statement fails', async () => {
    const query = ({ values = [] }: pg.QueryConfig) =>
      values[1] === 'A' ? Promise.reject(new Error('gone')) : Promise.resolve({ rows: [{ id: 1 }] });
    const database = new Database({ options: { max: 10 }, query } as unknown as pg.Pool);
    const read = (page: string) => database.searchLarge('/* a.list */ SELECT', [1, page], { onePlan: true });

    const pages = await Promise.allSettled([read('A'), read('B')]);

    expect(pages).toMatchObject([{ reason: { message: 'gone' } }, { value: [{ id: 1 }] }]);
  });
});
