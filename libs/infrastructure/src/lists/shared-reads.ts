import { GroupedLookup } from '../postgres/grouped-lookup.js';

/** Reads single records: those of a store that are requested at the same time with one statement. */
export class SharedReads<Found extends { readonly id: string | number }> {
  private readonly lookup = new GroupedLookup<Found>((keys) => this.read(keys));

  /** @param findMany a statement for records of one store, in any order. Ids are as in the records. */
  constructor(private readonly findMany: (storeId: number, ids: readonly string[]) => Promise<readonly Found[]>) {}

  find(storeId: number, id: string): Promise<Found | null> {
    return this.lookup.find(`${storeId} ${id}`);
  }

  private async read(keys: readonly string[]): Promise<Map<string, Found>> {
    const idsOf = new Map<number, string[]>();
    for (const [storeId = '', id = ''] of keys.map((key) => key.split(' '))) {
      idsOf.set(Number(storeId), [...(idsOf.get(Number(storeId)) ?? []), id]);
    }
    const stores = await Promise.all(
      [...idsOf].map(async ([storeId, ids]) => {
        const records = await this.findMany(storeId, ids);
        return records.map((record) => [`${storeId} ${record.id}`, record] as const);
      }),
    );
    return new Map(stores.flat());
  }
}
