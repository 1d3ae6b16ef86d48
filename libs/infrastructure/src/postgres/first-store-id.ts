import { withConnection } from './connection.js';
import { LOCK_TIMEOUT_MS, whileLocked } from './migrate.js';

/** Stores were created at or above the id. */
export class StoreIdsInUse extends Error {
  constructor(first: number, next: number) {
    super(`Ids of new stores cannot begin at ${first}: this cluster has used ids up to ${next - 1}.`);
  }
}

// No store is created between the look at the ids and the change.
const LOCK = `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; LOCK TABLE stores IN ACCESS EXCLUSIVE MODE`;
const NEXT = `/* store_ids.next */
  SELECT greatest((SELECT max(id)::bigint + 1 FROM stores), last_value + is_called::int) AS next FROM stores_id_seq`;

/**
 * A store keeps its id when it moves to another cluster, so each cluster begins with another id.
 *
 * @param first of the next new store.
 * @throws StoreIdsInUse It changes nothing.
 */
export function beginStoreIdsAt(url: string, first: number): Promise<void> {
  return whileLocked(() =>
    withConnection(url, 'store-commerce-store-ids', (connection) =>
      connection.transaction(null, async (sql) => {
        await sql.query(LOCK);
        const [{ next } = { next: 1 }] = await sql.query<{ next: number }>(NEXT);
        if (next > first) throw new StoreIdsInUse(first, next);
        // The start is kept: an import gives no id below it.
        await sql.query(`ALTER TABLE stores ALTER id SET START WITH ${first} RESTART WITH ${first}`);
      }),
    ),
  );
}
