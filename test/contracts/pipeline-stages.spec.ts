import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PipelineStages, StageRetries, UndeliverableMessage, type ClaimedStage, type Notifier } from '@app/application';
import { NotFound } from '@app/domain';
import { Config, purgeExpired } from '@app/infrastructure';
import pg from 'pg';
import { createApp } from '../../apps/api/src/create-app.js';
import { PostgresPipelineStages } from '../../libs/infrastructure/src/orders/postgres-pipeline-stages.js';
import { Database } from '../../libs/infrastructure/src/postgres/database.js';
import { MailNotifier } from '../../libs/infrastructure/src/mail/mail-notifier.js';
import { anOrderRecord, aStoreProfile } from '../builders/order-record.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { pagesReadBy, type RunPlan } from '../support/rows-read.js';
import { readMail } from '../support/mail-message.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';
import { testConfig } from '../support/test-config.js';
import type { TestDatabase } from '../support/test-database.js';

/** A refund for nothing in particular. */
const UNNAMED = { reason: 'goodwill' as const, credited: 0, lines: [], restock: false };

const STAGE = 'notify-customer';
const CLAIM_MS = 30_000;
const MINUTE_MS = 60_000;
const ALL = 1_000;

let application: RunningApplication;
let database: TestDatabase;
let store: StoreFixture;
let stages: PipelineStages;
let retries: StageRetries;
beforeAll(async () => {
  application = await startApplication();
  ({ database, store } = application);
  stages = application.app.get(PipelineStages, { strict: false });
  retries = application.app.get(StageRetries, { strict: false });
});
afterAll(() => application.stop());

interface Stage {
  readonly state: string;
  readonly attempts: number;
  readonly lastError: string;
  /** The time in milliseconds from now. */
  readonly dueIn: number;
  readonly lockedFor: number | null;
}

async function order(stage: Partial<Stage> = {}): Promise<string> {
  const { state = 'pending', attempts = 0, lastError = '', dueIn = -1_000, lockedFor = null } = stage;
  const order_id = await store.order();
  const at = (ms: number) => new Date(Date.now() + ms);
  const times = { run_at: at(dueIn), locked_until: lockedFor === null ? null : at(lockedFor) };
  const outcome = state === 'dead' ? 'failed' : null;
  const row = { order_id, stage: STAGE, state, outcome, attempts, last_error: lastError };
  await store.row('order_stages', { ...row, ...times });
  return order_id;
}

async function stageOf(orderId: string) {
  const [row] = await database.query<
    Omit<Stage, 'lockedFor'> & { outcome: string | null; isDismissed: boolean; isClaimed: boolean }
  >(
    `SELECT state, attempts, last_error AS "lastError", outcome, dismissed AS "isDismissed", locked_until IS NOT NULL AS "isClaimed",
       extract(epoch FROM run_at - now())::float8 * 1000 AS "dueIn"
     FROM order_stages WHERE order_id = $1`,
    [orderId],
  );
  return row;
}

/** Begins at the front of the queue. */
const aWorker = () => {
  const queue = new PostgresPipelineStages(application.app.get(Database, { strict: false }));
  return {
    claim: (most: number, forMs: number) => queue.claim({ most, mostOfStore: most, running: new Map() }, forMs),
  };
};

const claimOf = async (orderId: string, forMs = CLAIM_MS): Promise<ClaimedStage | undefined> =>
  (await aWorker().claim(ALL, forMs)).find((claim) => claim.orderId === orderId);

async function claimed(stage: Partial<Stage> = {}): Promise<ClaimedStage> {
  const claim = await claimOf(await order(stage));
  if (!claim) throw new Error('The stage is not claimed');
  return claim;
}

const expire = () =>
  database.query(`UPDATE order_stages SET locked_until = now() - interval '1 s' WHERE locked_until IS NOT NULL`);

const personal = () => new TypeError('ada@example.com has no mailbox');

