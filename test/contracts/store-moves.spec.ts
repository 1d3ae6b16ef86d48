import {
  DeliverWebhooks,
  FeedService,
  MoveRefused,
  RecordFormat,
  StoreMoved,
  StoreMoves,
  StoreRepository,
  WebhookQueue,
  type MoveStep,
  type WebhookSender,
} from '@app/application';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { DataCipher } from '../../libs/infrastructure/src/platform/data-cipher.js';
import { Connection, DirectDatabase } from '../../libs/infrastructure/src/postgres/connection.js';
import {
  isCopied,
  NOT_COPIED,
  sumsOf,
  tablesOfStores,
} from '../../libs/infrastructure/src/stores/move/moved-tables.js';
import { PostgresStoreMoves } from '../../libs/infrastructure/src/stores/move/postgres-store-moves.js';
import { anOrderBody } from '../builders/order-body.js';
import { eventually } from '../support/eventually.js';
import { startOwnCluster } from '../support/own-cluster.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import type { TestDatabase } from '../support/test-database.js';

interface FeedAnswer {
  readonly cursor: string;
  readonly rewound: boolean;
  readonly data: readonly unknown[];
}

const FIRST_OF_TARGET = 1_000_001;
/** Logs every statement, and counts them. */
const SHOWS_STATEMENTS = {
  ...{ logging_collector: 'on', log_min_duration_sample: '0', log_transaction_sample_rate: '1' },
  shared_preload_libraries: 'pg_stat_statements',
};

let source: RunningApi;
let target: RunningApi;
let productId: number;
beforeAll(async () => {
  const [from, to] = await Promise.all([startOwnCluster(1), startOwnCluster(FIRST_OF_TARGET, SHOWS_STATEMENTS)]);
  [source, target] = [await startApi({}, undefined, from), await startApi({}, undefined, to)];
  productId = await source.store.product({ stock: 50 });
});
afterAll(() => Promise.all([source.stop(), target.stop()]));

const movesOf = ({ app }: RunningApi) => app.get(StoreMoves, { strict: false });
type OnStep = (step: MoveStep) => void;
const move = async (from: RunningApi, to: RunningApi, subdomain = source.store.subdomain, onStep?: OnStep) => {
  const steps: MoveStep[] = [];
  const onProgress = ({ step, detail }: { step: MoveStep; detail: string }) => {
    if (detail !== '') return;
    steps.push(step);
    onStep?.(step);
  };
  const report = await movesOf(from).move({ subdomain, target: to.database.url, onProgress });
  return { ...report, steps };
};
/** Runs a command that is killed after the step. */
const moveUntil = (last: MoveStep, subdomain: string) => {
  const onProgress = ({ step, detail }: { step: MoveStep; detail: string }) => {
    if (step === last && detail === '') throw new Error('killed');
  };
  return expect(movesOf(source).move({ subdomain, target: target.database.url, onProgress })).rejects.toThrow('killed');
};
const headers = (api: RunningApi, key: string) => ({
  authorization: `Bearer ${api.store.key}`,
  'idempotency-key': key,
});
/** Places an order in the moving store, at the processes of a cluster. */
const placeAt = (api: RunningApi, key: string) =>
  api.inject({ method: 'POST', url: '/v1/orders', headers: headers(source, key), payload: anOrderBody(productId, 1) });
const readAt = (api: RunningApi, url: string) => api.inject({ method: 'GET', url, headers: headers(source, 'read') });
const statusOf = async (database: TestDatabase, storeId: number) => {
  const [row] = await database.query<{ status: string }>('SELECT status FROM stores WHERE id = $1', [storeId]);
  return row?.status;
};
const left = async (database: TestDatabase, storeId: number) => {
  const tables = await database.query<{ name: string }>(
    `SELECT attrelid::regclass::text AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE attname = 'store_id' AND relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace`,
  );
  const rows = await Promise.all(
    tables.map(({ name }) =>
      database.query(`SELECT '${name}' AS name FROM ${name} WHERE store_id = $1 LIMIT 1`, [storeId]),
    ),
  );
  return rows.flat();
};

