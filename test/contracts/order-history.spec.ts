import { PageTooLarge } from '@app/application';
import type { Database } from '@app/infrastructure';
import pg from 'pg';
import { PostgresOrderRepository } from '../../libs/infrastructure/src/orders/postgres-order.repository.js';
import { lockOrder } from '../../libs/infrastructure/src/orders/order-changes.js';
import type { Statement, TransactionSql } from '../../libs/infrastructure/src/postgres/transaction-sql.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { movedOrders } from '../support/moved-orders.js';
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
beforeAll(async () => {
  database = await createTestDatabase();
  store = await StoreFixture.create(database);
});
afterAll(() => database.drop());

const SHIPMENT = `INSERT INTO shipments (store_id, order_id, reference, number, status)
  VALUES ($1, $2, 'S-1', 1, 'shipped')`;
const EVENT = `INSERT INTO order_events (store_id, order_id, actor_type, event, reference)
  VALUES ($1, $2, 'key', 'shipment_created', 'S-1')`;
const units = (quantity: number) =>
  `INSERT INTO shipment_items (store_id, order_id, reference, position, quantity) VALUES ($1, $2, 'S-1', 0, ${quantity})`;

/** Runs statements in one transaction: $1 is the store, $2 the order. */
function run(...statements: string[]): Promise<unknown> {
  return database.query(statements.map(bound).join('; '));
}

function bound(sql: string): string {
  return sql.replaceAll('$1', String(store.id)).replaceAll('$2', `'${order}'`);
}