describe('PipelineStages', () => {
  it('claims a due stage once, without a change that the feed shows', async () => {
    const orderId = await order({ attempts: 2 });
    const changes = () => database.query('SELECT count(*) FROM change_log');
    const before = await changes();

    const claim = await claimOf(orderId);

    expect(claim).toMatchObject({ storeId: store.id, orderId, stage: STAGE, attempts: 2, takenOver: false });
    expect(await claimOf(orderId)).toBeUndefined();
    expect(await changes()).toEqual(before);
  });

  it('claims the longest due stage first, and no more than asked for', async () => {
    await aWorker().claim(ALL, CLAIM_MS);
    const late = await order();
    const longest = [await order({ dueIn: -3 * MINUTE_MS }), await order({ dueIn: -2 * MINUTE_MS })];

    const worker = aWorker();
    const first = await worker.claim(2, CLAIM_MS);
    const second = await worker.claim(2, CLAIM_MS);

    expect(first.map(({ orderId }) => orderId).sort()).toEqual(longest.sort());
    expect(second.map(({ orderId }) => orderId)).toEqual([late]);
  });

  it('passes the done stages that an open snapshot keeps once a second, and not with each claim', async () => {
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000_000);
    const backup = await openTransaction(
      database,
      'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT FROM stores',
    );
    const orderId = await order();
    await database.query(
      `INSERT INTO order_stages (store_id, order_id, stage, reference, state, run_at)
       SELECT $1, $2, 'notify-refund', n, 'pending', now() - interval '2 s' - n * interval '1 ms' FROM generate_series(1, 300) AS n`,
      [store.id, orderId],
    );
    const worker = aWorker();
    await worker.claim(ALL, CLAIM_MS);
    await database.query(`UPDATE order_stages SET state = 'done' WHERE order_id = $1`, [orderId]);
    const [due, committedLate] = [await order({ dueIn: 0 }), await order({ dueIn: -MINUTE_MS })];
    const sent = vi.spyOn(pg.Client.prototype, 'query');

    const claimed = await worker.claim(ALL, CLAIM_MS);

    const calls = sent.mock.calls as unknown as readonly [string | pg.QueryConfig][];
    const [{ text, values }] = calls.flatMap(([call]) =>
      typeof call !== 'string' && call.text.includes('stages.claim') ? [call] : [],
    ) as [pg.QueryConfig];
    const [plan] = await database.query<RunPlan & object>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
    now.mockReturnValue(1_001_000);
    const second = await worker.claim(ALL, CLAIM_MS);
    await backup.end();
    expect([claimed, second].map((stages) => stages.map((stage) => stage.orderId))).toEqual([[due], [committedLate]]);
    expect(pagesReadBy(plan as RunPlan)).toBeLessThan(50);
  });

  it.each<[string, Partial<Stage>]>([
    ['a stage that is due later', { dueIn: MINUTE_MS }],
    ['a stage that another worker holds', { lockedFor: MINUTE_MS }],
    ['a done stage', { state: 'done' }],
    ['a dead stage', { state: 'dead' }],
    ['a held stage', { state: 'held' }],
  ])('does not claim %s', async (_what, stage) => {
    expect(await claimOf(await order(stage))).toBeUndefined();
  });

  it('takes a stage over whose worker has not ended its attempt in time', async () => {
    const lost = await claimed();
    await expire();

    expect(await claimOf(lost.orderId)).toMatchObject({ attempts: 0, takenOver: true });
  });

  it('marks a stage as done after a success, counts the attempt, and clears its last error', async () => {
    const claim = await claimed({ attempts: 2, lastError: 'EPIPE' });

    await stages.succeed(claim, 'sent');

    expect(await stageOf(claim.orderId)).toMatchObject({ state: 'done', outcome: 'sent', attempts: 3, lastError: '' });
  });

  it.each([
    ['due again later', MINUTE_MS, personal(), { state: 'pending', lastError: 'TypeError' }],
    ['dead when no attempt follows', null, personal(), { state: 'dead', lastError: 'TypeError', outcome: 'failed' }],
    ['due with its code', 0, Object.assign(personal(), { code: 'EENVELOPE' }), { lastError: 'EENVELOPE' }],
  ])('makes a failed stage %s, counts the attempt, and stores no message', async (_what, retryIn, error, after) => {
    const claim = await claimed();

    await stages.fail(claim, error, retryIn);

    const stage = await stageOf(claim.orderId);
    expect(stage).toMatchObject({ ...after, attempts: 1 });
    if (retryIn) expect(stage?.dueIn).toBeGreaterThan(retryIn - 20_000);
  });

  it('lets only the last claimant end the attempt at a stage that was taken over', async () => {
    const lost = await claimed();
    await expire();
    const current = await claimOf(lost.orderId, 2 * CLAIM_MS);
    if (!current) throw new Error('The stage is not taken over');

    for (const claim of [lost, { ...current, storeId: 999_999 }]) {
      await stages.succeed(claim, 'sent');
      await stages.fail(claim, personal(), null);
      await stages.abandon(claim, 'undeliverable', personal());
      expect(await stageOf(lost.orderId)).toMatchObject({ state: 'pending', attempts: 0, lastError: '' });
    }

    await stages.fail(current, personal(), 0);
    expect(await stageOf(lost.orderId)).toMatchObject({ state: 'pending', attempts: 1 });
  });

  it('does not wait for a stage that another worker claims or an operator retries at the same moment', async () => {
    await aWorker().claim(ALL, CLAIM_MS);
    const worker = new pg.Client({ connectionString: database.url });
    try {
      const [theirs, ours] = [await order(), await order()];
      await worker.connect();
      await worker.query('BEGIN');
      await worker.query(`UPDATE order_stages SET locked_until = now() + interval '1 minute' WHERE order_id = $1`, [
        theirs,
      ]);

      const claims = await aWorker().claim(ALL, CLAIM_MS);

      expect(claims.map(({ orderId }) => orderId)).toEqual([ours]);
    } finally {
      await worker.end();
    }
  });
});

