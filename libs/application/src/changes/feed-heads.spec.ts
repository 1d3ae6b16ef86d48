import type { ChangeFeed, FeedHead } from '../ports/change-feed.js';
import { FeedHeads } from './feed-heads.js';

describe('FeedHeads', () => {
  let position = 1;
  let settled = true;
  let lookUps = 0;
  let heads: FeedHeads;
  beforeEach(() => {
    jest.useFakeTimers();
    [position, settled, lookUps] = [1, true, 0];
    const head = (): Promise<FeedHead | null> => {
      lookUps++;
      return Promise.resolve(settled ? { branch: 'b', position } : null);
    };
    heads = new FeedHeads({ head } as unknown as ChangeFeed);
  });
  afterEach(() => jest.useRealTimers());

  it('looks up a recent head once in a second', async () => {
    await heads.recent(1, 'orders');
    position = 2;

    expect(await heads.recent(1, 'orders')).toEqual({ branch: 'b', position: 1 });
    expect(lookUps).toBe(1);

    jest.advanceTimersByTime(1_000);
    expect(await heads.recent(1, 'orders')).toEqual({ branch: 'b', position: 2 });
  });

  it('looks up the head of now each time, which is then the recent one', async () => {
    await heads.now(1, 'orders');
    position = 2;

    expect(await heads.now(1, 'orders')).toEqual({ branch: 'b', position: 2 });
    expect(await heads.recent(1, 'orders')).toEqual({ branch: 'b', position: 2 });
  });

  it('keeps no head of another store or kind', async () => {
    await heads.recent(1, 'orders');
    await heads.recent(2, 'orders');
    await heads.recent(1, 'brands');

    expect(lookUps).toBe(3);
  });

  it('returns null while a change may lack its position, and looks again after a second', async () => {
    settled = false;
    expect(await heads.recent(1, 'orders')).toBeNull();
    settled = true;
    expect(await heads.recent(1, 'orders')).toBeNull();

    jest.advanceTimersByTime(1_000);
    expect(await heads.recent(1, 'orders')).toEqual({ branch: 'b', position: 1 });
  });
});
