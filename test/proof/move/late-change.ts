import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../../support/eventually.js';
import type { Scene } from './scene.js';
import type { Traffic } from './traffic.js';

const ORDERS = 12;
/** The interval is shorter than a request waits for its order: a change is waiting at any moment, and is young. */
const EVERY_MS = 600;
const ENDS_AFTER_MS = 1_000;
const STATUS = 'SELECT status FROM stores WHERE id = $1';

/**
 * Makes changes that begin before the store is closed, and end later because they wait for their orders. The move must
 * wait for them, and include what they write. Call it when the drain begins.
 */
export async function changeLate({ home, shop }: Scene, traffic: Traffic): Promise<void> {
  const { database } = home.rig;
  const storeId = shop.store.id;
  const client = new pg.Client({ connectionString: database.url });
  // A move that fails ends the proof, and its servers.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ id: string }>(
      `SELECT id FROM orders WHERE store_id = $1 AND fulfillment_status = 'PENDING' ORDER BY id LIMIT ${ORDERS} FOR UPDATE`,
      [storeId],
    );
    const statusIs = (wanted: readonly string[], timeoutMs: number) =>
      eventually(async () => {
        const [store] = await database.query<{ status: string }>(STATUS, [storeId]);
        if (!wanted.includes(store?.status ?? '')) throw new Error(`The store is still ${store?.status}`);
      }, timeoutMs);
    let isClosed = false;
    const closed = statusIs(['MOVING', 'MOVED'], 60_000).finally(() => (isClosed = true));
    const changes: Promise<void>[] = [];
    for (const { id } of rows) {
      if (!isClosed) changes.push(traffic.cancel(id, null));
      await Promise.race([closed, delay(EVERY_MS)]);
    }
    await closed;
    await statusIs(['MOVED'], ENDS_AFTER_MS).catch(() => undefined);
    await client.query('ROLLBACK');
    await Promise.all(changes);
  } finally {
    await client.end();
  }
}