describe('StageRetries', () => {
  const retry = (orderId: string) => retries.retry({ storeId: store.id, orderId });
  const waiting = (stage: Partial<Stage>) => order({ dueIn: 60 * MINUTE_MS, ...stage });
  const running = { stages: [], running: [STAGE] };
  const retried = { stages: [STAGE], running: [] };
  const none = { stages: [], running: [] };

  it.each<[string, Partial<Stage>, object]>([
    ['takes a stage that waits for its next attempt', { attempts: 1 }, retried],
    ['takes a dead stage', { state: 'dead', attempts: 12 }, retried],
    ['takes a stage whose worker is lost', { lockedFor: -1_000 }, retried],
    ['leaves a stage alone while its attempt runs', { attempts: 2, lockedFor: 20_000 }, running],
    ['leaves a stage alone while its first attempt runs', { lockedFor: 20_000 }, running],
    ['leaves a stage alone that waits for its first attempt', {}, none],
    ['leaves a done stage alone', { state: 'done', attempts: 1 }, none],
  ])('%s', async (_what, stage, result) => {
    const orderId = await waiting(stage);
    const before = await stageOf(orderId);

    expect(await retry(orderId)).toMatchObject(result);

    const { dueIn = NaN, ...after } = (await stageOf(orderId)) ?? {};
    expect(dueIn <= 0).toBe(result === retried);
    const same = { state: before?.state, attempts: before?.attempts, isClaimed: before?.isClaimed };
    expect(after).toMatchObject(result === retried ? { state: 'pending', attempts: 0, isClaimed: false } : same);
  });

  it('leaves a stage alone that a worker claims while the retry waits', async () => {
    const orderId = await waiting({ attempts: 1 });
    const worker = new pg.Client({ connectionString: database.url });
    await worker.connect();
    await worker.query('BEGIN');
    await worker.query(`UPDATE order_stages SET locked_until = now() + interval '20 seconds' WHERE order_id = $1`, [
      orderId,
    ]);

    const result = retry(orderId);
    await eventually(async () => expect(await lockWaits(database, '%order_stages%')).toBe(1));
    await worker.query('COMMIT');
    await worker.end();

    expect(await result).toMatchObject(running);
    expect(await stageOf(orderId)).toMatchObject({ attempts: 1, isClaimed: true });
  });

  it('dismisses the dead letters of an order, and no other stage, and counts them again after a retry', async () => {
    const [dead, pending] = [await waiting({ state: 'dead', attempts: 12 }), await waiting({ attempts: 1 })];
    const dismiss = (orderId: string, storeId = store.id) => retries.dismiss({ storeId, orderId });

    expect([await dismiss(dead), await dismiss(pending)]).toEqual([[STAGE], []]);
    expect(await dismiss(dead)).toEqual([]);
    const other = await StoreFixture.create(database);
    await expect(dismiss(dead, other.id)).rejects.toThrow(NotFound);
    expect(await stageOf(dead)).toMatchObject({ state: 'dead', isDismissed: true });
    expect(await stageOf(pending)).toMatchObject({ state: 'pending', isDismissed: false });

    expect(await retry(dead)).toMatchObject(retried);
    expect(await stageOf(dead)).toMatchObject({ state: 'pending', isDismissed: false });
  });

  it('makes a stage due once when two operators retry it at the same moment', async () => {
    const orderId = await waiting({ attempts: 1 });

    const results = await Promise.all([retry(orderId), retry(orderId)]);

    expect(results.map(({ stages: due }) => due).flat()).toEqual([STAGE]);
    expect(await stageOf(orderId)).toMatchObject({ state: 'pending', attempts: 0, isClaimed: false });
  });
});

