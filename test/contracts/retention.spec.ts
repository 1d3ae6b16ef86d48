import { purgeExpired } from '@app/infrastructure';
import pg from 'pg';
import { createApp } from '../../apps/api/src/create-app.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { eventually } from '../support/eventually.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { testConfig } from '../support/test-config.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const DAYS = { rejectedOrders: 90, keyUsage: 400 };

describe('retention', () => {
  let database: TestDatabase;
  let store: StoreFixture;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = await StoreFixture.create(database);
    pool = new pg.Pool({ connectionString: database.url, max: 2 });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const keep = (key: string, age: string) =>
    database.query(
      `INSERT INTO idempotency_keys VALUES ($1, 'live', $2, 'stock', 'hash', '[]', now() - $3::interval)`,
      [store.id, key, age],
    );
  const keys = async () =>
    (await database.query<{ key: string }>('SELECT key FROM idempotency_keys')).map(({ key }) => key);

  it('removes idempotency keys after 24 hours, not before', async () => {
    await keep('young', '23 hours 59 minutes');
    await keep('old', '24 hours 1 minute');

    await purgeExpired(pool, DAYS);

    expect(await keys()).toEqual(['young']);
  });

  it('removes places for counts after 7 days, except the newest of the old ones, which the cursors of 7 days ago have', async () => {
    const another = await StoreFixture.create(database);
    for (const [storeId, position, days] of [
      [store.id, 1, 9],
      [store.id, 2, 8],
      [store.id, 3, 6],
      [another.id, 1, 30],
    ])
      await database.query(
        `INSERT INTO feed_snapshots (store_id, branch, position, began_after, snapshot, taken_at)
         VALUES ($1, 1, $2, 0, pg_current_snapshot(), now() - $3 * interval '1 day')`,
        [storeId, position, days],
      );

    await purgeExpired(pool, DAYS);

    const left = await database.query('SELECT store_id, position::int FROM feed_snapshots ORDER BY store_id, position');
    expect(left).toEqual([
      { store_id: store.id, position: 2 },
      { store_id: store.id, position: 3 },
      { store_id: another.id, position: 1 },
    ]);
  });

  it('removes assessments of rejected orders after the configured days, and never those of placed orders', async () => {
    await database.query(
      `INSERT INTO fraud_assessments (store_id, order_id, verdict, score, created_at)
       SELECT $1, gen_random_uuid(), verdict, score, now() - age * interval '1 day'
       FROM (VALUES ('REJECT', 89, 1), ('REJECT', 91, 2), ('REVIEW', 1000, 3), ('ACCEPT', 1000, 4)) AS t (verdict, age, score)`,
      [store.id],
    );
    const order_id = await store.order();
    const imported = { order_id, verdict: 'REJECT', score: 5, created_at: new Date(0) };
    await store.row('fraud_assessments', imported);

    await purgeExpired(pool, DAYS);

    const left = await database.query('SELECT score FROM fraud_assessments ORDER BY score');
    expect(left).toEqual([{ score: 1 }, { score: 3 }, { score: 4 }, { score: 5 }]);
  });

  it('removes the daily usage counts of keys after the configured days, in more than one batch', async () => {
    await database.query(
      `INSERT INTO api_key_usage (store_id, key_id, day, requests, throttled)
       SELECT store_id, id, (now() AT TIME ZONE 'UTC')::date - age, age, 0 FROM api_keys, generate_series(399, 2900) AS age
       WHERE store_id = $1`,
      [store.id],
    );

    await purgeExpired(pool, DAYS);

    const left = await database.query('SELECT requests::int AS age FROM api_key_usage ORDER BY requests');
    expect(left).toEqual([{ age: 399 }, { age: 400 }]);
  });

  it('runs while a backlog of mail waits', async () => {
    const smtp = await SmtpSink.start();
    smtp.behaviour = { kind: 'hang', at: 'greeting' };
    for (let n = 0; n < 10; n++) {
      const order_id = await store.order({ customer_email: `ada${n}@example.com` });
      await store.row('order_stages', { order_id, stage: 'notify-customer', state: 'pending', position: 3 });
    }
    const { url } = database;
    const config = testConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent', PIPELINE: 'inline', SMTP_URL: smtp.url });
    const worker = await createApp(config, url);
    await keep('expired', '2 days');
    await worker.init();

    try {
      await eventually(() => expect(smtp.connections).toBeGreaterThan(0));
      await eventually(async () => expect(await keys()).not.toContain('expired'));
    } finally {
      smtp.behaviour = { kind: 'accept' };
      await smtp.close();
      await worker.close();
    }
  });
});
