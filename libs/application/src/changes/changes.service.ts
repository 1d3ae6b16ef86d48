import { Injectable } from '@nestjs/common';
import {
  ChangeFeed,
  type Change,
  type ChangeKind,
  type FeedPage,
  type FeedQuery,
  type RecordOfKind,
} from '../ports/change-feed.js';
import { ChangedRecords } from './changed-records.js';

/** A change with the full record of the resource as it is now; null when the API does not show it any more. */
export type ChangedResource = {
  readonly [Kind in ChangeKind]: Change & { readonly kind: Kind; readonly record: RecordOfKind[Kind] | null };
}[ChangeKind];

export interface ChangesPage extends Omit<FeedPage, 'changes'> {
  readonly changes: readonly ChangedResource[];
}

@Injectable()
export class ChangesService {
  constructor(
    private readonly feed: ChangeFeed,
    private readonly records: ChangedRecords,
  ) {}

  /** @throws CursorExpired when the reader may have missed a deletion. */
  async read(storeId: number, query: FeedQuery): Promise<ChangesPage> {
    // The records last: they are at least as new as the changes. A newer one comes again, after a later position.
    const { changes, ...page } = await this.feed.read(storeId, query);
    const kinds = [...new Set(changes.map(({ kind }) => kind))];
    const found = new Map(
      await Promise.all(
        kinds.map(async (kind) => {
          const ids = changes.filter((change) => change.kind === kind).map(({ id }) => id);
          return [kind, await this.records.find(storeId, kind, ids)] as const;
        }),
      ),
    );
    const withRecord = (change: Change) =>
      ({ ...change, record: found.get(change.kind)?.get(change.id) ?? null }) as ChangedResource;
    return { ...page, changes: changes.map(withRecord) };
  }
}
