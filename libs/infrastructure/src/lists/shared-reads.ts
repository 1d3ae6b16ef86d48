import { GroupedLookup } from '../postgres/grouped-lookup.js';

/** Reads single records: those of a store that are requested at the same time with one statement. */
export class SharedReads<Found extends { readonly id: string | number }> {
  /** One for each store, so that a slow statement delays the readers of its store only. */
  private readonly lookups = new Map<number, GroupedLookup<Found>>();

  constructor(private readonly findMany: (storeId: number, ids: readonly string[]) => Promise<readonly Found[]>) {}

  find(storeId: number, id: string): Promise<Found | null> {
    let lookup = this.lookups.get(storeId);
    if (!lookup) {
      lookup = new GroupedLookup(async (ids) => {
        const records = await this.findMany(storeId, ids);
        return new Map(records.map((record) => [String(record.id), record]));
      });
      this.lookups.set(storeId, lookup);
    }
    return lookup.find(id);
  }
}
