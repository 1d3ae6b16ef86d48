import { seededRandom } from '../../support/seeded-random.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { fingerprintOf, usageViolations, type Watched } from './fingerprint.js';
import { openTwoStores } from './two-stores.js';

describe('the fingerprint of a store', () => {
  let database: TestDatabase;
  let watched: Watched;
  let moving: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    const { theirs, settledOrder } = await openTwoStores(database, seededRandom(1));
    watched = { storeId: theirs.id, settledOrder };
    moving = await theirs.order();
    const values = [theirs.id, moving];
    await database.query(`INSERT INTO fraud_assessments VALUES ($1, $2, 'REVIEW', 50)`, values);
    await database.query(
      `INSERT INTO order_stages (store_id, order_id, stage, state, position) VALUES ($1, $2, 'notify-customer', 'pending', 1)`,
      values,
    );
  });
  afterAll(() => database.drop());

  const change = (sql: string) =>
    database.query(sql, sql.includes('$2') ? [watched.storeId, moving] : [watched.storeId]);

  it.each([
    'UPDATE api_keys SET name = name || 1 WHERE store_id = $1',
    `UPDATE api_keys SET status = 'REVOKED' WHERE store_id = $1`,
    'UPDATE stores SET name = name || 1 WHERE id = $1',
    'UPDATE orders SET notes = notes || 1 WHERE store_id = $1',
    'UPDATE fraud_assessments SET score = score + 1 WHERE store_id = $1 AND order_id <> $2',
    'UPDATE fraud_assessments SET created_at = now() WHERE store_id = $1 AND order_id = $2',
    'UPDATE order_stages SET attempts = attempts + 1 WHERE store_id = $1 AND order_id <> $2',
    'UPDATE order_stages SET position = position + 1 WHERE store_id = $1 AND order_id = $2',
    `INSERT INTO list_tally_changes (store_id, list, period, labels, rows) VALUES ($1, 'orders', current_date, '{a}', 1)`,
  ])('changes with %s', async (sql) => {
    const before = await fingerprintOf(database, watched);

    await change(sql);

    expect(await fingerprintOf(database, watched)).not.toBe(before);
  });

  it.each([
    'UPDATE api_keys SET last_used_at = now() WHERE store_id = $1',
    `UPDATE fraud_assessments SET verdict = 'ACCEPT', score = 0 WHERE store_id = $1 AND order_id = $2`,
    `UPDATE order_stages SET state = 'done', attempts = 1, updated_at = now() WHERE store_id = $1 AND order_id = $2`,
    'SELECT fold_list_tally_changes_of($1, (SELECT max(id) FROM list_tally_changes))',
  ])('stays the same with the later work of the service: %s', async (sql) => {
    const before = await fingerprintOf(database, watched);

    await change(sql);

    expect(await fingerprintOf(database, watched)).toBe(before);
  });

  it('has a limit on written usage: the number of own requests', async () => {
    await change(`INSERT INTO api_key_usage SELECT store_id, id, current_date, 5, 0 FROM api_keys WHERE store_id = $1`);

    expect(await usageViolations(database, watched.storeId, 5)).toEqual([]);
    expect(await usageViolations(database, watched.storeId, 4)).toEqual([
      'Usage of their keys: 5 requests, 0 throttled, after 4 of their own',
    ]);
  });
});
