import { DeadlineExceeded, FeedService, type ChangeFeed, type FeedPage, type FeedWatch } from '@app/application';
import type { ChangedRecords } from '../../../libs/application/src/feed/changed-records.js';

/** Simulates a page of 100 orders, whose records are read in time when they are at most this many. */
function feedThatReads(inTime: number): FeedService {
  const changes = Array.from({ length: 100 }, (_, n) => ({ kind: 'orders', id: String(n), position: BigInt(n + 1) }));
  const page = { changes, next: { position: 100n }, hasMore: false } as unknown as FeedPage;
  const find = (_storeId: number, _kind: string, ids: readonly string[]) =>
    ids.length > inTime
      ? Promise.reject(new DeadlineExceeded())
      : Promise.resolve(new Map(ids.map((id) => [id, { id }])));
  return new FeedService(
    { read: () => Promise.resolve(page) } as unknown as ChangeFeed,
    { find } as unknown as ChangedRecords,
    {} as FeedWatch,
  );
}

const read = (feed: FeedService) =>
  feed.read(1, { after: null } as unknown as Parameters<FeedService['read']>[1], new AbortController().signal);

describe('A page of the feed', () => {
  it('has all changes when their records are read in time', async () => {
    const { changes, hasMore } = await read(feedThatReads(100));

    expect([changes.length, hasMore]).toEqual([100, false]);
  });

  it('ends before records that take too long, so that a reader gets beyond them', async () => {
    const { changes, hasMore, next } = await read(feedThatReads(10));

    expect([changes.length, hasMore, next.position]).toEqual([8, true, 8n]);
  });

  it('fails when its first record takes too long', async () => {
    await expect(read(feedThatReads(0))).rejects.toThrow(DeadlineExceeded);
  });
});
