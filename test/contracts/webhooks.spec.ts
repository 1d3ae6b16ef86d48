import {
  CHANGE_KINDS,
  DeadlineExceeded,
  FeedService,
  RecordFormat,
  WebhookQueue,
  WebhookRepository,
  type ClaimedWebhook,
  type Delivery,
  type NewWebhook,
  type Webhook,
  type WebhookChange,
  type WebhookKey,
  type WebhookOutcome,
} from '@app/application';
import { MAX_WEBHOOKS, TooManyWebhooks, type ApiKeyMode } from '@app/domain';
import type { DataCipher, Database } from '@app/infrastructure';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { PostgresWebhookQueue } from '../../libs/infrastructure/src/webhooks/postgres-webhook-queue.js';
import { BY_OPERATOR } from '../builders/change-origin.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { eventually } from '../support/eventually.js';
import { openTransaction } from '../support/open-transaction.js';
import { lockWaits } from '../support/lock-waits.js';
import { rowsReadBy, type RunPlan } from '../support/rows-read.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

const URL_OF_ERP = 'https://erp.example/hook';
const DELIVERED: Delivery = {
  ...{ messageId: 'msg_1', type: 'orders.changed', at: new Date() },
  ...{ phase: 'done', status: 200, durationMs: 4.6, answer: 'ok' },
};
const REFUSED: Delivery = { ...DELIVERED, status: 500, answer: 'no' };

let application: RunningApplication;
let store: StoreFixture;
let other: StoreFixture;
let webhooks: WebhookRepository;
let queue: WebhookQueue;
beforeAll(async () => {
  application = await startApplication();
  webhooks = application.app.get(WebhookRepository, { strict: false });
  queue = application.app.get(WebhookQueue, { strict: false });
});
afterAll(() => application.stop());
beforeEach(async () => {
  await application.database.query('DELETE FROM webhooks');
  store = await StoreFixture.create(application.database);
  other = await StoreFixture.create(application.database);
});

const fields = (more: Partial<NewWebhook> = {}): NewWebhook => ({
  ...{ storeId: store.id, id: uuidv7(), mode: 'live', url: URL_OF_ERP, kinds: CHANGE_KINDS, body: 'thin', batch: 1 },
  ...{ name: '', secret: 'whsec_c2VjcmV0' },
  ...more,
});
const install = (more: Partial<NewWebhook> = {}) => webhooks.insert(fields(more), BY_OPERATOR);
const change = async (of = store) => {
  await of.product();
  await application.database.query('SELECT number_changes($1)', [of.id]);
};
const claim = async (most = 10, busy = new Map<string, number>()) => queue.claim(most, busy);
const claimOne = async (): Promise<ClaimedWebhook> => {
  const [claimed] = await claim();
  if (!claimed) throw new Error('No webhook is due');
  return claimed;
};
const at = (claimed: ClaimedWebhook, by = 1): WebhookOutcome => ({
  kind: 'moved',
  feedPosition: { ...claimed.feedPosition, position: claimed.feedPosition.position + by },
});
const apply = (webhook: Webhook, change: WebhookChange) => webhooks.change(webhook, 'live', change, BY_OPERATOR);
const over = (claimed: WebhookKey) =>
  application.database.query(`UPDATE webhooks SET held_until = now() - interval '1 ms' WHERE id = $1`, [claimed.id]);