interface Post {
  readonly notifier: Notifier;
  /** Returns the mails that have arrived, as `recipient id`, sorted. Mails with the same id count once. */
  arrived(): Promise<string[]>;
  close(): Promise<void>;
}

const ADAPTERS: [name: string, open: () => Promise<Post>][] = [
  ['by SMTP', openSmtp],
  ['as files', openFiles],
];

describe.each(ADAPTERS)('Notifier %s', (_name, open) => {
  const profile = aStoreProfile();
  let post: Post;
  beforeEach(async () => (post = await open()));
  afterEach(() => post.close());

  it("sends a mail to the customer and one to the store's contact, with an id for each order and stage", async () => {
    const [first, second] = [anOrderRecord(), anOrderRecord()];

    for (const mail of [first, first, second]) await post.notifier.notify('notify-customer', mail, profile, '');
    await post.notifier.notify('notify-merchant', first, profile, '');

    expect(await post.arrived()).toEqual(
      [
        ...[first, second].map(({ id }) => `ada@example.com ${id}-notify-customer@acme.store-commerce`),
        `hello@acme.test ${first.id}-notify-merchant@acme.store-commerce`,
      ].sort(),
    );
  });

  it.each([
    ['notify-shipment', ['S/1', 'S-1', 's-1']],
    ['notify-cancellation', ['']],
    ['notify-refund', ['R 1', 'r 1']],
  ] as const)('sends the mails of %s to the customer, one for each reference', async (stage, references) => {
    const parcel = { items: [{ line: 1, quantity: 1 }], carrier: '', trackingNumber: '', trackingUrl: '' };
    const order = anOrderRecord({
      shipments: references.map((reference) => {
        return {
          ...parcel,
          reference,
          status: 'shipped',
          shippedAt: new Date(),
          deliveredAt: null,
          isAddressChanged: false,
        };
      }),
      refunds: references.map((reference) => ({ reference, amount: 100, at: new Date(), ...UNNAMED })),
    });

    for (const reference of [...references, ...references])
      await post.notifier.notify(stage, order, profile, reference);

    const arrived = await post.arrived();
    expect(arrived).toHaveLength(references.length);
    for (const mail of arrived) expect(mail).toMatch(new RegExp(`^ada@example.com ${order.id}-${stage}`));
  });

  it('sends nothing without an address', async () => {
    const order = anOrderRecord({ customer: { name: 'Ada', email: '', phone: '' } });

    await post.notifier.notify('notify-customer', order, profile, '');
    await post.notifier.notify('notify-merchant', order, aStoreProfile({ contact: {} }), '');

    expect(await post.arrived()).toEqual([]);
  });

  it('throws UndeliverableMessage and sends no mail when the address is invalid', async () => {
    const order = anOrderRecord({ customer: { name: 'Ada', email: 'a,b@example.com', phone: '' } });

    const attempt = post.notifier.notify('notify-customer', order, profile, '');

    await expect(attempt).rejects.toMatchObject({ code: 'EADDRESS' });
    await expect(attempt).rejects.toBeInstanceOf(UndeliverableMessage);

    expect(await post.arrived()).toEqual([]);
  });
});

async function openSmtp(): Promise<Post> {
  const sink = await SmtpSink.start();
  const notifier = new MailNotifier(new Config({ SMTP_URL: sink.url }));
  return {
    notifier,
    arrived: () => Promise.resolve(distinct(sink.mails.map(({ to, messageId }) => `${to.join()} ${messageId}`))),
    close: async () => {
      notifier.onApplicationShutdown();
      await sink.close();
    },
  };
}

