import { ChangeOrder, CommitOutcomeUnknown, PipelineStages, StockService, Unavailable } from '@app/application';
import { operator, withConnection } from '@app/infrastructure';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { changing, PAYMENT } from '../support/changing.js';
import { createApp } from '../../apps/api/src/create-app.js';
import { translated } from '../../libs/infrastructure/src/postgres/postgres-errors.js';
import { WAIT_FOR_STANDBYS, WAITS_FOR_STANDBYS } from '../../libs/infrastructure/src/postgres/standby-wait.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { commandLine } from '../support/command-line.js';
import { counterValue } from '../support/counter-value.js';
import { eventually } from '../support/eventually.js';
import { startSynchronousDatabase, type SynchronousDatabase } from '../support/synchronous-database.js';
import { testConfig } from '../support/test-config.js';

// A server of its own, with a standby, is slow on a busy machine.

/** No server has this name: commits wait until the wait ends from outside. */
const ABSENT = 'absent';

let database: SynchronousDatabase;
let store: StoreFixture;
let app: NestFastifyApplication;
let mug: number;
let keys = 0;

async function start(url: string): Promise<NestFastifyApplication> {
  const started = await createApp(testConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent' }), url);
  await started.init();
  await started.getHttpAdapter().getInstance().ready();
  return started;
}

beforeAll(async () => {
  database = await startSynchronousDatabase();
  store = await StoreFixture.create(database);
  mug = await store.product({ stock: 1_000, slug: 'mug' });
  app = await start(database.url);
});
afterAll(async () => {
  await app.close();
  await database.drop();
});
afterEach(() => database.waitFor(''));

const post = (key: string | null, at = app, more = {}): Promise<LightMyRequestResponse> =>
  at.inject({
    method: 'POST',
    url: '/v1/orders',
    headers: { authorization: `Bearer ${store.key}`, ...(key !== null && { 'idempotency-key': key }) },
    payload: { items: [{ product_id: mug, quantity: 1 }], customer: { name: 'Ada' }, ...more },
  });
const outcome = ({ statusCode, headers }: LightMyRequestResponse) => [statusCode, headers['x-error-code']];
const orders = async () => (await database.query('SELECT FROM orders')).length;
const unknownCommits = (reason: string) => counterValue(app, 'database_commits_unknown_total', { reason });
const UNKNOWN = [503, 'outcome_unknown'];
/** An order that waits for its standby ends with the request's deadline, unless the server gives up earlier. */
const NOT_ACKNOWLEDGED = [UNKNOWN, [503, 'deadline_exceeded']];

async function whileWaitsEnd<T>(how: 'pg_cancel_backend' | 'pg_terminate_backend', work: () => Promise<T>): Promise<T> {
  await database.waitFor(ABSENT);
  const stop = database.endWaits(how);
  try {
    return await work();
  } finally {
    await stop();
  }
}

describe('POST /v1/orders with synchronous replication', () => {
  it.each(['pg_cancel_backend', 'pg_terminate_backend'] as const)(
    'acknowledges no order, and no replay of it, whose wait for the standby ends with %s',
    async (how) => {
      const key = `key-${++keys}`;
      const before = await orders();
      const reason = how === 'pg_cancel_backend' ? 'standby' : 'connection';
      const counted = await unknownCommits(reason);

      const twice = async () => [await post(key), await post(key)];
      const answers = await whileWaitsEnd(how, () => Promise.all([twice(), post(null)]));

      for (const answer of answers.flat()) expect(NOT_ACKNOWLEDGED).toContainEqual(outcome(answer));
      // Each of the two orders is committed on the primary, which is what makes the state dangerous.
      expect(await orders()).toBe(before + 2);
      expect(await unknownCommits(reason)).toBeGreaterThan(counted);
      await database.waitFor('');
      const replay = await post(key);
      expect([replay.statusCode, replay.headers['idempotent-replayed']]).toEqual([201, 'true']);
      expect(await orders()).toBe(before + 2);
    },
  );

  it('names no unacknowledged order to an order of an archived product with the same external reference', async () => {
    const external_reference = `PO-${++keys}`;
    const repeat = () => post(null, app, { external_reference });
    await whileWaitsEnd('pg_cancel_backend', repeat);
    await database.query('UPDATE products SET status = $2 WHERE id = $1', [mug, 'ARCHIVED']);

    const refusal = await whileWaitsEnd('pg_cancel_backend', repeat);
    await database.waitFor('');
    const later = await repeat();

    await database.query(`UPDATE products SET status = 'ACTIVE' WHERE id = $1`, [mug]);
    const [row] = await database.query<{ id: string }>('SELECT id FROM orders WHERE external_reference = $1', [
      external_reference,
    ]);
    expect(NOT_ACKNOWLEDGED).toContainEqual(outcome(refusal));
    expect(refusal.headers['x-existing-order']).toBeUndefined();
    expect([...outcome(later), later.headers['x-existing-order']]).toEqual([422, 'external_reference_taken', row?.id]);
  });

  it('replays no order that a refused repeat of its request finds while the waits are cancelled', async () => {
    const key = `key-${++keys}`;
    await whileWaitsEnd('pg_cancel_backend', () => post(key));
    await database.query(`UPDATE products SET status = 'DRAFT' WHERE id = $1`, [mug]);

    const replay = await whileWaitsEnd('pg_cancel_backend', () => post(key));

    await database.query(`UPDATE products SET status = 'ACTIVE' WHERE id = $1`, [mug]);
    expect(NOT_ACKNOWLEDGED).toContainEqual(outcome(replay));
  });

  it('acknowledges no order after the primary restarts from a crash during the wait', async () => {
    const key = `key-${++keys}`;
    await database.waitFor(ABSENT);
    const placing = post(key);
    await eventually(async () => expect(await database.waiting()).not.toEqual([]));
    const [pid] = await database.waiting();

    process.kill(pid ?? 0, 'SIGKILL'); // the server restarts all its processes
    const first = await placing;
    await eventually(() => database.query('SELECT'));
    const second = await post(key);

    expect(first.statusCode).toBe(503);
    expect(second.statusCode).toBe(503);
    await database.waitFor('');
    expect((await post(key)).statusCode).toBe(201);
  });

  it('returns 503 when no standby answers', async () => {
    const key = `key-${++keys}`;
    await database.waitFor(ABSENT);

    const first = await post(key);
    const waiting = await database.waiting();
    const second = await post(key);

    expect(NOT_ACKNOWLEDGED).toContainEqual(outcome(first));
    // docs/high-availability.md: an order leaves one session.
    expect(waiting).toHaveLength(1);
    // The commit of the first still holds the key.
    expect([outcome(second), ...NOT_ACKNOWLEDGED]).toContainEqual([409, 'idempotency_in_flight']);
  });

  it('recognises a cancelled wait where the role shows no warnings', async () => {
    await database.query(`ALTER ROLE CURRENT_USER SET client_min_messages = error`);
    const strict = await start(database.url);

    const answer = await whileWaitsEnd('pg_cancel_backend', () => post(null, strict));

    await strict.close();
    await database.query(`ALTER ROLE CURRENT_USER RESET client_min_messages`);
    expect(NOT_ACKNOWLEDGED).toContainEqual(outcome(answer));
  });

  it('is unavailable, not defective, where a fail-over has left the connection to a server in recovery', async () => {
    const server = await database.addStandby();
    const standby = new pg.Client({ connectionString: server.url });
    await standby.connect();
    await standby.query(`ALTER SYSTEM SET synchronous_standby_names = '${ABSENT}'`);
    await standby.query('SELECT pg_reload_conf()');
    await eventually(async () => {
      const { rows } = await standby.query<{ waits: boolean }>(`SELECT ${WAITS_FOR_STANDBYS} AS waits`);
      expect(rows).toEqual([{ waits: true }]);
    });

    const refusal = await translated(standby.query(WAIT_FOR_STANDBYS)).catch((error: Error) => error);
    await standby.end();
    await server.stop();

    expect(refusal).toBeInstanceOf(Unavailable);
  });

  it('loses no acknowledged order at the fail-over to a standby that had stopped streaming', async () => {
    const standby = await database.addStandby();
    await database.waitFor('*');
    const replicated = await post('before');
    await standby.freeze();
    const key = 'while-frozen';
    const stop = database.endWaits('pg_cancel_backend');
    const answers = [await post(key), await post(key)];
    await stop();

    await standby.promote();
    const survivor = await start(standby.url);
    const [kept, placed] = [await post('before', survivor), await post(key, survivor)];
    const list = await survivor.inject({ url: '/v1/orders', headers: { authorization: `Bearer ${store.key}` } });
    await survivor.close();

    expect(replicated.statusCode).toBe(201);
    expect(kept.body).toBe(replicated.body);
    for (const answer of answers) expect(NOT_ACKNOWLEDGED).toContainEqual(outcome(answer));
    expect([placed.statusCode, placed.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect(list.body).toContain(placed.json<{ data: { order_id: string } }>().data.order_id);
  });
});

describe('a worker with synchronous replication', () => {
  const claim = () =>
    app.get(PipelineStages, { strict: false }).claim({ most: 1_000, mostOfStore: 1_000, running: new Map() }, 1);

  it.each(['pg_cancel_backend', 'pg_terminate_backend'] as const)(
    'claims no stage of an order that the standby may not have, when its wait ends with %s',
    async (how) => {
      await whileWaitsEnd(how, () => post(null));

      const unconfirmed = await whileWaitsEnd(how, () => claim().catch((error: Error) => error));
      await database.waitFor('');
      const confirmed = await claim();

      expect(unconfirmed).toBeInstanceOf(CommitOutcomeUnknown);
      expect(confirmed).not.toEqual([]);
    },
  );
});

describe('operations with synchronous replication whose wait is cancelled', () => {
  const line = commandLine(() => database);
  const placed = async () => {
    const { order_id: orderId } = (await post(null)).json<{ data: { order_id: string } }>().data;
    return { storeId: store.id, orderId };
  };
  const setStock = async () => {
    const [place] = await database.query<{ productId: number; bin: string }>(
      `SELECT products.id AS "productId", bins.code AS bin FROM products, bins WHERE slug = 'mug' LIMIT 1`,
    );
    if (!place) throw new Error('The store has no mug');
    const located = { variantId: null, warehouse: 'MAIN', ...place };
    const write = { kind: 'set', to: 7, expected: null } as const;
    return app.get(StockService).change({
      ...{ storeId: store.id, actor: operator(), lines: [{ sku: null, ...located, write, asOf: null, invalid: null }] },
      ...{ reference: null, reason: '', idempotency: null, isAtomic: true, createsBins: false },
      requestHash: Buffer.from('hash'),
    });
  };

  it.each<[string, (order: Awaited<ReturnType<typeof placed>>) => Promise<unknown>]>([
    ['a payment', (order) => app.get(ChangeOrder).pay(changing(order), PAYMENT)],
    [
      'a repeated payment',
      async (order) => {
        const pay = () => app.get(ChangeOrder).pay(changing(order), PAYMENT);
        await pay().catch(() => undefined);
        return pay();
      },
    ],
    ['a stock quantity', setStock],
    [
      'an import that repeats another one and writes nothing',
      () =>
        withConnection(database.url, 'test', (own) => own.transaction(null, (sql) => sql.query('SELECT FROM orders'))),
    ],
  ])('%s reports an unknown outcome', async (_name, change) => {
    const order = await placed();

    const result = await whileWaitsEnd('pg_cancel_backend', () => change(order).catch((error: Error) => error));

    expect(result).toBeInstanceOf(CommitOutcomeUnknown);
  });

  it('the command `orders set-status` says that the outcome is unknown', async () => {
    const { orderId } = await placed();
    const command = ['orders', 'set-status', orderId, '--fulfillment-status', 'CANCELLED', '--yes'];

    const { code, stdout, stderr } = await whileWaitsEnd('pg_cancel_backend', () => line.cli(command));

    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('The outcome of the commit is unknown');
  });
});
