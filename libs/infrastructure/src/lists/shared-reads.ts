import { GroupedLookup } from '../postgres/grouped-lookup.js';

/** Reads single records: those of a store that are requested at the same time with one statement. */
export class SharedReads<Found> {
  /** Each store has one, so that a slow statement delays the readers of its store only. */
  private readonly lookups = new Map<number, GroupedLookup<Found>>();

  /** @param keyOf the key with which the record is found. */
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