describe('StoreMoves', () => {
  it('moves a store there and back: its keys, orders, cursors and Idempotency-Keys go on, and it is served in one place', async () => {
    const placed = await placeAt(source, 'before');
    const { cursor } = (await readAt(source, '/v1/changes?kinds=orders')).json<FeedAnswer>();

    const there = await move(source, target);

    expect(there).toMatchObject({ differences: [], closedMs: expect.any(Number) as number });
    expect(there.steps).toEqual(['copying', 'copied', 'draining', 'closed', 'opened', 'verified', 'cleaned']);
    for (const request of [placeAt(source, 'before'), readAt(source, '/v1/orders')]) {
      const refused = await request;
      expect([refused.statusCode, refused.headers['x-error-code'], refused.headers['retry-after']]).toEqual([
        503,
        'store_moved',
        '1',
      ]);
    }
    const repeated = await placeAt(target, 'before');
    expect([repeated.statusCode, repeated.body]).toEqual([placed.statusCode, placed.body]);
    expect((await placeAt(target, 'after')).statusCode).toBe(201);
    const page = (await readAt(target, `/v1/changes?kinds=orders&cursor=${cursor}`)).json<FeedAnswer>();
    expect([page.rewound, page.data.length]).toEqual([false, 1]);

    expect(await movesOf(source).forget(source.store.subdomain)).toBeGreaterThan(10);
    expect(await left(source.database, source.store.id)).toEqual([]);
    expect(await move(target, source)).toMatchObject({ differences: [] });
    expect(await movesOf(target).forget(source.store.subdomain)).toBeGreaterThan(10);
    expect((await placeAt(source, 'back')).statusCode).toBe(201);
    const all = (await readAt(source, `/v1/changes?kinds=orders&cursor=${page.cursor}`)).json<FeedAnswer>();
    expect([all.rewound, all.data.length]).toEqual([false, 1]);
    expect((await readAt(source, '/v1/orders')).json()).toMatchObject({ pagination: { total: 3 } });
    let last = all.cursor;
    for (const [from, to] of [
      [source, target],
      [target, source],
    ] as const) {
      await placeAt(from, `again ${last}`);
      last = (await readAt(from, `/v1/changes?kinds=orders&cursor=${last}`)).json<FeedAnswer>().cursor;
      await move(from, to);
      await movesOf(from).forget(source.store.subdomain);
      const next = (await readAt(to, `/v1/changes?kinds=orders&cursor=${last}`)).json<FeedAnswer>();
      expect([next.rewound, next.data]).toEqual([false, []]);
    }
  });

  it('sends a message of a webhook again with the same id and body, until it is accepted', async () => {
    const { store, database, post: send } = await source.withStore();
    await send('/v1/webhooks', { url: 'https://erp.example/', kinds: ['brands'] });
    await store.brand();
    await database.query('SELECT number_changes($1)', [store.id]);
    const answer = { at: new Date(), phase: 'done', durationMs: 1, answer: '', retryAfterMs: null };
    const sent: string[] = [];
    const attempt = async ({ app, database }: RunningApi, status: number) => {
      const post = (headers: Readonly<Record<string, string>>, body: string) => {
        sent.push(`${headers['webhook-id']} ${body}`);
        return Promise.resolve({ ...answer, status });
      };
      const queue = app.get(WebhookQueue, { strict: false });
      const sender = { open: () => ({ post, close: () => undefined }) } as unknown as WebhookSender;
      const [feed, format] = [app.get(FeedService, { strict: false }), app.get(RecordFormat, { strict: false })];
      await database.query('UPDATE webhooks SET due_at = now()');
      const deliver = new DeliverWebhooks(queue, feed, sender, format);
      for (const claimed of await queue.claim(1, new Map())) {
        await deliver.execute(claimed, new AbortController().signal);
      }
    };

    await attempt(source, 500);
    await move(source, target, store.subdomain);
    const category = `INSERT INTO categories (store_id, name, slug) VALUES ($1, 'Later', 'later')`;
    await target.database.query(category, [store.id]);
    await attempt(target, 500);
    await attempt(target, 200);
    await attempt(target, 200);

    expect(sent).toEqual(Array(3).fill(sent[0]));
  });

  it('takes the profile and the status that the store has when it is closed, not those of the copy', async () => {
    const { store, database } = await source.withStore();
    const profile = `SELECT to_jsonb(stores) - 'status' AS profile, status FROM stores WHERE id = $1`;
    const before = await database.query(profile, [store.id]);
    const written: Promise<unknown>[] = [];
    const change = `UPDATE stores SET status = 'INACTIVE', name = 'Renamed', currency = 'EUR', time_zone = 'Europe/Rome',
      contact = '{"email": "later@example.com"}', payment_settings = '{"methods": []}', fraud_settings = '{"enabled": false}'
      WHERE id = $1`;

    const moved = await move(source, target, store.subdomain, (step) => {
      if (step === 'copied') written.push(database.query(change, [store.id]));
    });

    await Promise.all(written);
    const [there] = await target.database.query<{ profile: object; status: string }>(profile, [store.id]);
    const [here] = await database.query<{ profile: object; status: string }>(profile, [store.id]);
    expect([moved.differences, there?.status, here?.status]).toEqual([[], 'INACTIVE', 'MOVED']);
    expect(there?.profile).toMatchObject({ name: 'Renamed', currency: 'EUR', time_zone: 'Europe/Rome' });
    expect(there?.profile).toEqual(here?.profile);
    expect([there]).not.toEqual(before);
  });

  it('takes variants along that exchange their SKUs while the store is copied', async () => {
    const { store, post, get } = await source.withStore();
    const write = async (...variants: object[]) => {
      const lines = [{ kind: 'product', slug: 'mug', name: 'Mug', price: '1.00', variants }];
      const response = await post('/v1/import', { lines });
      return response.json<{ data: { lines: { error: string }[] } }>().data.lines.map(({ error }) => error);
    };
    await write({ sku: 'MUG-L', name: 'Large' }, { sku: 'MUG-S', name: 'Small' });
    const { data } = (await get('/v1/skus')).json<{ data: { variant_id: number }[] }>();
    const [large, small] = data.map(({ variant_id: id }) => id);
    await moveUntil('copied', store.subdomain);

    const refused = await write({ id: large, sku: 'MUG-S', name: 'Large' }, { id: small, sku: 'MUG-L', name: 'Small' });
    const moved = await move(source, target, store.subdomain);

    expect([refused, moved.differences]).toEqual([[''], []]);
    const skus = 'SELECT id, sku FROM product_variants WHERE store_id = $1 ORDER BY sku';
    expect(await target.database.query(skus, [store.id])).toEqual([
      { id: small, sku: 'MUG-L' },
      { id: large, sku: 'MUG-S' },
    ]);
  });

  it('leaves a store inactive when the move is taken back after the close', async () => {
    const { store, database } = await source.withStore();
    await source.app.get(StoreRepository, { strict: false }).setStatus(store.subdomain, 'INACTIVE');
    await moveUntil('closed', store.subdomain);
    expect(await statusOf(database, store.id)).toBe('MOVING');

    await movesOf(source).abort(store.subdomain, target.database.url);

    expect(await statusOf(database, store.id)).toBe('INACTIVE');
  });

  it('names the tables whose rows differ at the target, and keeps its own copy', async () => {
    const { store } = await source.withStore();
    await Promise.all([store.brand(), store.product({ stock: 1 })]);
    const tamper = [
      `UPDATE brands SET name = name || '!' WHERE store_id = ${store.id}`,
      `DELETE FROM stock_movements WHERE store_id = ${store.id}`,
    ].join(';');
    const written: Promise<unknown>[] = [];

    const moved = await move(source, target, store.subdomain, (step) => {
      const replica = `BEGIN; SET LOCAL session_replication_role = replica; ${tamper}; COMMIT`;
      if (step === 'copied') written.push(target.database.query(replica));
    });

    await Promise.all(written);
    expect([...moved.differences].sort()).toEqual(['brands', 'stock_movements']);
    await expect(movesOf(source).forget(store.subdomain)).rejects.toThrow('brands, stock_movements differ');
  });

  it('compares every table that it copies, apart from its own steps, by all columns', async () => {
    const client = await new Connection(source.database.url, 'test').open();
    const { store } = await source.withStore();
    await store.brand();
    const tables = (await tablesOfStores(client)).filter(isCopied);
    const sumOfBrands = async () => (await sumsOf(client, store.id)).get('brands')?.hash;
    const before = await sumOfBrands();
    const texts = ['slug', 'name', 'logo', 'description'];
    const changes = ['id = id + 1000', 'active = NOT active', ...texts.map((text) => `${text} = ${text} || '!'`)];

    const unseen: string[] = [];
    for (const change of changes) {
      await client.query(`BEGIN; UPDATE brands SET ${change} WHERE store_id = ${store.id}`);
      if ((await sumOfBrands()) === before) unseen.push(change);
      await client.query('ROLLBACK');
    }
    const compared = [...(await sumsOf(client, store.id)).keys()];
    await client.close();

    expect(unseen).toEqual([]);
    expect(tables.find(({ name }) => name === 'brands')?.columns).toHaveLength(changes.length + 1);
    expect(compared).toEqual(tables.flatMap(({ name }) => (name === 'store_moves' ? [] : name)));
  });

  it('serves the store again when the command that has closed it is repeated', async () => {
    const { store } = await source.withStore();
    const stores = source.app.get(StoreRepository, { strict: false });
    await moveUntil('closed', store.subdomain);
    await expect(stores.setStatus(store.subdomain, 'INACTIVE')).rejects.toBeInstanceOf(StoreMoved);

    await moveUntil('copying', store.subdomain);

    expect((await stores.require(store.subdomain)).status).toBe('ACTIVE');
    expect(await move(source, target, store.subdomain)).toMatchObject({ differences: [] });
  });

  it('leaves nothing behind when it is taken back after a fail-over of the source, and does not go on', async () => {
    const { store, database } = await source.withStore();
    await store.product({ stock: 5 });
    await moveUntil('copied', store.subdomain);
    await target.database.query(`ALTER SUBSCRIPTION store_move_${store.id} DISABLE`);
    await database.query('SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE active');
    await database.query('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots');
    await database.query(`UPDATE store_moves SET details = details || '{"epoch": "1 1"}' WHERE step = 'copying'`);

    expect(await movesOf(source).check(store.subdomain, target.database.url)).toEqual([
      'The move has already begun: repeat it without --dry-run, or abort it with --abort.',
    ]);
    await expect(move(source, target, store.subdomain)).rejects.toThrow('abort the move with --abort');
    await movesOf(source).abort(store.subdomain, target.database.url);

    expect(await left(target.database, store.id)).toEqual([]);
    expect(await movesOf(source).check(store.subdomain, target.database.url)).toEqual([]);
  });

  it('is ended by the SQL of the documents when the target is gone, and there when it returns', async () => {
    const { store, database } = await source.withStore();
    await store.product({ stock: 5 });
    await moveUntil('copied', store.subdomain);
    const [atSource = '', atTarget = ''] = readFileSync('docs/scaling.md', 'utf8')
      .split('```')
      .filter((block) => block.includes('store_move_17;'))
      .map((block) => block.replaceAll('17', String(store.id)));
    const statements = (block: string) => block.split(/;.*\n/).filter((statement) => statement.trim() !== '');

    const [dropSlots = '', ...others] = statements(atSource);
    await eventually(async () => {
      await database.query('SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active');
      await database.query(dropSlots);
      expect(await database.query('SELECT FROM pg_replication_slots')).toEqual([]);
    });
    for (const statement of others) await database.query(statement);
    for (const statement of statements(atTarget)) await target.database.query(statement);
    await movesOf(target).forget(store.subdomain);

    expect(await left(target.database, store.id)).toEqual([]);
    expect(await move(source, target, store.subdomain)).toMatchObject({ differences: [] });
  });

  it('does not go on after a migration: the copy would lack its columns and tables', async () => {
    const { store } = await source.withStore();
    await moveUntil('copied', store.subdomain);
    const databases = [source.database, target.database];
    for (const database of databases)
      await database.query(`INSERT INTO migrations (timestamp, name) VALUES (9, 'later')`);

    await expect(move(source, target, store.subdomain)).rejects.toThrow('was migrated during the move');

    await movesOf(source).abort(store.subdomain, target.database.url);
    for (const database of databases) await database.query(`DELETE FROM migrations WHERE name = 'later'`);
  });

  it('leaves the rows of other stores at the target when a table is truncated at the source', async () => {
    const { store, database } = await source.withStore();
    const credentials = (of: TestDatabase, storeId: number) =>
      of.query(`INSERT INTO gateway_credentials (store_id, method_id, credentials) VALUES ($1, 'card', '')`, [storeId]);
    await credentials(target.database, target.store.id);
    await moveUntil('copied', store.subdomain);
    await database.query('TRUNCATE gateway_credentials');
    await credentials(database, store.id);

    await eventually(async () => {
      const sql = 'SELECT store_id AS id FROM gateway_credentials WHERE store_id IN ($1, $2) ORDER BY id';
      const ids = [store.id, target.store.id];
      expect(await target.database.query(sql, ids)).toEqual(ids.map((id) => ({ id })));
    });

    await movesOf(source).abort(store.subdomain, target.database.url);
  });

  it('refuses limits of time that the copy of a table would exceed', async () => {
    const { store, database } = await source.withStore();
    await database.query(`ALTER DATABASE store SET statement_timeout = '1min'`);

    const faults = await movesOf(source)
      .check(store.subdomain, target.database.url)
      .finally(() => database.query('ALTER DATABASE store RESET statement_timeout'));

    expect(faults).toEqual([expect.stringContaining('SET statement_timeout = 0')]);
  });

  it('shows the password of the source in no log and no statistics of the target', async () => {
    const { store, database } = await source.withStore();
    await database.query(`CREATE ROLE secretive SUPERUSER LOGIN PASSWORD 'sesame'`);
    await target.database.query('CREATE EXTENSION pg_stat_statements');
    const url = Object.assign(new URL(database.url), { username: 'secretive', password: 'sesame' });
    const cipher = source.app.get(DataCipher, { strict: false });
    const moves = new PostgresStoreMoves(new DirectDatabase(url.href), cipher);

    await moves.move({ subdomain: store.subdomain, target: target.database.url, onProgress: () => undefined });

    const shown = await target.database.query(
      `SELECT shown LIKE '%DROP SUBSCRIPTION%' AS "isShown", shown LIKE '%sesame%' AS "hasPassword"
       FROM (VALUES (pg_read_file(pg_current_logfile())), ((SELECT string_agg(query, ' ') FROM pg_stat_statements))) AS texts (shown)`,
    );
    expect(shown).toEqual(Array(2).fill({ isShown: true, hasPassword: false }));
  });

  it('refuses a target that has the id, the name or rows of the store, or is the same cluster', async () => {
    const { store, database } = await source.withStore();
    await target.database.query(`INSERT INTO stores (id, subdomain, name, currency) VALUES ($1, 'other', '', 'USD')`, [
      store.id,
    ]);
    await target.database.query(`INSERT INTO brands (store_id, name, slug) VALUES ($1, 'b', 'b')`, [store.id]);

    const faults = await movesOf(source).check(store.subdomain, target.database.url);

    expect(faults).toEqual([
      `The target has the store other with the id ${store.id}: ids must differ between clusters (migrate --first-store-id).`,
      `The target has rows of a store with the id ${store.id} in brands, change_log.`,
    ]);
    await expect(move(source, target, store.subdomain)).rejects.toBeInstanceOf(MoveRefused);
    await expect(movesOf(source).check(store.subdomain, database.url)).rejects.toThrow('in the same cluster');

    const sql = `INSERT INTO stores (subdomain, name, currency) VALUES ($1, '', 'USD') RETURNING id`;
    const [other] = await target.database.query<{ id: number }>(sql, [store.subdomain]);
    expect(await movesOf(source).check(store.subdomain, target.database.url)).toContain(
      `The target has another store with the subdomain ${store.subdomain} (id ${other?.id}).`,
    );
  });

  it.each<[string, (url: URL) => string, string]>([
    ['a wrong password', (url) => Object.assign(url, { password: 'wrong' }).href, 'password authentication failed'],
    ['no password', (url) => Object.assign(url, { password: '' }).href, 'its role requires a password'],
    ['a missing database', (url) => Object.assign(url, { pathname: '/none' }).href, 'database "none" does not exist'],
    ['no schema', (url) => Object.assign(url, { pathname: '/template1' }).href, 'run `npx store-commerce migrate`'],
    ['an unknown host', (url) => Object.assign(url, { hostname: 'b.invalid' }).href, 'getaddrinfo'],
    ['no URL', () => 'store_b', 'specify a URL'],
  ])('names the target when it is used with %s', async (_, to, reason) => {
    const checked = movesOf(source).check(source.store.subdomain, to(new URL(target.database.url)));

    const message = await checked.catch((error: unknown) => error);
    expect(message).toBeInstanceOf(MoveRefused);
    expect(String(message)).toMatch(/^Error: The target \(--to\): /);
    expect(String(message)).toContain(reason);
  });

  it.each<[string, ((socket: Socket) => void) | null, string]>([
    ['no server', null, 'Connection refused'],
    ['a server that is silent', () => undefined, 'no answer within 5 s'],
    [
      'the target itself',
      (socket) => {
        const server = connect(Number(new URL(target.database.url).port), '127.0.0.1');
        socket.pipe(server).pipe(socket);
      },
      'it reaches another database',
    ],
  ])('refuses a target whose server finds %s at the address of the source', async (_, answer, reason) => {
    const { store } = await source.withStore();
    // PostgreSQL reads hostaddr, and the command's driver does not: the address means another machine to the target.
    const url = new URL(source.database.url);
    for (const { database } of [source, target]) {
      await database.query(`DROP ROLE IF EXISTS mover; CREATE ROLE mover SUPERUSER LOGIN PASSWORD 'mover'`);
    }
    Object.assign(url, { username: 'mover', password: 'mover', search: '?hostaddr=127.0.0.2' });
    const sockets: Socket[] = [];
    const server: Server | null = answer && createServer((socket) => answer(socket.on('error', () => undefined)));
    server?.on('connection', (socket) => sockets.push(socket)).listen(Number(url.port), '127.0.0.2');
    const cipher = source.app.get(DataCipher, { strict: false });
    const moves = new PostgresStoreMoves(new DirectDatabase(url.href), cipher);

    const faults = await moves.check(store.subdomain, target.database.url);

    for (const socket of sockets) socket.destroy();
    server?.close();
    expect(faults).toEqual([expect.stringContaining(reason)]);
    expect(await source.database.query('SELECT pubname FROM pg_publication')).toEqual([]);
  });

  it('refuses clusters without enough free replication slots for the tables that the target copies at once', async () => {
    const { store } = await source.withStore();
    const settings = { max_logical_replication_workers: '1', max_sync_workers_per_subscription: '10' };
    const full = await startOwnCluster(FIRST_OF_TARGET, settings);
    await full.query(`SELECT pg_replication_origin_create('other ' || n) FROM generate_series(1, 8) AS n`);

    const faults = await movesOf(source)
      .check(store.subdomain, full.url)
      .finally(() => full.drop());

    expect(faults).toEqual([
      expect.stringMatching(/^The source has \d+ of 11 required free replication slots: raise max_replication_slots/),
      expect.stringMatching(/has \d+ of 11 required free WAL senders: raise max_wal_senders/),
      expect.stringMatching(
        /^The target has \d+ of 11 required free replication origins: raise max_active_replication_origins/,
      ),
      expect.stringMatching(/has 1 of 2 required free replication workers: raise max_logical_replication_workers/),
    ]);
  });

  it('copies every table of a store by a primary key, or names it as not copied', async () => {
    const client = await new Connection(source.database.url, 'test').open();
    const tables = await tablesOfStores(client).finally(() => client.close());

    const copied = tables.filter(isCopied);
    expect(copied.length).toBeGreaterThan(30);
    expect(
      copied.filter(({ key, columns }) => key.length === 0 || key.some((name) => !columns.includes(name))),
    ).toEqual([]);
    expect(tables.flatMap(({ name }) => (name in NOT_COPIED ? name : [])).sort()).toEqual(
      Object.keys(NOT_COPIED).sort(),
    );
  });

  it('rewinds no reader whose cluster failed over between the moves of two stores', async () => {
    const [first, second] = [await source.withStore(), await source.withStore()];
    await move(source, target, first.store.subdomain);
    await source.database.query('SELECT begin_branch()');
    await second.store.brand({ name: 'Later' });
    const read = async (api: RunningApi, cursor = '') => {
      const url = `/v1/changes?kinds=brands${cursor && `&cursor=${cursor}`}`;
      const answer = await api.inject({ method: 'GET', url, headers: headers(second, 'read') });
      return answer.json<FeedAnswer>();
    };
    const before = await read(source);

    await move(source, target, second.store.subdomain);

    expect(await read(target, before.cursor)).toMatchObject({ rewound: false, data: [] });
  });

  it('opens the store again when it cannot be closed in time, and closes it at the next attempt', async () => {
    const { store, database } = await source.withStore();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('list_tally_changes'), $1)`, [store.id]);
    const moving = move(source, target, store.subdomain);
    await eventually(async () => expect(await statusOf(database, store.id)).toBe('MOVING'));
    await eventually(async () => expect(await statusOf(database, store.id)).toBe('ACTIVE'));
    await client.end();

    expect(await moving).toMatchObject({ differences: [] });
  });

  it('opens the store again at once when the target stops to apply changes, and goes on when it can', async () => {
    const { store, database } = await source.withStore();
    const stop = (step: MoveStep) => {
      if (step === 'draining') void target.database.query(`ALTER SUBSCRIPTION store_move_${store.id} DISABLE`);
    };

    await expect(move(source, target, store.subdomain, stop)).rejects.toThrow('see the log of its PostgreSQL');

    expect(await statusOf(database, store.id)).toBe('ACTIVE');
    expect(await move(source, target, store.subdomain)).toMatchObject({ differences: [] });
  });

  it('opens the store again when the target fails after the close', async () => {
    const { store, database } = await source.withStore();
    await target.database.query(`
      CREATE FUNCTION fail() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'it fails'; END $$;
      CREATE EVENT TRIGGER fails ON ddl_command_start WHEN TAG IN ('ALTER SUBSCRIPTION') EXECUTE FUNCTION fail()`);

    await expect(move(source, target, store.subdomain)).rejects.toThrow('it fails');

    expect(await statusOf(database, store.id)).toBe('ACTIVE');
    await target.database.query('DROP FUNCTION fail CASCADE');
    expect(await move(source, target, store.subdomain)).toMatchObject({ differences: [] });
  });

  it('opens the store again when the target is silent while it is closed', async () => {
    const { store, database } = await source.withStore();
    const url = new URL(target.database.url);
    const sockets: Socket[] = [];
    const proxy = createServer((socket) => {
      const server = connect(Number(url.port), url.hostname);
      for (const end of [socket, server]) sockets.push(end.on('error', () => undefined));
      socket.pipe(server).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const throughProxy = Object.assign(new URL(url), { host: `127.0.0.1:${port}` });
    const onProgress = ({ step }: { step: MoveStep }) => {
      if (step === 'draining') for (const socket of sockets) socket.unpipe().pause();
    };

    const moved = movesOf(source).move({ subdomain: store.subdomain, target: throughProxy.href, onProgress });

    await expect(moved).rejects.toThrow('does not answer');
    for (const socket of sockets) socket.destroy();
    proxy.close();
    expect(await statusOf(database, store.id)).toBe('ACTIVE');
    await movesOf(source).abort(store.subdomain, target.database.url);
  });

  it('ends the replication before the store leaves the source: what the target has then, it has after a crash', async () => {
    const { store, database } = await source.withStore();
    await database.query(`ALTER TABLE stores ADD CONSTRAINT stays CHECK (id <> ${store.id} OR status <> 'MOVED')`);

    await expect(move(source, target, store.subdomain)).rejects.toThrow('"stays"');

    const sql = 'SELECT subenabled AS "isRunning" FROM pg_subscription WHERE subname = $1';
    expect(await target.database.query(sql, [`store_move_${store.id}`])).toEqual([{ isRunning: false }]);
    await database.query('ALTER TABLE stores DROP CONSTRAINT stays');
    expect(await move(source, target, store.subdomain)).toMatchObject({ differences: [] });
  });

  it('waits for locks after the switch', async () => {
    const { store, database } = await source.withStore();
    const lock = 'BEGIN; LOCK TABLE store_moves; SELECT pg_sleep(3.5); ROLLBACK';
    const waits: Promise<unknown>[] = [];

    const moved = await move(source, target, store.subdomain, (step) => {
      if (step === 'verified') waits.push(database.query(lock));
    });

    await Promise.all(waits);
    expect(moved.steps.at(-1)).toBe('cleaned');
    expect(moved.rows).toBeGreaterThan(0);
    expect(await move(source, target, store.subdomain)).toMatchObject({ rows: moved.rows, differences: [] });
  });

  it('forgets no store whose rows were not compared, or differ, also after a repeat', async () => {
    const { store, database } = await source.withStore();
    const note = (step: string, details: string) =>
      database.query('INSERT INTO store_moves (store_id, step, details) VALUES ($1, $2, $3)', [
        store.id,
        step,
        details,
      ]);
    await moveUntil('opened', store.subdomain);

    expect(await movesOf(target).check(store.subdomain, source.database.url)).toContainEqual(
      expect.stringContaining('has not finished'),
    );
    expect(await move(source, target, store.subdomain)).toMatchObject({ rows: null, differences: [] });
    await expect(movesOf(source).forget(store.subdomain)).rejects.toThrow('was not compared');
    await note('verified', '{"differences": ["brands"]}');
    expect(await move(source, target, store.subdomain)).toMatchObject({ differences: ['brands'] });
    await expect(movesOf(source).forget(store.subdomain)).rejects.toThrow('brands differ');
  });

  it('forgets no store that is at home', async () => {
    await expect(movesOf(source).forget(source.store.subdomain)).rejects.toBeInstanceOf(MoveRefused);
  });
});
