import { Injectable } from '@nestjs/common';
import { Deadline } from '../deadline.js';
import { DeadlineExceeded } from '../failures.js';
import { ChangeFeed, type Change, type ChangedResource, type FeedPage, type FeedQuery } from '../ports/change-feed.js';
import { ChangedRecords } from './changed-records.js';
import { FeedWatch } from './feed-watch.js';

/** A page ends with the record that reaches this size. */
const PAGE_BYTES = 512 * 1024;
/**
 * The number of records in the first read. Their size limits the next read, so that few large records are read in vain.
 */
const FIRST_READ = 1;
/** The reads of a page of 100 are then 1, 7, 56 and 36 records. */
const GROWTH = 7;

export interface ChangesPage extends Omit<FeedPage, 'changes'> {
  readonly changes: readonly ChangedResource[];
}

export interface LongPoll {
  readonly waitMs: number;
  readonly over: AbortSignal;
  /** Aborts when the client disconnects. The read then stops and fails with the reason. */
  readonly gone: AbortSignal;
  /** Returns why the reader may not continue, or null when it may. It is called after each wait. */
  readonly refusal: () => Promise<Error | null>;
  /** Called before each wait. */
  readonly waits: () => void;
}

@Injectable()
export class FeedService {
  constructor(
    private readonly feed: ChangeFeed,
    private readonly records: ChangedRecords,
    private readonly watch: FeedWatch,
  ) {}

  /**
   * Returns a page of the feed. An empty page is held until there is a change or the time is over. @throws
   * CursorExpired
   */
  async poll(
    storeId: number,
    query: FeedQuery,
    { waitMs, over, gone, refusal, waits }: LongPoll,
  ): Promise<ChangesPage> {
    const deadline = Deadline.in(waitMs);
    let page = await this.read(storeId, query, gone);
    let changed = true;
    while (changed && page.changes.length === 0 && !page.hasMore && !page.rewound && deadline.remainingMs > 0) {
      waits();
      const watched = { storeId, kinds: query.kinds, position: page.next.position };
      changed = await this.watch.wait(watched, deadline.remainingMs, over);
      // The page is read again even without a change: a count that names the answer's cursor assumes that everything
      // before the answer is before the cursor, and other kinds may have changed during the wait.
      // @protects place-after-wait
      page = await this.read(storeId, { ...query, after: page.next }, gone);
      const refused = await refusal();
      if (refused) throw refused;
    }
    return page;
  }

  /**
   * Returns a page of the feed, cut after the record that makes it too large.
   * @param gone stops the read, which then fails with the reason.
   * @throws CursorExpired
   */
  async read(storeId: number, query: FeedQuery, gone: AbortSignal): Promise<ChangesPage> {
    gone.throwIfAborted();
    // The records are read last, so they are at least as new as the changes. A newer record appears again, at a later
    // position.
    const page = await this.ofMode(storeId, await this.feed.read(storeId, query), query);
    const changes: ChangedResource[] = [];
    let bytes = 0;
    let count = FIRST_READ;
    while (changes.length < page.changes.length) {
      gone.throwIfAborted();
      const next = page.changes.slice(changes.length, changes.length + count);
      const read = await this.withRecords(storeId, next).catch((error: unknown) => {
        // Their sizes differ from those of earlier records. The next page begins with the first of them alone.
        if (error instanceof DeadlineExceeded && changes.length > 0) return null;
        throw error;
      });
      if (!read) return { ...page, ...cutAfter(changes, page) };
      for (const change of read) {
        changes.push(change);
        bytes += weightOf(change.record);
        if (bytes >= PAGE_BYTES) return { ...page, ...cutAfter(changes, page) };
      }
      count = Math.min(
        GROWTH * changes.length,
        Math.ceil(((PAGE_BYTES - bytes) * changes.length) / Math.max(bytes, 1)),
      );
    }
    return { ...page, changes };
  }

  /**
   * Omits orders of the other mode, whose records are not read. The position stays, because the reader has passed them.
   */
  private async ofMode(storeId: number, page: FeedPage, { isTest }: FeedQuery): Promise<FeedPage> {
    const orders = page.changes.filter(({ kind }) => kind === 'orders').map(({ id }) => id);
    if (isTest === undefined || orders.length === 0) return page;
    const others = await this.records.ordersOfMode(storeId, orders, !isTest);
    return { ...page, changes: page.changes.filter(({ kind, id }) => kind !== 'orders' || !others.has(id)) };
  }

  private async withRecords(storeId: number, changes: readonly Change[]): Promise<ChangedResource[]> {
    const kinds = [...new Set(changes.map(({ kind }) => kind))];
    const found = new Map(
      await Promise.all(
        kinds.map(async (kind) => {
          const ids = changes.filter((change) => change.kind === kind).map(({ id }) => id);
          return [kind, await this.records.find(storeId, kind, ids)] as const;
        }),
      ),
    );
    return changes.map(
      (change) => ({ ...change, record: found.get(change.kind)?.get(change.id) ?? null }) as ChangedResource,
    );
  }
}

function cutAfter(changes: readonly ChangedResource[], { changes: all, next, hasMore }: FeedPage) {
  const last = changes.at(-1);
  if (!last || changes.length === all.length) return { changes, hasMore };
  return { changes, hasMore: true, next: { ...next, position: last.position } };
}

/** Estimates the size of a value as JSON in bytes, at a fraction of the cost of serialising it. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let weight = 0;
  for (const part of Object.values(value)) weight += 16 + weightOf(part);
  return weight;
}