describe('WebhookRepository', () => {
  it('begins at the end of the feed, and lists the webhooks of a store and mode, oldest first', async () => {
    await change();
    const [first, second] = [
      await install(),
      await install({ mode: 'test', kinds: ['orders'], body: 'full', batch: 100 }),
    ];
    await install({ storeId: other.id });

    expect(first).toMatchObject({ state: 'active', reason: null, lagSeconds: 0, kinds: CHANGE_KINDS });
    expect(first.feedPosition.position).toBeGreaterThan(0);
    const listed = async (mode: ApiKeyMode | null) =>
      (await webhooks.list(store.id, mode)).map((webhook) => ({ ...webhook, deliveries: [] }));
    expect(await listed(null)).toEqual([first, second]);
    expect(await listed('live')).toEqual([first]);
    expect(await webhooks.find(second, 'test')).toEqual(second);
    expect(await webhooks.locate(second.id)).toEqual({ storeId: store.id, id: second.id });
  });

  it('begins after all that is committed, also when it is more than one numbering takes', async () => {
    await application.database.query(
      `INSERT INTO brands (store_id, name, slug) SELECT $1, n, n FROM generate_series(1, 5100) AS n`,
      [store.id],
    );

    const { feedPosition } = await install();

    await change();
    const [newest] = await application.database.query<{ position: string }>(
      `SELECT max(position) AS position FROM changes WHERE store_id = $1 AND kind = 'brands'`,
      [store.id],
    );
    expect(feedPosition.position).toBe(Number(newest?.position));
  });

  it('is not installed while committed changes cannot be numbered', async () => {
    const lock = `SELECT pg_advisory_xact_lock(hashtext('change_log'), ${store.id})`;
    const other = await openTransaction(application.database, lock);
    await store.brand();

    await expect(install()).rejects.toThrow(DeadlineExceeded);

    await other.end();
    expect(await webhooks.list(store.id, null)).toEqual([]);
  });

  it('installs as many webhooks as a store may have in a mode', async () => {
    await Promise.allSettled(Array.from({ length: 2 * MAX_WEBHOOKS }, () => install()));

    expect(await webhooks.list(store.id, 'live')).toHaveLength(MAX_WEBHOOKS);
    await expect(install()).rejects.toThrow(TooManyWebhooks);
    await install({ mode: 'test' });
    await install({ storeId: other.id });
  });

  it('tells the age of the oldest change that is not delivered, of its own kinds', async () => {
    const [all, customers] = [await install(), await install({ kinds: ['customers'] })];
    await change();
    await application.database.query(
      `UPDATE changes SET changed_at = changed_at - interval '1 hour' WHERE store_id = $1`,
      [store.id],
    );

    expect((await webhooks.find(all, null))?.lagSeconds).toBeGreaterThan(3_599);
    expect((await webhooks.find(customers, null))?.lagSeconds).toBe(0);
  });

  it('replays from a position and from a time, and skips no undelivered change', async () => {
    await change();
    const webhook = await install();
    const feedPosition = { ...webhook.feedPosition, position: 1 };

    expect((await apply(webhook, { kind: 'replay', from: feedPosition }))?.feedPosition).toEqual(feedPosition);
    const [{ changed_at: time, position } = { changed_at: new Date(), position: '' }] =
      await application.database.query<{
        changed_at: Date;
        position: string;
      }>('SELECT changed_at, position FROM changes WHERE store_id = $1 ORDER BY position LIMIT 1', [store.id]);
    const again = await apply(webhook, { kind: 'replay', from: time });
    expect(again?.feedPosition.position).toBe(Number(position) - 1);
    const future = { kind: 'replay', from: new Date(Date.now() + 60_000) } as const;
    expect((await apply(webhook, future))?.feedPosition.position).toBe(Number(position) - 1);
    const expire = `UPDATE webhooks SET state = 'paused', reason = 'cursor_expired' WHERE id = $1`;
    await application.database.query(expire, [webhook.id]);
    expect((await apply(webhook, future))?.feedPosition.position).toBe(webhook.feedPosition.position);
  });

  describe('replayed from a time', () => {
    const CHANGES = 20_000;
    const BEGAN = new Date('2026-01-01T00:00:00Z');
    const fillFeed = () =>
      application.database.query(
        `INSERT INTO changes (store_id, kind, entity, position, deleted, changed_at)
         SELECT $1, (enum_range(NULL::change_kind))[1 + n % 5], n, n, false, $2::timestamptz + n / 4 * interval '1 second'
         FROM generate_series(1, ${CHANGES}) AS n`,
        [store.id, BEGAN],
      );
    const seconds = (n: number) => new Date(BEGAN.getTime() + n * 1000);

    it('begins after the last change before it: before, at, between and after changes', async () => {
      await fillFeed();
      const webhook = await install();

      // A replay skips nothing: each begins before the one that precedes it.
      for (const time of [CHANGES, CHANGES / 4, 2_500.5, 2_500, 0, -1].map(seconds)) {
        const replayed = await apply(webhook, { kind: 'replay', from: time });

        const [last] = await application.database.query<{ position: string }>(
          'SELECT coalesce(max(position), 0) AS position FROM changes WHERE store_id = $1 AND changed_at < $2',
          [store.id, time],
        );
        expect(replayed?.feedPosition.position).toBe(Number(last?.position));
      }
    });

    it('reads few changes, however many there are before and after it', async () => {
      await fillFeed();
      await application.database.query('ANALYZE changes');
      const webhook = await install();
      const sent = vi.spyOn(pg.Client.prototype, 'query');
      await apply(webhook, { kind: 'replay', from: seconds(2_500) });
      const calls = sent.mock.calls as unknown as readonly [string | pg.QueryConfig][];
      sent.mockRestore();

      let read = 0;
      for (const [call] of calls) {
        if (typeof call === 'string' || !call.text.startsWith('/* webhooks.')) continue;
        const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${call.text}`;
        const [plan] = await application.database.query<RunPlan & object>(explain, call.values);
        read += rowsReadBy(plan as RunPlan).get('changes') ?? 0;
      }
      expect(read).toBeGreaterThan(0);
      expect(read).toBeLessThan(500);
    });

    it('sends all changes since, although the clock was set back', async () => {
      await change();
      await application.database.query(
        `UPDATE changes SET changed_at = changed_at + interval '1 hour' WHERE store_id = $1`,
        [store.id],
      );
      const webhook = await install();
      const before = new Date();

      await change();

      const replayed = await apply(webhook, { kind: 'replay', from: before });
      const times = await application.database.query<{ changed_at: Date }>(
        'SELECT changed_at FROM changes WHERE store_id = $1 ORDER BY position',
        [store.id],
      );
      expect(times).toEqual([...times].sort((a, b) => a.changed_at.getTime() - b.changed_at.getTime()));
      expect(replayed?.feedPosition.position).toBe(0);
    });
  });

  it('changes the webhooks of a store in few connections at a time, which leaves connections to other stores', async () => {
    const webhook = await install();
    const client = new pg.Client({ connectionString: application.database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM webhooks WHERE id = $1 FOR UPDATE', [webhook.id]);
    const waiting = [
      ...Array.from({ length: 6 }, () => apply(webhook, { kind: 'pause' })),
      ...Array.from({ length: 6 }, () => webhooks.delete(webhook, 'live', BY_OPERATOR)),
    ];
    await eventually(async () => expect(await lockWaits(application.database, '%webhooks.%')).toBeGreaterThan(2));

    const found = await webhooks.find(webhook, null);
    const holding = await lockWaits(application.database, '%webhooks.%');

    await client.query('ROLLBACK');
    await client.end();
    await Promise.all(waiting);
    expect([found?.id, holding]).toEqual([webhook.id, 3]);
  });
});

describe('RecordFormat', () => {
  it('shows a record, and null for what is deleted', async () => {
    const id = String(await store.product({ name: 'Mug' }));
    const format = application.app.get(RecordFormat, { strict: false });
    const { changes } = await application.app
      .get(FeedService, { strict: false })
      .read(store.id, { kinds: ['products'], after: null, limit: 1 }, new AbortController().signal);

    const [change] = changes;

    expect(change && format.format(change, 'USD')).toMatchObject({ id, name: 'Mug' });
    expect(change && format.format({ ...change, record: null }, 'USD')).toBeNull();
  });
});

describe('WebhookQueue', () => {
  it('gives a webhook with pending changes to one worker only', async () => {
    const webhook = await install();
    expect(await claim()).toEqual([]);
    await change();

    const [first, second] = await Promise.all([claim(), claim()]);

    const [claimed, ...others] = [...first, ...second];
    expect(others).toEqual([]);
    expect(claimed).toMatchObject({
      ...{
        id: webhook.id,
        url: URL_OF_ERP,
        feedPosition: webhook.feedPosition,
        currency: 'USD',
        secrets: ['whsec_c2VjcmV0'],
      },
      ...{ isActive: true, isTestDue: false, failures: 0, failingForMs: 0, replays: 0, headers: {} },
    });
  });

  it('looks for changes by the kinds of each webhook, however many there are', async () => {
    await install({ kinds: ['brands'] });
    await application.database.query(
      `INSERT INTO changes (store_id, kind, entity, position, deleted, changed_at)
       SELECT $1, 'products', n, n, false, now() FROM generate_series(1, 20000) AS n`,
      [store.id],
    );
    await application.database.query('ANALYZE changes');
    let asked: [text: string, values: unknown[]] | undefined;
    const recorder = { query: (...query: [string, unknown[]]) => ((asked = query), Promise.resolve([])) };

    await new PostgresWebhookQueue(recorder as unknown as Database, null as unknown as DataCipher).claim(10, new Map());

    const [text = '', values] = asked ?? [];
    const plan = await application.database.query<Record<string, string>>(`EXPLAIN ${text}`, values);
    const lines = plan.map((row) => row['QUERY PLAN'] ?? '');
    const condition = lines.findIndex((line) => line.includes('changes_by_position')) + 1;
    expect(lines[condition]).toContain('(kind = wanted.kind)');
  });

  it('serves at most ten webhooks of a store at one host at a time', async () => {
    for (let n = 0; n < 12; n++) await install({ url: `https://slow.example/${n}` });
    await install({ url: 'https://fast.example' });
    await change();

    expect(await claim(100, new Map([[`${store.id} slow.example`, 7]]))).toHaveLength(4);
  });

  it('serves at most 32 webhooks of one store at a time', async () => {
    for (let n = 0; n < 40; n++) await install({ url: `https://hook-${n}.example` });
    await install({ storeId: other.id });
    await change();
    await change(other);

    expect(await claim(100, new Map([[String(store.id), 2]]))).toHaveLength(31);
  });

  it.each([
    ['has none left', 32, 0],
    ['has all', 0, 10],
  ])('serves a store at the host of another one, which %s of its places and many due', async (_, busy, own) => {
    const shared = { url: 'https://shared.example' };
    for (let n = 0; n < 12; n++) await install(shared);
    for (let n = 0; n < 3; n++) await install({ ...shared, storeId: other.id });
    await change();
    await change(other);

    const claimed = await claim(100, new Map([[String(store.id), busy]]));

    expect(claimed.filter(({ storeId }) => storeId === other.id)).toHaveLength(3);
    expect(claimed.filter(({ storeId }) => storeId === store.id)).toHaveLength(own);
  });

  it('serves the webhooks that wait longest first, and none of an inactive store', async () => {
    const [late, early] = [await install(), await install(), await install({ storeId: other.id })];
    await application.database.query(`UPDATE webhooks SET due_at = now() - interval '1 min' WHERE id = $1`, [early.id]);
    await application.database.query(`UPDATE stores SET status = 'INACTIVE' WHERE id = $1`, [other.id]);
    await change();
    await change(other);

    expect((await claim(1)).map(({ id }) => id)).toEqual([early.id]);
    expect((await claim(10)).map(({ id }) => id)).toEqual([late.id]);
  });

  it('moves on after a delivery, and has nothing more to send at the end', async () => {
    await install();
    await change();
    const claimed = await claimOne();

    expect(await queue.record(claimed, at(claimed, 1_000), DELIVERED)).toBe(true);
    await queue.release(claimed);

    expect(await claim()).toEqual([]);
    expect((await webhooks.find(claimed, null))?.deliveries).toEqual([{ ...DELIVERED, durationMs: 5 }]);
  });

  it('sends nothing more and frees the webhook when its store is about to move', async () => {
    await install();
    await change();
    const claimed = await claimOne();
    await application.database.query(`INSERT INTO store_moves (store_id, step) VALUES ($1, 'draining')`, [store.id]);

    const goesOn = await queue.record(claimed, at(claimed), DELIVERED);
    await queue.release(claimed);

    expect(goesOn).toBe(false);
    expect(await webhooks.find(claimed, null)).toMatchObject({
      feedPosition: { position: claimed.feedPosition.position + 1 },
    });
    const held = 'SELECT FROM webhooks WHERE held_until > now()';
    expect(await application.database.query(held)).toEqual([]);
  });

  it('counts failures until a delivery, and waits between them', async () => {
    await install();
    await change();
    for (const failures of [0, 1]) {
      const claimed = await claimOne();
      expect(claimed).toMatchObject({ failures });
      await queue.record(claimed, { kind: 'failed', delayMs: 0 }, REFUSED);
      await queue.release(claimed);
    }
    const third = await claimOne();
    expect(third.failingForMs).toBeGreaterThan(0);
    const date: unknown = expect.any(Date);
    expect(await webhooks.find(third, null)).toMatchObject({ failingSince: date, nextAttemptAt: date });
    await queue.record(third, at(third, 0), null);
    await queue.release(third);
    expect(await claimOne()).toMatchObject({ failures: 2 });
    await over(third);
    const fourth = await claimOne();
    await queue.record(fourth, at(fourth, 0), DELIVERED);
    await queue.release(fourth);
    const fifth = await claimOne();
    expect(fifth).toMatchObject({ failures: 0, failingForMs: 0 });
    expect(await webhooks.find(fifth, null)).toMatchObject({ failingSince: null, nextAttemptAt: null });

    await queue.record(fifth, { kind: 'failed', delayMs: 60_000 }, REFUSED);
    await queue.release(fifth);

    expect(await claim()).toEqual([]);
  });

  it('gives a webhook with its new settings to a worker at once, even while it waits for a retry', async () => {
    const webhook = await install({ kinds: ['orders'] });
    await change();
    const settings = { url: 'https://new.example/', kinds: ['products'], headers: { 'X-Key': 'k-1' } } as const;
    await application.database.query(`UPDATE webhooks SET due_at = now() + interval '1 hour'`);

    await apply(webhook, { kind: 'configure', settings });

    expect(await claimOne()).toMatchObject({
      ...settings,
      feedPosition: webhook.feedPosition,
      secrets: ['whsec_c2VjcmV0'],
    });
    const [row] = await application.database.query<{ host: string }>('SELECT host FROM webhooks');
    expect(row?.host).toBe('new.example');
  });

  it.each<[string, WebhookChange]>([
    ['resumed', { kind: 'resume' }],
    ['replayed', { kind: 'replay', from: new Date(0) }],
    ['given other headers', { kind: 'configure', settings: { headers: {} } }],
  ])('still counts the time of its failures when it is %s, until it is paused', async (_, changed) => {
    const webhook = await install();
    await change();
    const claimed = await claimOne();
    await queue.record(claimed, { kind: 'failed', delayMs: 60_000 }, REFUSED);
    await queue.release(claimed);
    const { failingSince = null } = (await webhooks.find(webhook, null)) ?? {};

    const failing = await apply(webhook, changed);
    await apply(webhook, { kind: 'pause' });
    const resumed = await apply(webhook, { kind: 'resume' });

    expect(failingSince).not.toBeNull();
    expect([failing?.failingSince, resumed?.failingSince]).toEqual([failingSince, null]);
  });

  it('sends no second mail while the mail about an earlier pause waits', async () => {
    const webhook = await install();
    for (let n = 0; n < 2; n++) {
      await change();
      const claimed = await claimOne();
      await queue.record(claimed, { kind: 'paused', reason: 'gone' }, { ...REFUSED, status: 410 });
      await queue.release(claimed);
      await apply(webhook, { kind: 'resume' });
    }

    const notices = await application.database.query(
      `SELECT count(*)::int AS count FROM merchant_notices WHERE store_id = $1 AND details ->> 'id' = $2`,
      [store.id, webhook.id],
    );
    expect(notices).toEqual([{ count: 1 }]);
  });

  it('fails no more when a replay leaves nothing to send', async () => {
    const webhook = await install();
    await change();
    const claimed = await claimOne();
    await queue.record(claimed, { kind: 'failed', delayMs: 60_000 }, REFUSED);
    const end = { ...webhook.feedPosition, position: webhook.feedPosition.position + 1_000 };

    const [skipped, again] = [
      await apply(webhook, { kind: 'replay', from: webhook.feedPosition }),
      await apply(webhook, { kind: 'replay', from: end }),
    ].map((replayed) => replayed?.failingSince);

    expect([skipped, again]).toEqual([expect.any(Date), null]);
  });

  it('pauses with a reason and a mail to the merchant, and keeps its position', async () => {
    const webhook = await install();
    await change();
    const claimed = await claimOne();

    await queue.record(claimed, { kind: 'paused', reason: 'gone' }, { ...REFUSED, status: 410 });
    await queue.release(claimed);

    expect(await webhooks.find(webhook, null)).toMatchObject({
      state: 'paused',
      reason: 'gone',
      feedPosition: webhook.feedPosition,
    });
    expect(await claim()).toEqual([]);
    const notices = await application.database.query<{ subject: string; details: object }>(
      'SELECT subject, details FROM merchant_notices WHERE store_id = $1',
      [store.id],
    );
    const details = { id: webhook.id, mode: 'live', host: 'erp.example', reason: 'gone', failingSince: null };
    expect(notices).toEqual([{ subject: 'webhook_paused', details }]);
    const entries = await application.database.query(
      `SELECT actor_type, changes FROM audit_events WHERE store_id = $1 AND subject_id = $2 AND action = 'webhook.paused'`,
      [store.id, webhook.id],
    );
    expect(entries).toEqual([
      { actor_type: 'system', changes: { state: ['active', 'paused'], reason: [null, 'gone'] } },
    ]);
    expect(await apply(webhook, { kind: 'pause' })).toMatchObject({ state: 'paused', reason: 'gone' });
    await apply(webhook, { kind: 'resume' });
    expect((await claimOne()).feedPosition).toEqual(webhook.feedPosition);
  });

  it.each<[string, WebhookChange]>([
    ['paused', { kind: 'pause' }],
    ['resumed', { kind: 'resume' }],
    ['replayed', { kind: 'replay', from: new Date(0) }],
    ['given another secret', { kind: 'rotate', secret: 'whsec_bmV3', overlapMs: 0 }],
    ['given another URL', { kind: 'configure', settings: { url: `${URL_OF_ERP}/2` } }],
  ])('notes nothing of an attempt that began before the webhook was %s', async (_, changed) => {
    const webhook = await install();
    await change();
    const claimed = await claimOne();
    const now = await apply(webhook, changed);

    expect(await queue.record(claimed, at(claimed), DELIVERED)).toBe(false);

    expect((await webhooks.find(webhook, null))?.feedPosition).toEqual(now?.feedPosition);
    expect((await webhooks.find(webhook, null))?.deliveries).toEqual([]);
  });

  it('leaves a webhook alone whose secrets no key decrypts, and logs it once', async () => {
    const webhook = await install();
    await change();
    await application.database.query(`UPDATE webhooks SET secrets = '\\x00' WHERE id = $1`, [webhook.id]);
    const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);

    const claimed = [...(await claim()), ...(await over(webhook), await claim())];

    expect([claimed, logged.mock.calls.length]).toEqual([[], 1]);
    logged.mockRestore();
  });

  it('sends a test also while it is paused or waits, once', async () => {
    const webhook = await install();
    await apply(webhook, { kind: 'pause' });
    await apply(webhook, { kind: 'test' });

    const claimed = await claimOne();
    expect(claimed).toMatchObject({ isTestDue: true, isActive: false });
    await queue.record(claimed, { kind: 'tested' }, REFUSED);
    await queue.release(claimed);

    expect(await claim()).toEqual([]);
    expect(await webhooks.find(webhook, null)).toMatchObject({ state: 'paused', reason: 'requested' });
  });

  it.each<[string, (claimed: ClaimedWebhook) => WebhookOutcome]>([
    ['a failure', () => ({ kind: 'failed', delayMs: 60_000 })],
    ['a delivery', at],
    ['a pause', () => ({ kind: 'paused', reason: 'gone' })],
  ])('keeps a test waiting that is asked for during an attempt that ends in %s', async (_what, outcome) => {
    const webhook = await install();
    await change();
    const claimed = await claimOne();
    await apply(webhook, { kind: 'test' });

    await queue.record(claimed, outcome(claimed), REFUSED);
    await queue.release(claimed);

    expect(await claimOne()).toMatchObject({ id: webhook.id, isTestDue: true });
  });

  it('signs with the three newest secrets, and with an old one until its overlap is over', async () => {
    const webhook = await install();
    await change();
    const secrets = async () => {
      const claimed = await claimOne();
      await queue.release(claimed);
      return claimed.secrets;
    };
    const rotate = (secret: string, overlapMs: number) => apply(webhook, { kind: 'rotate', secret, overlapMs });

    for (const secret of ['whsec_dHdv', 'whsec_dGhyZWU=', 'whsec_Zm91cg==']) await rotate(secret, 60_000);
    expect(await secrets()).toEqual(['whsec_Zm91cg==', 'whsec_dGhyZWU=', 'whsec_dHdv']);

    await rotate('whsec_Zml2ZQ==', 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await secrets()).toEqual(['whsec_Zml2ZQ==']);
  });

  it('keeps the last 20 attempts', async () => {
    const webhook = await install();
    await change();
    const claimed = await claimOne();
    for (let n = 0; n < 23; n++) {
      await queue.record(claimed, at(claimed, 0), { ...DELIVERED, at: new Date(n), answer: `${n}` });
    }

    const kept = (await webhooks.find(webhook, null))?.deliveries.map(({ answer }) => Number(answer));

    expect(kept).toEqual(Array.from({ length: 20 }, (_, n) => 22 - n));
  });
});
