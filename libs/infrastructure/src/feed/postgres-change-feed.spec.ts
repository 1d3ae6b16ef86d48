import type { Database } from '../postgres/database.js';
import { PostgresChangeFeed } from './postgres-change-feed.js';

describe('PostgresChangeFeed', () => {
  it('numbers the changes of a store while the numbering of another one takes long', async () => {
    let end: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (end = resolve));
    const numbered = [{ moved: 1 }];
    const database = {
      queryPrepared: (_text: string, [storeId]: readonly unknown[]) =>
        storeId === 1 ? slow.then(() => numbered) : Promise.resolve(numbered),
    };
    const feed = new PostgresChangeFeed(database as unknown as Database);
    const ended: number[] = [];
    const catchUp = async (storeId: number) => {
      await feed.catchUp(storeId);
      ended.push(storeId);
    };

    const first = catchUp(1);
    await catchUp(2);
    end();
    await first;

    expect(ended).toEqual([2, 1]);
  });
});
