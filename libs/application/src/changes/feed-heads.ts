import { Injectable } from '@nestjs/common';
import { ChangeFeed, type ChangeKind, type FeedHead } from '../ports/change-feed.js';

const RECENT_MS = 1_000;

/** The heads of the feed, as tags of answers need them. */
@Injectable()
export class FeedHeads {
  private readonly known = new Map<string, FeedHead | null>();

  constructor(private readonly feed: ChangeFeed) {}

  /** Tells whether an earlier answer is still what the service would send. Null while a change may lack its position. */
  async now(storeId: number, kind: ChangeKind): Promise<FeedHead | null> {
    const head = await this.feed.head(storeId, kind);
    const key = `${storeId} ${kind}`;
    if (!this.known.has(key)) setTimeout(() => this.known.delete(key), RECENT_MS).unref();
    this.known.set(key, head);
    return head;
  }

  /**
   * The head as it was at most about a second ago, for an answer that is read afterwards. It saves a look-up per answer. A
   * reader whose answer is newer than its tag receives the same answer once more, and never misses a change.
   */
  async recent(storeId: number, kind: ChangeKind): Promise<FeedHead | null> {
    const head = this.known.get(`${storeId} ${kind}`);
    return head === undefined ? this.now(storeId, kind) : head;
  }
}
