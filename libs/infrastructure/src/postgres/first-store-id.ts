import { withConnection } from './connection.js';
import { LOCK_TIMEOUT_MS, whileLocked } from './migrate.js';

/** Some stores already have this id or a higher one. */
export class StoreIdsInUse extends Error {
  constructor(first: number, next: number) {
    super(`Ids of new stores cannot begin at ${first}: this cluster has used ids up to ${next - 1}.`);
  }
}

// The lock prevents that a store is created between the check of the ids and the change.
const LOCK = `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; LOCK TABLE stores IN ACCESS EXCLUSIVE MODE`;
const NEXT = `/* store_ids.next */
  SELECT greatest((SELECT max(id)::bigint + 1 FROM stores), last_value + is_called::int) AS next FROM stores_id_seq`;

/**
 * Sets the first store id of a cluster. A store keeps its id when it moves to another cluster, so each cluster starts
 * at a different id.
 * @param first the id of the next new store.
 * @throws StoreIdsInUse and changes nothing.
 */
export function beginStoreIdsAt(url: string, first: number): Promise<void> {
  return whileLocked(() =>
    withConnection(url, 'store-commerce-store-ids', (connection) =>
      connection.transaction(null, async (sql) => {
        await sql.query(LOCK);
        const [{ next } = { next: 1 }] = await sql.query<{ next: number }>(NEXT);
        if (next > first) throw new StoreIdsInUse(first, next);
        // The start value is stored too: an import gives no id below it.
        await sql.query(`ALTER TABLE stores ALTER id SET START WITH ${first} RESTART WITH ${first}`);
      }),
    ),
  );
}
