import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../../support/eventually.js';
import type { Scene } from './scene.js';
import type { Traffic } from './traffic.js';

/** Less than the worker has to drain, and more than the rest of it with all that comes after it. */
const BEGINS_AFTER_MS = 700;
/** With what is left of the drain, less than the request may wait for the order. */
const ENDS_AFTER_MS = 800;
const STATUS = 'SELECT status FROM stores WHERE id = $1';

/**
 * A change that has begun when the store is closed, and ends later: it waits for its order. The move must wait for it, and take
 * along what it writes. Call it when the drain begins.
 */
export async function changeLate({ home, shop }: Scene, traffic: Traffic): Promise<void> {
  const { database } = home.rig;
  const storeId = shop.store.id;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>(
      `SELECT id FROM orders WHERE store_id = $1 AND fulfillment_status = 'PENDING' ORDER BY id LIMIT 1`,
      [storeId],
    );
    const orderId = rows[0]?.id ?? '';
    await delay(BEGINS_AFTER_MS);
    await client.query('BEGIN');
    await client.query('SELECT FROM orders WHERE store_id = $1 AND id = $2 FOR UPDATE', [storeId, orderId]);
    const cancelled = traffic.cancel(orderId, null);
    const statusIs = (wanted: readonly string[], patienceMs: number) =>
      eventually(async () => {
        const [store] = await database.query<{ status: string }>(STATUS, [storeId]);
        if (!wanted.includes(store?.status ?? '')) throw new Error(`The store is still ${store?.status}`);
      }, patienceMs);
    await statusIs(['MOVING', 'MOVED'], 30_000);
    await statusIs(['MOVED'], ENDS_AFTER_MS).catch(() => undefined);
    await client.query('ROLLBACK');
    await cancelled;
  } finally {
    await client.end();
  }
}
