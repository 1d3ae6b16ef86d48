import type { Database } from '@app/infrastructure';
import pg from 'pg';
import { PostgresOrderRepository } from '../../libs/infrastructure/src/orders/postgres-order.repository.js';
import { lockOrder } from '../../libs/infrastructure/src/orders/order-changes.js';
import type { Statement, TransactionSql } from '../../libs/infrastructure/src/postgres/transaction-sql.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { rowsReadBy, type RunPlan } from '../support/rows-read.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const EVENTS = 20_000;
const TRACKED = `INSERT INTO order_events (store_id, order_id, actor_type, event, reference)
  SELECT $1, $2, 'key', 'shipment_changed', 'S-1' FROM generate_series(1, ${EVENTS / 2})`;
const CONFIRMED = `INSERT INTO order_events (store_id, order_id, actor_type, event, field, from_value, to_value)
  VALUES ($1, $2, 'key', 'status_changed', 'fulfillment_status', 'PENDING', 'CONFIRMED')`;

let database: TestDatabase;
let store: StoreFixture;
let order: string;
let client: pg.Client;
/** The rows of order_events that the statements since the last look have read. */
let eventsRead = 0;

/** Runs a statement with the settings of a connection for requests, and counts the events that it reads. */
async function run<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
  const { rows } = await client.query<RunPlan>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
  eventsRead += rowsReadBy(rows[0] as RunPlan).get('order_events') ?? 0;
  return (await client.query<Row & pg.QueryResultRow>(text, [...values])).rows;
}

beforeAll(async () => {
  database = await createTestDatabase();
  store = await StoreFixture.create(database);
  order = await store.order({ status: 'PENDING', fulfillment_status: 'CONFIRMED' });
  for (let n = 0; n < 50; n++) await database.query(CONFIRMED, [store.id, await store.order()]);
  await database.query(TRACKED, [store.id, order]);
  await database.query(CONFIRMED, [store.id, order]);
  await database.query(TRACKED, [store.id, order]);
  await database.query('VACUUM ANALYZE order_events');
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off');
});
afterAll(async () => {
  await client.end();
  await database.drop();
});
beforeEach(() => {
  eventsRead = 0;
});

describe('an order with thousands of events', () => {
  const orders = new PostgresOrderRepository({ queryPrepared: run } as unknown as Database);

  it('shows a page of its history, and reads the others once, to count them', async () => {
    const { rows, total } = await orders.history(store.id, order, { page: 1, limit: 3 });

    expect(rows.map(({ event }) => event)).toEqual(['imported', 'shipment_changed', 'shipment_changed']);
    expect(rows[0]?.details).toMatchObject({ fulfillment_status: 'PENDING' });
    expect(total).toBe(EVENTS + 2);
    expect(eventsRead).toBeLessThan(EVENTS + 100);
  });

  it.each([1, 2, 7])('shows each event once in pages of %s', async (limit) => {
    const long = await orders.history(store.id, order, { page: 1, limit: 28 });
    const pages = Array.from({ length: 28 / limit }, (_, n) => orders.history(store.id, order, { page: n + 1, limit }));

    expect((await Promise.all(pages)).flatMap(({ rows }) => rows)).toEqual(long.rows);
    expect(long.rows).toHaveLength(28);
  });

  it('is locked for a change without a walk through its history', async () => {
    const sql = {
      pipeline: (statements: readonly Statement[]) =>
        Promise.all(statements.map(({ text, values }) => run(text, values))),
    } as unknown as TransactionSql;

    const locked = await lockOrder(sql, { storeId: store.id, reference: order, isTest: null });

    expect(locked?.state.unshippedStatus).toBe('CONFIRMED');
    expect(eventsRead).toBeLessThan(10);
  });
});
