import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../../support/eventually.js';
import type { Shop } from '../support/shop.js';
import { orderBody } from '../support/store-setup.js';

const CHANGES = ['archived', 'blocked'] as const;
/** Long enough that the repeat could be refused while the first order still waits. */
const HEAD_START_MS = 250;

const WAITS_FOR_STOCK = `
  SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%stock.withdraw%'`;

/** A repeat must not get a final refusal when the first order, which waits for stock, is placed. */
export async function refuseLate(shop: Shop, rounds: number): Promise<string[]> {
  const locker = new pg.Client({ connectionString: shop.context.rig.database.url });
  await locker.connect();
  const violations: string[] = [];
  try {
    for (let n = 0; n < rounds; n++) violations.push(...(await refuseOnce(shop, locker, n)));
  } finally {
    await locker.end();
  }
  return violations;
}

async function refuseOnce({ context, store, buyers, services }: Shop, locker: pg.Client, n: number) {
  const { database } = context.rig;
  const change = CHANGES[n % CHANGES.length] ?? 'archived';
  const key = `late-refusal-${n}`;
  const product = await store.product({ stock: [5] });
  const body = orderBody([{ product_id: product, quantity: 1 }], key);
  await locker.query('BEGIN');
  await locker.query('SELECT FROM stock WHERE store_id = $1 AND product_id = $2 FOR UPDATE', [store.id, product]);
  const sent = buyers.send(services[0], { body, key });
  await eventually(async () => {
    if ((await database.query(WAITS_FOR_STOCK)).length === 0) throw new Error('The first order does not wait');
  });
  if (change === 'archived') {
    await database.query(`UPDATE products SET status = 'ARCHIVED' WHERE store_id = $1 AND id = $2`, [
      store.id,
      product,
    ]);
  } else {
    const settings = { blocked_emails: [body.customer['email']] };
    await database.query('UPDATE stores SET fraud_settings = $2 WHERE id = $1', [store.id, settings]);
  }
  const repeated = buyers.send(services[1], { body, key });
  await Promise.race([repeated, delay(HEAD_START_MS)]);
  await locker.query('COMMIT');

  const [first, repeat] = await Promise.all([sent, repeated]);
  await database.query(`UPDATE stores SET fraud_settings = '{}' WHERE id = $1`, [store.id]);
  if (first.status !== 201) return [`${key}: the first order was answered ${first.status}`];
  if (repeat.status === 201 && repeat.bytes.equals(first.bytes)) return [];
  return [`${key}: the order was placed, and its repeat (${change}) answered ${repeat.status}`];
}
