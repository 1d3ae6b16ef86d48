import type { TestDatabase } from '../../support/test-database.js';
import type { Endpoint } from './endpoint.js';

const SHOWN = 5;

/** Compares what each endpoint was told with the feed: every change after its beginning, in its newest state. */
export async function missedChanges(
  database: TestDatabase,
  storeId: number,
  endpoints: readonly Endpoint[],
): Promise<string[]> {
  const rows = await database.query<{ id: string; kind: string; entity: string; position: string; deleted: boolean }>(
    `SELECT webhooks.id, kind, entity, changes.position, deleted
     FROM webhooks JOIN changes USING (store_id) WHERE store_id = $1 AND kind = ANY (kinds) AND NOT EXISTS (
       SELECT FROM orders WHERE orders.store_id = $1 AND orders.id::text = entity AND is_test)`,
    [storeId],
  );
  return endpoints.flatMap((endpoint) => {
    const faults = rows
      .filter(({ id }) => id === endpoint.id)
      .flatMap(({ kind, entity, position, deleted }) => {
        const told = endpoint.told(kind, entity);
        if (!told || told.position < Number(position)) return `${endpoint.name}: was not told of ${kind} ${entity}`;
        return told.deleted === deleted ? [] : `${endpoint.name}: was told a wrong state of ${kind} ${entity}`;
      });
    return faults.length > SHOWN ? [...faults.slice(0, SHOWN), `${endpoint.name}: ${faults.length} in all`] : faults;
  });
}
