import { GroupedLookup } from '../postgres/grouped-lookup.js';

/** Reads single records. One statement finds all records of a store that are requested at the same time. */
export class SharedReads<Found> {
  /** Each store has its own look-up, so that a slow statement delays only the readers of its store. */
  private readonly lookups = new Map<number, GroupedLookup<Found>>();

  /** @param keyOf returns the key that identifies a record. */
  constructor(
    private readonly findMany: (storeId: number, keys: readonly string[]) => Promise<readonly Found[]>,
    private readonly keyOf: (record: Found) => string,
  ) {}

  find(storeId: number, key: string): Promise<Found | null> {
    let lookup = this.lookups.get(storeId);
    if (!lookup) {
      lookup = new GroupedLookup(async (keys) => {
        const records = await this.findMany(storeId, keys);
        return new Map(records.map((record) => [this.keyOf(record), record]));
      });
      this.lookups.set(storeId, lookup);
    }
    return lookup.find(key);
  }
}