async function openFiles(): Promise<Post> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'mail-'));
  const folder = path.join(dataDir, 'mail');
  return {
    notifier: new MailNotifier(new Config({ DATA_DIR: dataDir })),
    arrived: async () => {
      const names = await readdir(folder).catch(() => []);
      const files = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
      return files
        .map((file) => readMail(file).headers)
        .map((headers) => [headers.get('to'), headers.get('message-id')].join(' '))
        .map((line) => line.replace(/^.*<(\S+)> <(\S+)>$/, '$1 $2'))
        .sort();
    },
    close: () => rm(dataDir, { recursive: true }),
  };
}

function distinct(lines: string[]): string[] {
  return [...new Set(lines)].sort();
}

const DAYS = { rejectedOrders: 90, keyUsage: 400 };
const STAFF = '0191d0a0-0000-7000-8000-000000000001';

describe('retention', () => {
  let pool: pg.Pool;
  beforeAll(() => (pool = new pg.Pool({ connectionString: database.url, max: 2 })));
  afterAll(() => pool.end());

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

  it('removes sign-ins after a day, and sessions 30 days after their end, and no key', async () => {
    for (const [email, hours] of [
      ['young', 23],
      ['old', 25],
    ])
      await database.query(
        `INSERT INTO sign_ins (id, kind, email, secret_hash, created_at, expires_at)
         VALUES (gen_random_uuid(), 'link', $1::text, sha256(convert_to($1::text, 'UTF8')), now() - $2 * interval '1 hour', now())`,
        [email, hours],
      );
    const [young, old] = [await store.session('owner'), await store.session('owner')];
    const end = (where: string, days: number) =>
      database.query(`UPDATE api_keys SET expires_at = now() - ${days} * interval '1 day' WHERE ${where}`);
    await end('person_id IS NULL', 31);
    await end(`person_id = '${young.id}'`, 29);
    await end(`person_id = '${old.id}'`, 31);

    await purgeExpired(pool, DAYS);

    expect(await database.query('SELECT email FROM sign_ins')).toEqual([{ email: 'young' }]);
    const left = await database.query('SELECT DISTINCT person_id FROM api_keys ORDER BY person_id');
    expect(left).toEqual([{ person_id: young.id }, { person_id: null }]);
    await database.query('DELETE FROM people');
    await database.query('UPDATE api_keys SET expires_at = NULL');
  });

  it('removes the notices whose last mail has failed', async () => {
    await database.query(
      `INSERT INTO merchant_notices (store_id, subject, details, attempts, run_at)
       SELECT $1, 'short_stock', jsonb_build_object('n', attempts), attempts, now() - age * interval '1 hour'
       FROM (VALUES (20, 25), (21, 23), (19, 25)) AS notice (attempts, age)`,
      [store.id],
    );

    await purgeExpired(pool, DAYS);

    const left = await database.query(
      `SELECT details -> 'n' AS n FROM merchant_notices WHERE store_id = $1 ORDER BY id`,
      [store.id],
    );
    expect(left).toEqual([{ n: 21 }, { n: 19 }]);
    await database.query('DELETE FROM merchant_notices WHERE store_id = $1', [store.id]);
  });

  it('removes feed snapshots after 7 days, except the newest of them, which counts at cursors of 7 days ago need', async () => {
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

  it('reads the assessments that stay once, and not for each batch', async () => {
    const old = `now() - interval '91 days'`;
    await database.query(
      `WITH placed AS (
         INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency, amount,
           total_amount, customer_name, created_at)
         SELECT $1, gen_random_uuid(), 'I-' || n, 'POS', 'PENDING', 'PENDING', 'CASH', 'USD', 1, 1, '', now()
         FROM generate_series(1, 3000) AS n RETURNING id
       )
       INSERT INTO fraud_assessments (store_id, order_id, verdict, score, created_at) SELECT $1, id, 'REJECT', 1, ${old} FROM placed`,
      [store.id],
    );
    await database.query(
      `INSERT INTO fraud_assessments (store_id, order_id, verdict, score, created_at)
       SELECT $1, gen_random_uuid(), 'REJECT', 2, ${old} FROM generate_series(1, 6500)`,
      [store.id],
    );
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('BEGIN');

    await purgeExpired(client, DAYS);

    const { rows } = await client.query<{ read: number }>(
      `SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = 'fraud_assessments'`,
    );
    await client.query('COMMIT');
    await client.end();
    expect(await database.query('SELECT FROM fraud_assessments WHERE score = 2')).toEqual([]);
    // A row is read when it is found, before it is deleted, and when it is.
    expect(rows[0]?.read).toBeLessThan(3_000 + 3 * 6_500 + 100);
  });

  it.each([
    ['requests', 'api_key_usage (requests, throttled,', '0'],
    ['refusals', 'api_key_refusals (requests, code,', `'not_found'`],
  ])('removes the daily %s of keys after the configured days, in more than one batch', async (_what, into, value) => {
    await database.query(
      `INSERT INTO ${into} store_id, key_id, day)
       SELECT age, ${value}, store_id, id, (now() AT TIME ZONE 'UTC')::date - age
       FROM api_keys, generate_series(399, 2900) AS age WHERE store_id = $1`,
      [store.id],
    );

    await purgeExpired(pool, DAYS);

    const [table = ''] = into.split(' ');
    const left = await database.query(`SELECT requests::int AS age FROM ${table} ORDER BY requests`);
    expect(left).toEqual([{ age: 399 }, { age: 400 }]);
  });

  it('removes what has expired in a store beside more of one that has moved, which stays', async () => {
    const moved = await StoreFixture.create(database);
    const home = await StoreFixture.create(database);
    const expired = [
      `INSERT INTO idempotency_keys SELECT $1, 'live', n, 'stock', 'hash', '[]', now() - interval '2 days' FROM generate_series(1, 3) AS n`,
      `INSERT INTO fraud_assessments (store_id, order_id, verdict, score, created_at)
       SELECT $1, gen_random_uuid(), 'REJECT', 1, now() - interval '91 days' FROM generate_series(1, 3)`,
      `INSERT INTO feed_snapshots (store_id, branch, position, began_after, taken_at)
       SELECT $1, 1, n, 0, now() - interval '9 days' FROM generate_series(1, 4) AS n`,
      ...['api_key_usage (throttled,', 'api_key_refusals (code,'].map(
        (into) => `INSERT INTO ${into} requests, store_id, key_id, day)
          SELECT 0, 0, store_id, id, now() - n * interval '500 days' FROM api_keys, generate_series(1, 3) AS n WHERE store_id = $1`,
      ),
      `INSERT INTO people (store_id, id, email, name, role) VALUES ($1, '${STAFF}', 'ada@example.com', 'Ada', 'viewer')`,
      `INSERT INTO api_keys (store_id, id, key_hash, prefix, last_four, mode, person_id, scope, expires_at)
       SELECT $1, gen_random_uuid(), sha256(uuid_send(gen_random_uuid())), '', '', 'live', '${STAFF}', 'read', now() - interval '31 days'
       FROM generate_series(1, 3) AS n`,
    ];
    for (const { id } of [moved, home]) for (const sql of expired) await database.query(sql, [id]);
    await database.query(`UPDATE stores SET status = 'MOVED' WHERE id = $1`, [moved.id]);

    await purgeExpired(pool, DAYS, 2);

    const left = async ({ id }: StoreFixture) => {
      const tables = ['idempotency_keys', 'fraud_assessments', 'feed_snapshots', 'api_key_usage', 'api_key_refusals'];
      const counts = [...tables, 'api_keys'].map(
        (table) => `(SELECT count(*)::int FROM ${table} WHERE store_id = $1) AS ${table}`,
      );
      return (await database.query(`SELECT ${counts.join(', ')}`, [id]))[0];
    };
    const none = { idempotency_keys: 0, fraud_assessments: 0, api_key_usage: 0, api_key_refusals: 0 };
    const all = { idempotency_keys: 3, fraud_assessments: 3, api_key_usage: 3, api_key_refusals: 3 };
    // The newest position for a count stays, and so does the key that the store began with.
    expect(await left(home)).toEqual({ ...none, feed_snapshots: 1, api_keys: 1 });
    expect(await left(moved)).toEqual({ ...all, feed_snapshots: 4, api_keys: 4 });
  });

  it('runs while a backlog of mail waits', async () => {
    const smtp = await SmtpSink.start();
    smtp.behaviour = { kind: 'hang', at: 'greeting' };
    for (let n = 0; n < 10; n++) {
      const order_id = await store.order({ customer_email: `ada${n}@example.com` });
      await store.row('order_stages', { order_id, stage: 'notify-customer', state: 'pending' });
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
