import { Injectable } from '@nestjs/common';
import { ChangeFeed, type ChangeKind, type NewestPositions } from '../ports/change-feed.js';

const POLL_MS = 250;

interface Watcher {
  readonly storeId: number;
  readonly kinds: readonly ChangeKind[];
  readonly position: number;
  readonly wake: (changed: boolean) => void;
}

/** Polls with one statement for all waiting readers of the process, so a waiting reader holds no connection. */
@Injectable()
export class FeedWatch {
  private readonly watchers = new Set<Watcher>();
  private closed = false;
  private polling = false;

  constructor(private readonly feed: ChangeFeed) {}

  /**
   * Resolves when one of the kinds has a change after the position, on timeout, or when the process shuts down. It may
   * resolve early. @returns whether there is a change.
   */
  wait(watched: Omit<Watcher, 'wake'>, milliseconds: number, gone: AbortSignal): Promise<boolean> {
    if (this.closed || gone.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (changed: boolean) => {
        clearTimeout(timer);
        gone.removeEventListener('abort', leave);
        this.watchers.delete(watcher);
        resolve(changed);
      };
      const leave = () => end(false);
      const timer = setTimeout(leave, milliseconds);
      gone.addEventListener('abort', leave);
      const watcher = { ...watched, wake: end };
      this.watchers.add(watcher);
      void this.poll();
    });
  }

  /** Ends all waits. Later waits end at once. */
  close(): void {
    this.closed = true;
    for (const { wake } of this.watchers) wake(false);
  }

  private async poll(): Promise<void> {
    if (this.polling) return;
    this.polling = true;
    while (this.watchers.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      const stores = [...new Set([...this.watchers].map(({ storeId }) => storeId))];
      // A waiting reader does not fail with the database; its next request does.
      const newest = await this.feed.newest(stores).catch((): NewestPositions => new Map());
      for (const { storeId, kinds, position, wake } of this.watchers) {
        const positions = newest.get(storeId);
        if (positions && kinds.some((kind) => positions[kind] > position)) wake(true);
      }
    }
    this.polling = false;
  }
}