describe('the database refuses', () => {
  beforeEach(async () => {
    order = await store.order({ status: 'PENDING', fulfillment_status: 'PENDING' });
    await store.orderLine(order, { quantity: 2 });
  });

  it.each([
    ['a payment status', `UPDATE orders SET status = 'SUCCEEDED' WHERE id = $2`],
    ['a fulfillment status', `UPDATE orders SET fulfillment_status = 'CONFIRMED' WHERE id = $2`],
    ['a shipment', SHIPMENT],
    ['a payment', `INSERT INTO payments (store_id, order_id, reference, number, amount) VALUES ($1, $2, 'pi_1', 1, 1)`],
    ['a refund', `INSERT INTO refunds (store_id, order_id, reference, number, amount) VALUES ($1, $2, 're_1', 1, 1)`],
  ])('%s without an event', async (_what, sql) => {
    await expect(run(sql)).rejects.toThrow('without an event');
    await expect(run(sql, EVENT.replace('S-1', 'another'))).rejects.toThrow('without an event');
  });

  it('two statuses with an event of one', async () => {
    const event = `INSERT INTO order_events (store_id, order_id, actor_type, event, field, from_value, to_value)
      VALUES ($1, $2, 'key', 'status_changed', 'status', 'PENDING', 'SUCCEEDED')`;
    const both = `UPDATE orders SET status = 'SUCCEEDED', fulfillment_status = 'CONFIRMED' WHERE id = $2`;

    await expect(run(both, event)).rejects.toThrow('without an event');
    await run(event, `UPDATE orders SET status = 'SUCCEEDED' WHERE id = $2`);
  });

  it('a status whose event an earlier transaction wrote', async () => {
    for (const status of ['FAILED', 'PENDING']) await run(movedOrders({ status }, 'id = $2'));

    await expect(run(`UPDATE orders SET status = 'FAILED' WHERE id = $2`)).rejects.toThrow('without an event');
  });

  it('more units than ordered, in shipments, returns and cancellations', async () => {
    const back = 'INSERT INTO returned_units (store_id, order_id, position, quantity) VALUES ($1, $2, 0, 3)';
    const gone = back.replace('returned', 'cancelled');
    const cancelled = EVENT.replace('shipment_created', 'units_cancelled');

    await expect(run(SHIPMENT, units(3), EVENT)).rejects.toThrow('exceed the ordered units of line 1');
    await expect(run(back)).rejects.toThrow('exceed the ordered units of line 1');
    await expect(run(cancelled, gone)).rejects.toThrow('exceed the ordered units of line 1');
    await expect(run(gone.replace('3)', '1)'))).rejects.toThrow('null value in column "event"');
    await run(SHIPMENT, units(2), EVENT);
    const second = [SHIPMENT.replace("'S-1', 1", "'S-2', 2"), units(1), EVENT].map((sql) => sql.replace('S-1', 'S-2'));
    await expect(run(...second)).rejects.toThrow('exceed the ordered units of line 1');
    await expect(run(cancelled, gone.replace('3)', '1)'))).rejects.toThrow('exceed the ordered units of line 1');
  });

  it('them once for each statement, and reads no more for each of its rows', async () => {
    const shipments = SHIPMENT.replace(
      /VALUES .*/,
      `SELECT $1, $2, 'S-' || n, n, 'void' FROM generate_series(1, 200) AS n`,
    );
    const events = EVENT.replace(
      /VALUES .*/,
      `SELECT $1, $2, 'key', 'shipment_created', 'S-' || n FROM generate_series(1, 200) AS n`,
    );
    const lines = `INSERT INTO order_lines (store_id, order_id, position, name, unit_price, quantity, line_total)
      SELECT $1, $2, n, 'Mug', 1, 1, 1 FROM generate_series(1, 9) AS n`;
    const items = `INSERT INTO shipment_items (store_id, order_id, reference, position, quantity)
      SELECT $1, $2, 'S-' || n, position, 1 FROM generate_series(1, 200) AS n, generate_series(0, 9) AS position`;
    const read = `SELECT idx_tup_fetch + seq_tup_read AS rows FROM pg_stat_xact_user_tables WHERE relname = 'shipment_items'`;

    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const send = (sql: string) => client.query<{ rows: string }>(bound(sql));

    for (const sql of ['BEGIN', lines, shipments, events, items]) await send(sql);
    const [row] = (await send(read)).rows;
    await send('COMMIT');
    await client.end();

    expect(Number(row?.rows)).toBeLessThan(10_000);
  });

  it('a payment without an event, and reads no events of other orders of the transaction for that', async () => {
    for (let n = 0; n < 300; n++) await store.order({ metadata: '{"many": "yes"}' });
    const many = `(SELECT id FROM orders WHERE store_id = $1 AND metadata <> '{}') AS many`;
    const events = `INSERT INTO order_events (store_id, order_id, actor_type, event, reference)
      SELECT $1, id, 'key', 'payment_recorded', 'pi_1' FROM ${many}`;
    const payments = `INSERT INTO payments (store_id, order_id, reference, number, amount) SELECT $1, id, 'pi_1', 1, 1 FROM ${many}`;
    const read = `SELECT idx_tup_fetch + seq_tup_read AS rows FROM pg_stat_xact_user_tables WHERE relname = 'order_events'`;
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const send = (sql: string) => client.query<{ rows: string }>(bound(sql));

    for (const sql of ['SET enable_seqscan = off', 'BEGIN', events, payments, 'SET CONSTRAINTS ALL IMMEDIATE'])
      await send(sql);
    const [row] = (await send(read)).rows;
    await send('COMMIT');
    await client.end();

    expect(Number(row?.rows)).toBeLessThan(10 * 300);
  });

  it('to give a void shipment its units again', async () => {
    const to = (status: string) => `UPDATE shipments SET status = '${status}' WHERE order_id = $2`;
    await run(SHIPMENT, units(2), to('void'), EVENT);

    await expect(run(to('shipped'), EVENT)).rejects.toThrow('shipment S-1 is void');
  });

  it('to change or delete an event, except to remove its reason and metadata', async () => {
    await run(
      EVENT.replace('reference)', 'reference, details)').replace(
        "'S-1')",
        `'S-1', '{"reason": "x", "metadata": {"a": "b"}, "restock": true}')`,
      ),
    );

    for (const sql of [
      'DELETE FROM order_events WHERE order_id = $2',
      `UPDATE order_events SET actor_name = 'x' WHERE order_id = $2`,
      `UPDATE order_events SET details = details || '{"reason": "y"}' WHERE order_id = $2`,
      `UPDATE order_events SET details = details - 'restock' WHERE order_id = $2`,
    ]) {
      await expect(run(sql)).rejects.toThrow('order_events is append-only');
    }
    await run(`UPDATE order_events SET details = details - '{reason,metadata}'::text[] WHERE order_id = $2`);

    const kept = await database.query('SELECT details FROM order_events WHERE order_id = $1', [order]);
    expect(kept).toEqual([{ details: { restock: true } }]);
  });

  it.each(['order_events', 'stock_movements'])('to empty %s', async (table) => {
    const tables = table === 'order_events' ? 'order_events, cancelled_units, bookings' : table;
    await expect(database.query(`TRUNCATE ${tables}`)).rejects.toThrow(`${table} is append-only`);
  });

  it.each(['shipments', 'shipment_items', 'returned_units', 'cancelled_units', 'payments', 'refunds'])(
    'to delete rows of %s, or to empty it',
    async (table) => {
      const refusal = `${table} keeps its rows`;
      // The command names the tables that refer to this one, or PostgreSQL would ask for them first.
      const tables = table === 'shipments' ? 'shipments, shipment_items' : table;

      await expect(run(`DELETE FROM ${table} WHERE store_id = $1 AND order_id = $2`)).rejects.toThrow(refusal);
      await expect(database.query(`TRUNCATE ${tables}`)).rejects.toThrow(refusal);
    },
  );
});

describe('an order with thousands of events', () => {
  let long: string;
  let client: pg.Client;
  let eventsRead = 0;
  let bookingsRead = 0;

  async function run<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const { rows } = await client.query<RunPlan>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
    const read = rowsReadBy(rows[0] as RunPlan);
    eventsRead += read.get('order_events') ?? 0;
    bookingsRead += read.get('bookings') ?? 0;
    return (await client.query<Row & pg.QueryResultRow>(text, [...values])).rows;
  }

  const orders = new PostgresOrderRepository({ queryPrepared: run } as unknown as Database);

  beforeAll(async () => {
    long = await store.order({ status: 'PENDING', fulfillment_status: 'CONFIRMED' });
    for (let n = 0; n < 50; n++) await database.query(CONFIRMED, [store.id, await store.order()]);
    for (const sql of [TRACKED, CONFIRMED, TRACKED]) await database.query(sql, [store.id, long]);
    await database.query('VACUUM ANALYZE order_events');
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off');
  });
  afterAll(() => client.end());
  beforeEach(() => {
    eventsRead = 0;
    bookingsRead = 0;
  });

  it('is placed in the journal without a reading of its payments', async () => {
    const paid = await store.order();
    await database.query(
      `INSERT INTO bookings (store_id, is_test, order_id, at, kind, charged, credited, paid, refunded)
       SELECT $1, false, $2, now(), CASE n WHEN 1 THEN 'lines' ELSE 'payment' END::booking_kind, CASE n WHEN 1 THEN 300 ELSE 0 END, 0, 1, 0
       FROM generate_series(1, 500) AS n`,
      [store.id, paid],
    );
    await database.query('VACUUM ANALYZE bookings');

    const { rows } = await orders.journal(store.id, { orderId: paid, kind: 'order' }, { page: 1, limit: 10 });

    expect(rows).toMatchObject([{ kind: 'order', charged: 700 }]);
    expect(bookingsRead).toBe(1);
  });

  it('shows a page of its history, and reads the others once, to count them', async () => {
    const { rows, total } = await orders.history(store.id, long, { page: 1, limit: 3 });

    expect(rows.map(({ event }) => event)).toEqual(['imported', 'shipment_changed', 'shipment_changed']);
    expect(rows[0]?.details).toMatchObject({ fulfillment_status: 'PENDING' });
    expect(total).toBe(EVENTS + 2);
    expect(eventsRead).toBeLessThan(EVENTS + 100);
  });

  it.each([1, 2, 7])('shows each event once in pages of %s', async (limit) => {
    const whole = await orders.history(store.id, long, { page: 1, limit: 28 });
    const pages = Array.from({ length: 28 / limit }, (_, n) => orders.history(store.id, long, { page: n + 1, limit }));

    expect((await Promise.all(pages)).flatMap(({ rows }) => rows)).toEqual(whole.rows);
    expect(whole.rows).toHaveLength(28);
  });

  it('has pages of at most 1 MB, and names the limit of one', async () => {
    const noted = await store.order();
    await database.query(
      `INSERT INTO order_events (store_id, order_id, actor_type, event, details)
       SELECT $1, $2, 'key', 'noted', jsonb_build_object('reason', repeat('x', 50000)) FROM generate_series(1, 40)`,
      [store.id, noted],
    );
    const read = (limit: number) => orders.history(store.id, noted, { page: 1, limit });

    const refused = await read(30).catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(PageTooLarge);
    const { rows: limit } = refused as PageTooLarge;
    expect(limit).toBeGreaterThan(15);
    expect((await read(limit)).rows).toHaveLength(limit);
  });

  it('is read with a few readings of its events for all shipments that are picked', async () => {
    const corrected = await store.order();
    await database.query(
      `WITH made AS (
         INSERT INTO order_events (store_id, order_id, actor_type, event, reference)
         SELECT $1, $2, 'key', 'shipment_created', 'P-' || n FROM generate_series(1, 100) AS n
       )
       INSERT INTO shipments (store_id, order_id, reference, number, status)
       SELECT $1, $2, 'P-' || n, n, 'picking' FROM generate_series(1, 100) AS n`,
      [store.id, corrected],
    );
    await database.query(
      `INSERT INTO order_events (store_id, order_id, actor_type, event)
       SELECT $1, $2, 'key', 'contact_changed' FROM generate_series(1, 500)`,
      [store.id, corrected],
    );

    const found = await orders.findById(store.id, corrected);

    expect(found?.shipments.filter(({ isAddressChanged }) => isAddressChanged)).toHaveLength(100);
    expect(eventsRead).toBeLessThan(5 * 600);
  });

  it('is read without a walk through its history while a shipment is picked', async () => {
    await database.query(
      `WITH made AS (
         INSERT INTO order_events (store_id, order_id, actor_type, event, reference) VALUES ($1, $2, 'key', 'shipment_created', 'P-1')
       )
       INSERT INTO shipments (store_id, order_id, reference, number, status) VALUES ($1, $2, 'P-1', 1, 'picking')`,
      [store.id, long],
    );
    await database.query(
      `INSERT INTO order_events (store_id, order_id, actor_type, event) VALUES ($1, $2, 'key', 'contact_changed')`,
      [store.id, long],
    );

    const found = await orders.findById(store.id, long);

    expect(found?.shipments).toMatchObject([{ reference: 'P-1', isAddressChanged: true }]);
    expect(eventsRead).toBeLessThan(10);
  });

  it('is locked for a change without a walk through its history', async () => {
    const sql = {
      pipeline: (statements: readonly Statement[]) =>
        Promise.all(statements.map(({ text, values }) => run(text, values))),
    } as unknown as TransactionSql;

    const locked = await lockOrder(sql, { storeId: store.id, reference: long, isTest: null });

    expect(locked?.state.unshippedStatus).toBe('CONFIRMED');
    expect(eventsRead).toBeLessThan(10);
  });
});
