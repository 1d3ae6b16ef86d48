import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  FeedService,
  DeliverWebhooks,
  RecordFormat,
  WebhookQueue,
  WebhookRepository,
  WebhooksService,
  type ChangeKind,
  type ClaimedWebhook,
  type NewWebhook,
  type Webhook,
  type WebhookReference,
  type WebhookSettings,
} from '@app/application';
import { Database, HttpsWebhookSender, ServiceMetrics, WebhookRunner, type SenderOptions } from '@app/infrastructure';
import { Logger } from '@nestjs/common';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { BY_OPERATOR } from '../builders/change-origin.js';
import { anOrderBody } from '../builders/order-body.js';
import { commandLine } from '../support/command-line.js';
import { DnsServer } from '../support/dns-server.js';
import { eventually } from '../support/eventually.js';
import { FeedReader } from '../support/feed-reader.js';
import { HttpsReceiver, type ReceivedRequest } from '../support/https-receiver.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const ALLOWED = ['127.0.0.1/32'];
const HOOK = 'https://erp.example.com/hooks';

interface Told {
  readonly kind: ChangeKind;
  readonly id: string;
  readonly deleted: boolean;
  readonly record?: unknown;
}
interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Told & { readonly cursor: string; readonly changes: readonly Told[] };
}

interface Shown {
  readonly id: string;
  readonly secret: string;
  readonly cursor: string;
  readonly last_deliveries: readonly object[];
}

let application: RunningApi;
let api: RunningApi;
beforeAll(async () => {
  application = await startApi({ WEBHOOK_ALLOW: ALLOWED.join(), THROTTLE_PER_10S: '0' });
});
afterAll(() => application.stop());
beforeEach(async () => {
  api = await application.withStore();
});

const sql = <Row>(text: string, ...values: unknown[]) => application.database.query<Row>(text, values);
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('the deliveries of a webhook', () => {
  let receiver: HttpsReceiver;
  let runners: WebhookRunner[];
  beforeAll(async () => {
    receiver = await HttpsReceiver.start();
  });
  afterAll(() => receiver.close());
  beforeEach(async () => {
    await sql('DELETE FROM webhooks');
    receiver.reset();
    runners = [startRunner()];
  });
  afterEach(() => Promise.all(runners.map((runner) => runner.beforeApplicationShutdown())));

  const get = <Port>(port: abstract new (...parameters: never[]) => Port): Port => api.app.get(port, { strict: false });

  function deliverer(options: SenderOptions = {}): DeliverWebhooks {
    const sender = new HttpsWebhookSender(ALLOWED, { ca: receiver.ca, ...options });
    return new DeliverWebhooks(get(WebhookQueue), get(FeedService), sender, get(RecordFormat));
  }

  function startRunner(options: SenderOptions = {}): WebhookRunner {
    const runner = new WebhookRunner(deliverer(options), new ServiceMetrics());
    runner.onApplicationBootstrap();
    return runner;
  }

  const install = (more: Partial<NewWebhook> = {}) =>
    get(WebhooksService).create(
      {
        ...{ storeId: api.store.id, mode: 'live', name: '', url: receiver.url, kinds: ['products'] },
        ...{ body: 'thin', batch: 1, ...more },
      },
      BY_OPERATOR,
    );
  const settle = () => sql('SELECT number_changes($1)', api.store.id);
  const rename = async (product: number, name: string) => {
    await sql('UPDATE products SET name = $3 WHERE store_id = $1 AND id = $2', api.store.id, product, name);
    await settle();
  };
  const products = async (count: number) => {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.push(String(await api.store.product({ stock: 100 })));
    await settle();
    return ids;
  };
  const messageOf = ({ body }: ReceivedRequest) => JSON.parse(body) as Message;
  const toldTo = (requests: readonly ReceivedRequest[]) => requests.map((request) => messageOf(request).data.id);
  const header = ({ headers }: ReceivedRequest, name: string) => String(headers[name]);
  const stateOf = (webhook: Webhook) => get(WebhookRepository).find(webhook, null);
  const deliveriesOf = async (webhook: Webhook) => (await stateOf(webhook))?.deliveries ?? [];
  const waitOver = (webhook: Webhook) =>
    sql('UPDATE webhooks SET due_at = now() WHERE id = $1 AND due_at > now()', webhook.id);

  it('tells of each change once, in the order of the feed, signed with the new and the rotated secret', async () => {
    const { secret, ...webhook } = await install();
    const rotated = await get(WebhooksService).rotateSecret({ ...webhook, mode: 'live' }, 60_000, BY_OPERATOR);
    const ids = await products(3);

    await eventually(() => expect(receiver.requests).toHaveLength(3));

    expect(toldTo(receiver.requests)).toEqual(ids);
    for (const request of receiver.requests) {
      const headers = request.headers as Record<string, string>;
      for (const signing of [secret, rotated.secret].map((each) => new StandardWebhook(each))) {
        expect(signing.verify(request.body, headers)).toEqual(messageOf(request));
        expect(() => signing.verify(`${request.body} `, headers)).toThrow();
      }
    }
    const shown = await deliveriesOf(webhook);
    const sent = receiver.requests.map(({ headers }) => ({
      messageId: headers['webhook-id'],
      type: 'products.changed',
    }));
    expect(shown.slice(-2)).toMatchObject(sent.slice(0, 2).reverse());
    const [first] = receiver.requests.map(messageOf);
    expect(first).toEqual({
      type: 'products.changed',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      data: { kind: 'products', id: ids[0], deleted: false, cursor: expect.any(String) as string },
    });
  });

  it('has its fixed headers, and none of them at another URL for which they are not given', async () => {
    const webhook = await install({ url: `${receiver.url}first` });
    const configure = (settings: WebhookSettings) =>
      get(WebhooksService).configure({ ...webhook, mode: 'live' }, settings, BY_OPERATOR);
    const headers = { Authorization: 'Bearer erp-1', 'X-Tenant': 'shop' };

    await configure({ headers });
    await products(1);
    // A message whose answer is not noted yet goes to the new URL as well.
    await eventually(async () => expect(await deliveriesOf(webhook)).toHaveLength(1));
    await configure({ url: `${receiver.url}second` });
    await products(1);
    await eventually(() => expect(receiver.requests).toHaveLength(2));

    const [first, second] = receiver.requests;
    expect(first).toMatchObject({ path: '/first', headers: { authorization: 'Bearer erp-1', 'x-tenant': 'shop' } });
    expect(second?.path).toBe('/second');
    expect(second?.headers).not.toHaveProperty('authorization');
    expect(second?.headers).not.toHaveProperty('x-tenant');
  });

  it('goes on with new headers and a new secret after changes that name its id in capitals', async () => {
    const webhook = await install();
    const path = `/v1/webhooks/${webhook.id.toUpperCase()}`;

    const changed = await api.patch(path, { headers: { 'X-Tenant': 'shop' } });
    const rotated = await api.post(`${path}/rotate-secret`, { overlap_hours: 0 });
    await products(1);
    await eventually(() => expect(receiver.requests).toHaveLength(1));

    expect([changed.statusCode, rotated.statusCode]).toEqual([200, 200]);
    const { body, headers } = receiver.requests[0] as ReceivedRequest;
    const { secret } = rotated.json<{ data: Shown }>().data;
    expect(headers).toMatchObject({ 'x-tenant': 'shop' });
    expect(() => new StandardWebhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
  });

  it('gives a cursor with which a reader of the feed continues after the message', async () => {
    await install();
    const [, second] = await products(2);
    await eventually(() => expect(receiver.requests).toHaveLength(2));
    const [first] = receiver.requests.map(messageOf);

    const url = `/v1/changes?kinds=products&is_test=false&cursor=${first?.data.cursor}`;
    const { data } = (await api.get(url)).json<{ data: Told[] }>();

    expect(data.map(({ id }) => id)).toEqual([second]);
  });

  it('puts the record as its route shows it into a full body, and several changes into one message', async () => {
    await install({ kinds: ['orders', 'products'], body: 'full', batch: 10 });
    const [mug] = await products(1);
    const { order_id: id } = await api.place(anOrderBody(Number(mug)));
    await settle();

    await eventually(() => {
      const told = receiver.requests.flatMap((request) => messageOf(request).data.changes);
      expect(told.filter((change) => change.kind === 'orders')).toHaveLength(1);
    });

    const messages = receiver.requests.map(messageOf);
    expect(messages.map(({ type }) => type)).toEqual(messages.map(() => 'changes'));
    const order = messages.flatMap(({ data }) => data.changes).find((change) => change.kind === 'orders');
    const shown = await api.get(`/v1/orders/${id}`);
    expect(order?.record).toEqual(shown.json<{ data: object }>().data);
  });

  it('tells of orders of its own mode only, and passes the others', async () => {
    const [mug] = await products(1);
    const webhook = await install({ kinds: ['orders'] });
    await api.place(anOrderBody(Number(mug)), bearer(await api.store.createKey('test')));
    await settle();
    await eventually(async () => expect((await stateOf(webhook))?.lagSeconds).toBe(0));
    expect(receiver.requests).toEqual([]);
  });

  it('begins again after a loss of data, although the oldest orders are of the other mode', async () => {
    const [mug] = await products(1);
    const place = async (key: string) => {
      const { order_id: id } = await api.place(anOrderBody(Number(mug)), bearer(key));
      await settle();
      return id;
    };
    await place(await api.store.createKey('test'));
    const order = await place(api.store.key);
    const webhook = await install({ kinds: ['orders'], body: 'full' });

    await sql('UPDATE webhooks SET branch = $2 WHERE id = $1', webhook.id, randomUUID());

    await settle();
    await place(api.store.key);
    await eventually(() => expect(receiver.requests.length).toBeGreaterThan(1));
    expect(toldTo(receiver.requests)[0]).toBe(order);
  });

  it('sends nothing but the newest state of a product that changed while the receiver was down', async () => {
    receiver.answer = () => ({ status: 503 });
    const webhook = await install();
    const [mug = '', cup = ''] = await products(2);
    await eventually(async () => expect(await deliveriesOf(webhook)).toHaveLength(1));
    for (const name of ['Cup 1', 'Cup 2', 'Cup 3']) await rename(Number(cup), name);
    await rename(Number(mug), 'Mug 2');
    receiver.reset();

    await waitOver(webhook);

    await eventually(() => expect(receiver.requests).toHaveLength(2));
    expect(toldTo(receiver.requests)).toEqual([cup, mug]);
  });

  it('repeats a message with the same id and body until it is accepted, and then goes on', async () => {
    receiver.answer = () => ({ status: 500, body: 'Disk full' });
    const webhook = await install();
    const ids = await products(2);
    for (const attempts of [1, 2, 3]) {
      await eventually(async () => {
        await waitOver(webhook);
        expect(receiver.requests.length).toBeGreaterThanOrEqual(attempts);
      });
    }
    receiver.answer = () => ({ status: 204 });
    await eventually(async () => {
      await waitOver(webhook);
      expect(toldTo(receiver.requests).at(-1)).toBe(ids[1]);
    });

    const firsts = receiver.requests.filter((request) => messageOf(request).data.id === ids[0]);
    expect(firsts.length).toBeGreaterThanOrEqual(4);
    expect(new Set(firsts.map((request) => header(request, 'webhook-id'))).size).toBe(1);
    expect(new Set(firsts.map(({ body }) => body)).size).toBe(1);
    const [newest, ...older] = await deliveriesOf(webhook);
    expect(newest).toMatchObject({ phase: 'done', status: 204, answer: '' });
    expect(older.at(-1)).toMatchObject({ phase: 'done', status: 500, answer: 'Disk full' });
  });

  it('waits as long as Retry-After asks', async () => {
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    const webhook = await install();
    await products(1);

    const due = `SELECT FROM webhooks WHERE id = $1 AND due_at > now() + interval '3500 s'`;
    await eventually(async () => expect(await sql(due, webhook.id)).toHaveLength(1));
  });

  it.each([
    ['at 410', 'gone', 410, 1, ''],
    [
      'after three days of failure',
      ...(['failing', 500, 2] as const),
      `UPDATE webhooks SET failing_since = now() - interval '3 days' WHERE id = $1 AND failing_since IS NOT NULL`,
    ],
    [
      'when deletions after its place are no longer kept',
      ...(['cursor_expired', 200, 0] as const),
      `INSERT INTO purged_changes (store_id, kind, through)
     SELECT store_id, 'products', position + 1 FROM webhooks WHERE id = $1
     ON CONFLICT (store_id, kind) DO UPDATE SET through = excluded.through`,
    ],
  ])('pauses %s with its place', async (_when, reason, status, attempts, before) => {
    receiver.answer = () => ({ status });
    const webhook = await install();
    if (reason === 'cursor_expired') await sql(before, webhook.id);
    const ids = await products(2);

    await eventually(async () => {
      if (reason === 'failing') await sql(before, webhook.id);
      await waitOver(webhook);
      expect(await stateOf(webhook)).toMatchObject({ state: 'paused', reason });
    });

    expect(receiver.requests.length).toBeGreaterThanOrEqual(attempts);
    expect(new Set(toldTo(receiver.requests))).toEqual(new Set(ids.slice(0, Math.min(attempts, 1))));
    if (reason === 'cursor_expired') return;
    receiver.reset();
    await get(WebhooksService).change({ ...webhook, mode: null }, { kind: 'resume' }, BY_OPERATOR);
    await eventually(() => expect(toldTo(receiver.requests)).toEqual(ids));
  });

  it('has one message in flight, however many workers there are', async () => {
    runners.push(startRunner(), startRunner());
    let [open, most] = [0, 0];
    receiver.answer = async () => {
      most = Math.max(most, ++open);
      await delay(20);
      open--;
      return { status: 200 };
    };
    await install();
    const ids = await products(15);

    await eventually(() => expect(receiver.requests).toHaveLength(15));

    expect(most).toBe(1);
    expect(toldTo(receiver.requests)).toEqual(ids);
  });

  it('serves more webhooks at a time than the database lets pages wait', async () => {
    const dns = await DnsServer.start((_, type) => (type === 'A' ? [[127, 0, 0, 1]] : []));
    await Promise.all(runners.map((runner) => runner.beforeApplicationShutdown()));
    const stores = await Promise.all(Array.from({ length: 4 }, async () => (await application.withStore()).store));
    for (const each of stores) {
      for (let n = 0; n < 30; n++) {
        await install({ storeId: each.id, url: `https://h${n}-${each.id}.receiver.test:${receiver.port}/` });
      }
      await each.product();
      await sql('SELECT number_changes($1)', each.id);
    }
    const warned = vi.spyOn(Logger.prototype, 'warn');

    runners = [startRunner({ servers: [dns.address] })];

    await eventually(() => expect(receiver.requests).toHaveLength(120));
    expect(warned.mock.calls).toEqual([]);
    warned.mockRestore();
    await dns.close();
  });

  it.each<[string, (webhook: WebhookReference) => Promise<unknown>]>([
    ['paused', (webhook) => get(WebhooksService).change(webhook, { kind: 'pause' }, BY_OPERATOR)],
    ['moved', (webhook) => get(WebhooksService).configure(webhook, { url: HOOK }, BY_OPERATOR)],
    ['deleted', (webhook) => get(WebhooksService).delete(webhook, BY_OPERATOR)],
    ['given another secret', (webhook) => get(WebhooksService).rotateSecret(webhook, 0, BY_OPERATOR)],
  ])('sends nothing more to a slow receiver when its webhook is %s during an attempt', async (_, change) => {
    await Promise.all(runners.map((runner) => runner.beforeApplicationShutdown()));
    const webhook = await install();
    await products(2);
    receiver.answer = async () => {
      await change({ ...webhook, mode: null });
      return delay(200, { status: 200 });
    };
    const [claimed] = await get(WebhookQueue).claim(1, new Map());

    await deliverer().execute(claimed as ClaimedWebhook, new AbortController().signal);

    expect(receiver.requests).toHaveLength(1);
  });

  it('serves others while receivers hang', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    receiver.answer = async ({ path }) => {
      if (path === '/hangs') await held;
      return { status: 200 };
    };
    for (let n = 0; n < 5; n++) await install({ url: `${receiver.url}hangs` });
    await install({ url: `${receiver.url}answers` });
    await products(1);

    await eventually(() => expect(receiver.requests.filter(({ path }) => path === '/answers')).toHaveLength(1), 5_000);
    release();
  });

  it('serves the webhook of a store while the pages of another are slow to read', async () => {
    await Promise.all(runners.map((runner) => runner.beforeApplicationShutdown()));
    const dns = await DnsServer.start((_, type) => (type === 'A' ? [[127, 0, 0, 1]] : []));
    const other = await application.withStore();
    for (let n = 0; n < 10; n++) await install({ url: `https://slow${n}.receiver.test:${receiver.port}/slow` });
    await products(1);
    const feed = get(FeedService);
    const read = feed.read.bind(feed);
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const reading = vi.spyOn(feed, 'read').mockImplementation(async (storeId, ...query) => {
      if (storeId === api.store.id) await held;
      return read(storeId, ...query);
    });

    runners = [startRunner({ servers: [dns.address] })];
    try {
      await eventually(() => expect(reading).toHaveBeenCalled());
      await delay(500);
      await install({ storeId: other.store.id, url: `${receiver.url}other` });
      await other.store.product();
      await sql('SELECT number_changes($1)', other.store.id);

      await eventually(() => expect(receiver.requests.map(({ path }) => path)).toEqual(['/other']), 5_000);
    } finally {
      release();
      reading.mockRestore();
    }
    await eventually(() => expect(receiver.requests).toHaveLength(11));
    await dns.close();
  });

  it('sends again with new ids what a replay asks for', async () => {
    const webhook = await install();
    const ids = await products(2);
    await eventually(() => expect(receiver.requests).toHaveLength(2));
    const [first] = receiver.requests.map(messageOf);

    await get(WebhooksService).replayFrom({ ...webhook, mode: 'live' }, first?.data.cursor ?? '', BY_OPERATOR);
    await eventually(() => expect(receiver.requests).toHaveLength(3));
    await get(WebhooksService).change({ ...webhook, mode: 'live' }, { kind: 'replay', from: new Date(0) }, BY_OPERATOR);

    await eventually(() => expect(receiver.requests).toHaveLength(5));
    expect(toldTo(receiver.requests)).toEqual([...ids, ids[1], ...ids]);
    expect(new Set(receiver.requests.map((request) => header(request, 'webhook-id'))).size).toBe(5);
  });
});

async function send(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  headers: Record<string, string> = {},
) {
  const response = await api.inject({
    method,
    url: `/v1/webhooks${path}`,
    headers: { ...bearer(api.store.key), ...headers },
    ...(body && { payload: body }),
  });
  const { data, error } = response.json<{ data: Shown; error?: string }>();
  return { status: response.statusCode, code: response.headers['x-error-code'], data, error, response };
}

const create = (body: object = {}, headers?: Record<string, string>) =>
  send('POST', '', { url: HOOK, ...body }, headers);
const created = async (body?: object, headers?: Record<string, string>) => {
  const { status, data } = await create(body, headers);
  expect(status).toBe(201);
  return data;
};
const listed = async (headers?: Record<string, string>) =>
  (await api.get('/v1/webhooks', headers)).json<{ data: Shown[] }>().data;

const attempted = (id: string, at: string, phase: string, status: number | null, answer: string) =>
  sql(
    `INSERT INTO webhook_deliveries (store_id, webhook_id, slot, message_id, type, at, phase, status, duration_ms, answer)
     SELECT $1, $2, count(*), 'msg_' || count(*), 'orders.changed', $3, $4, $5, 38, $6 FROM webhook_deliveries WHERE webhook_id = $2`,
    ...[api.store.id, id, at, phase, status, answer],
  );

describe('a webhook', () => {
  it('begins at the end of the feed, thin, one change in a message, with all kinds', async () => {
    await api.store.product();
    const reader = new FeedReader(api);
    await reader.catchUp();

    const webhook = await created();

    expect(webhook).toEqual({
      ...{ id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string, url: HOOK, body: 'thin', batch: 1, mode: 'live' },
      ...{ name: '', header_names: [] },
      kinds: ['orders', 'products', 'skus', 'customers', 'categories', 'brands', 'stock', 'price_lists'],
      ...{ state: 'active', reason: '', lag_seconds: 0, cursor: expect.any(String) as string, last_deliveries: [] },
      ...{ failing_since: null, next_attempt_at: null },
      created_at: expect.stringMatching(/Z$/) as string,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
    });
    const feed = (await api.get(`/v1/changes?cursor=${webhook.cursor}`)).json<{ data: object[] }>();
    expect(feed.data).toEqual([]);
  });

  it('takes kinds in any order, so that its cursor is one of the feed', async () => {
    const webhook = await created({ kinds: ['stock', 'orders', 'stock'], body: 'full', batch: 100 });

    expect(webhook).toMatchObject({ kinds: ['orders', 'stock'], body: 'full', batch: 100 });
    expect((await api.get(`/v1/changes?kinds=orders,stock&cursor=${webhook.cursor}&is_test=false`)).statusCode).toBe(
      200,
    );
  });

  it('takes other settings at its place; absent ones stay, and null is that of a new webhook', async () => {
    const { secret: _, ...webhook } = await created({ name: 'ERP', kinds: ['orders'], body: 'full', batch: 10 });
    const patch = (body: object) => send('PATCH', `/${webhook.id}`, body);
    await send('POST', `/${webhook.id}/pause`);
    const paused = { ...webhook, state: 'paused', reason: 'requested' };
    const headers = { Authorization: 'Bearer erp-1', 'X-Tenant': 'shop' };

    const same = await patch({});
    const moved = await patch({ url: `${HOOK}/2`, kinds: ['skus', 'orders'], headers });
    const without = await patch({ url: `${HOOK}/3`, name: 'Till' });
    const reset = await patch({ name: null, kinds: null, body: null, batch: null, headers: null, url: null });

    expect([same, moved, without, reset].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(same.data).toEqual(paused);
    const { cursor } = moved.data;
    expect(moved.data).toEqual({
      ...{ ...paused, url: `${HOOK}/2`, kinds: ['orders', 'skus'], cursor },
      header_names: ['Authorization', 'X-Tenant'],
    });
    expect((await api.get(`/v1/changes?kinds=orders,skus&cursor=${cursor}&is_test=false`)).statusCode).toBe(200);
    expect(without.data).toEqual({ ...moved.data, url: `${HOOK}/3`, name: 'Till', header_names: [] });
    expect(reset.data).toMatchObject({ name: '', body: 'thin', batch: 1, url: `${HOOK}/3` });
    expect(reset.data).toHaveProperty('kinds.length', 8);
  });

  it('is listed with the others of its store and mode, oldest first, by page, without deliveries', async () => {
    const [first, second] = [await created(), await created({ url: `${HOOK}/2` })];

    const page = (await api.get('/v1/webhooks?limit=1&page=2')).json<object>();

    expect((await listed()).map(({ id }) => id)).toEqual([first.id, second.id]);
    expect((await listed())[0]).not.toHaveProperty('last_deliveries');
    expect(page).toMatchObject({ data: [{ id: second.id }], pagination: { total: 2, page: 2, limit: 1 } });
  });

  it('is shown with its last deliveries, newest first', async () => {
    const { id } = await created();
    await attempted(id, '2026-11-20T09:30:00Z', 'connect', null, 'ECONNREFUSED');
    await attempted(id, '2026-11-20T09:30:05Z', 'done', 503, 'busy');

    const { status, data } = await send('GET', `/${id}`);

    expect(status).toBe(200);
    expect(data.last_deliveries).toEqual([
      {
        ...{ message_id: 'msg_1', type: 'orders.changed', at: '2026-11-20T09:30:05.000Z' },
        ...{ phase: 'done', status: 503, duration_ms: 38, answer: 'busy' },
      },
      {
        ...{ message_id: 'msg_0', type: 'orders.changed', at: '2026-11-20T09:30:00.000Z' },
        ...{ phase: 'connect', status: null, duration_ms: 38, answer: 'ECONNREFUSED' },
      },
    ]);
  });

  it('is shown with the deliveries of its state, also when an attempt is noted while it is read', async () => {
    const { id } = await created();
    const database = api.app.get(Database, { strict: false });
    const query = database.query.bind(database);
    const read = vi.spyOn(database, 'query').mockImplementation(async (text, values) => {
      const rows = await query<never>(text, values);
      if (text.includes('webhooks.find ')) {
        await sql(`UPDATE webhooks SET state = 'paused', reason = 'failing' WHERE id = $1`, id);
        await attempted(id, '2026-11-20T09:30:00Z', 'connect', null, 'ECONNREFUSED');
      }
      return rows;
    });

    const [first, second] = [await send('GET', `/${id}`), await send('GET', `/${id}`)];
    read.mockRestore();

    const shown = ({ data }: typeof first) => [(data as { state?: string }).state, data.last_deliveries.length];
    expect([shown(first), shown(second)]).toEqual([
      ['active', 0],
      ['paused', 1],
    ]);
  });

  it('pauses with the reason and its place, and resumes', async () => {
    const { id, cursor } = await created();

    const paused = await send('POST', `/${id}/pause`);
    const resumed = await send('POST', `/${id}/resume`);

    expect([paused.status, paused.data]).toMatchObject([200, { state: 'paused', reason: 'requested', cursor }]);
    expect([resumed.status, resumed.data]).toMatchObject([200, { state: 'active', reason: '', cursor }]);
  });

  it('gets a new secret, which only this answer has', async () => {
    const { id, secret } = await created();

    const rotated = [
      await send('POST', `/${id}/rotate-secret`),
      await send('POST', `/${id}/rotate-secret`, { overlap_hours: 0 }),
    ];

    expect(rotated.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set([secret, ...rotated.map(({ data }) => data.secret)]).size).toBe(3);
  });

  it('is returned as it was when it is deleted, and is unknown afterwards', async () => {
    const { id } = await created();
    await attempted(id, '2026-11-20T09:30:05Z', 'done', 204, '');

    const deleted = await send('DELETE', `/${id}`);

    expect([deleted.status, deleted.data]).toMatchObject([
      200,
      { id, state: 'active', last_deliveries: [{ status: 204 }] },
    ]);
    expect((await send('GET', `/${id}`)).status).toBe(404);
    expect((await send('DELETE', `/${id}`)).status).toBe(404);
    expect(await listed()).toEqual([]);
  });

  it('never shows its secret again, nor a header, and the database has them in no column', async () => {
    const { id, secret } = await created({}, { 'idempotency-key': 'hidden' });
    const header = 'erp-token-4711';
    await attempted(id, '2026-11-20T09:30:05Z', 'done', 204, '');

    const later = [
      await send('PATCH', `/${id}`, { headers: { Authorization: header } }),
      await send('GET', ''),
      await send('GET', `/${id}`),
      await send('POST', `/${id}/test`),
      await send('POST', `/${id}/pause`),
      await send('POST', `/${id}/resume`),
      await send('POST', `/${id}/replay`, { from: '2026-11-20T09:30:00Z' }),
    ].map(({ response }) => response.body);
    const rows = await sql<{ text: string }>(
      `SELECT webhooks::text || encode(webhooks.secrets || webhooks.headers, 'escape') AS text FROM webhooks WHERE store_id = $1
       UNION ALL SELECT idempotency_keys::text FROM idempotency_keys WHERE store_id = $1
       UNION ALL SELECT webhook_deliveries::text FROM webhook_deliveries WHERE store_id = $1`,
      api.store.id,
    );
    const deleted = (await send('DELETE', `/${id}`)).response.body;

    expect(rows).toHaveLength(3);
    const said = [...later, deleted, ...rows.map(({ text }) => text)].join('\n');
    expect(said).not.toContain(secret);
    expect(said).not.toContain(secret.slice('whsec_'.length));
    for (const hidden of [secret, header]) expect(said).not.toContain(Buffer.from(hidden).toString('hex'));
    expect(said).not.toContain(header);
    expect([...later, deleted].join('\n')).not.toContain('whsec_');
  });
});

describe('a repeated creation', () => {
  const key = (value: string) => ({ 'idempotency-key': value });

  it('installs one webhook and returns it again with its secret, also while the first is running', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => create({}, key('install-1'))));
    const again = await create({}, key('install-1'));

    const [first] = answers;
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set([...answers, again].map(({ data }) => JSON.stringify([data.id, data.secret]))).size).toBe(1);
    expect(again.response.headers['idempotent-replayed']).toBe('true');
    expect((await listed()).map(({ id }) => id)).toEqual([first?.data.id]);
  });

  it('returns the newest secret after a rotation', async () => {
    const { id } = await created({}, key('install-2'));
    const { data } = await send('POST', `/${id}/rotate-secret`);

    expect((await create({}, key('install-2'))).data).toMatchObject({ id, secret: data.secret });
  });

  it('is refused for another webhook, and once the webhook is deleted', async () => {
    const { id } = await created({}, key('install-3'));

    const other = await create({ url: `${HOOK}/other` }, key('install-3'));
    await send('DELETE', `/${id}`);
    const late = await create({}, key('install-3'));

    expect([other, late].map(({ status, code, error }) => [status, code, error])).toEqual([
      [422, 'idempotency_mismatch', 'This Idempotency-Key was used with a different request'],
      [422, 'idempotency_mismatch', 'The webhook of this idempotency key was deleted: send another key'],
    ]);
    expect(await listed()).toEqual([]);
  });
});

it('is unknown to a key of the other mode', async () => {
  const { id } = await created();
  const [before] = await sql<object>('SELECT * FROM webhooks WHERE id = $1', id);
  const stranger = bearer(await api.store.createKey('test'));

  for (const [method, path, body] of [
    ['GET', `/${id}`],
    ['PATCH', `/${id}`, { name: 'Mine' }],
    ['POST', `/${id}/test`],
    ['POST', `/${id}/pause`],
    ['POST', `/${id}/resume`],
    ['POST', `/${id}/replay`, { from: '2020-01-01T00:00:00Z' }],
    ['POST', `/${id}/rotate-secret`],
    ['DELETE', `/${id}`],
  ] as const) {
    const { status, code } = await send(method, path, body, stranger);
    expect([method, path, status, code]).toEqual([method, path, 404, 'not_found']);
  }
  expect(await listed(stranger)).toEqual([]);
  expect(await sql('SELECT * FROM webhooks WHERE id = $1', id)).toEqual([before]);
});

describe('a request about webhooks is refused', () => {
  it.each<[string, object, string]>([
    ['without a URL', { url: undefined }, 'url is required'],
    ['with a URL that is no text', { url: 7 }, 'url must be text of at most 2000 characters'],
    [
      'with a long URL',
      { url: `https://e.example/${'x'.repeat(2000)}` },
      'url must be text of at most 2000 characters',
    ],
    ['with an unknown kind', { kinds: ['orders', 'order'] }, 'kinds must be a list of one or more of orders, products'],
    ['without any kind', { kinds: [] }, 'kinds must be a list of one or more of'],
    ['with kinds that are no list', { kinds: 'orders' }, 'kinds must be a list of one or more of'],
    ['with kinds that are no texts', { kinds: [{}, null] }, 'kinds must be a list of one or more of'],
    ['with another body', { body: 'fat' }, 'body must be one of thin, full'],
    ['with no change in a message', { batch: 0 }, 'batch must be an integer from 1 to 100'],
    ['with too many changes in a message', { batch: 101 }, 'batch must be an integer from 1 to 100'],
    ['with an unknown field', { kind: 'orders' }, 'kind is not a field of this request'],
    ['with a mode, which is that of the key', { mode: 'test' }, 'mode is not a field of this request'],
  ])('%s', async (_, body, fault) => {
    const { status, code, error } = await create(body);

    expect([status, code]).toEqual([400, 'invalid_request']);
    expect(error).toContain(fault);
    expect(await listed()).toEqual([]);
  });

  it.each<[string, object, number, string, string]>([
    [
      'with a long name',
      { name: 'x'.repeat(101) },
      400,
      'invalid_request',
      'name must be text of at most 100 characters',
    ],
    [
      'with headers that are no object',
      { headers: ['a'] },
      400,
      'invalid_request',
      'headers must be an object of names',
    ],
    [
      'with a header of the service',
      { headers: { Host: 'a' } },
      400,
      'invalid_request',
      'headers must not have Host, ',
    ],
    ['with no URL', { url: '' }, 422, 'url_not_allowed', 'url must be a URL'],
    ['with a private URL', { url: 'https://10.1.2.3/' }, 422, 'url_not_allowed', 'url must have a public address'],
    ['with a secret', { secret: 'whsec_1' }, 400, 'invalid_request', 'secret is not a field of this request'],
  ])('that changes one %s', async (_, body, status, code, fault) => {
    const { id, cursor } = await created({ name: 'ERP' });

    const refused = await send('PATCH', `/${id}`, body);

    expect(refused).toMatchObject({ status, code, error: expect.stringContaining(fault) as string });
    expect(await listed()).toMatchObject([{ id, cursor, name: 'ERP', url: HOOK, header_names: [] }]);
  });

  it('with every fault of its body', async () => {
    const { error } = await create({ url: '', batch: 101, body: 'fat' });

    expect(error).toMatch(/^url is required; body must be .*; batch must be /);
  });

  it.each([
    'http://erp.example.com/',
    'ftp://erp.example.com',
    'erp.example.com',
    'https://127.0.0.2/',
    'https://10.1.2.3/',
  ])('with the URL %s, to which nothing is ever sent', async (url) => {
    const { status, code } = await create({ url });

    expect([status, code]).toEqual([422, 'url_not_allowed']);
    expect(await listed()).toEqual([]);
  });

  it.each<[string, object | undefined, string]>([
    ['from nowhere', undefined, 'the body must have either cursor or from'],
    ['from two places', { cursor: 'x', from: '2026-11-20T09:30:00Z' }, 'the body must have either cursor or from'],
    ['from a time without its zone', { from: '2026-11-20T09:30:00' }, 'from must be a time with a zone'],
    ['from a time to come', { from: '2999-01-01T00:00:00Z' }, 'from must be a time with a zone'],
    ['with an unknown field', { since: '2026-11-20T09:30:00Z' }, 'since is not a field of this request'],
  ])('that replays %s', async (_, body, fault) => {
    const { id } = await created();

    const { status, code, error } = await send('POST', `/${id}/replay`, body);

    expect([status, code]).toEqual([400, 'invalid_request']);
    expect(error).toContain(fault);
  });

  it('that replays from a cursor which is damaged, of other kinds, of all orders, or of another store', async () => {
    const { id, cursor } = await created({ kinds: ['orders'] });
    const reader = new FeedReader(api);
    await reader.catchUp();
    const { data: ofSkus } = await create({ kinds: ['skus'] });
    const other = await application.withStore();
    const theirs = (await other.post('/v1/webhooks', { url: HOOK, kinds: ['orders'] })).json<{ data: Shown }>().data;

    for (const wrong of ['', 'x', cursor.slice(1), ofSkus.cursor, reader.cursor, theirs.cursor]) {
      const { status, code } = await send('POST', `/${id}/replay`, { cursor: wrong });
      expect([wrong, status, code]).toEqual([wrong, 400, 'cursor_invalid']);
    }
    expect((await send('GET', `/${id}`)).data.cursor).toBe(cursor);
  });

  it.each([-1, 169, 1.5, '24'])('that lets the old secret sign for %s hours', async (overlap_hours) => {
    const { id } = await created();

    const { status, error } = await send('POST', `/${id}/rotate-secret`, { overlap_hours });

    expect([status, error]).toEqual([400, 'overlap_hours must be an integer from 0 to 168']);
  });
});

describe('the command line', () => {
  const inDirectory = commandLine(() => application.database).cli;
  const cli = (args: readonly string[]) => inDirectory(args, { DATA_DIR: process.env['TEST_DATA_DIR'] ?? '' });
  const run = async (...args: string[]) => {
    const { code, json, stderr } = await cli(['webhooks', ...args]);
    expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
    return json as Shown;
  };

  it('installs a webhook with its secret, lists and shows it without, as the API does', async () => {
    const store = api.store.subdomain;

    const webhook = await run(
      'create',
      '--store',
      store,
      '--url',
      HOOK,
      '--kinds',
      'skus',
      '--kinds',
      'orders',
      '--batch',
      '10',
    );

    const { data } = await send('GET', `/${webhook.id}`);
    expect(webhook.secret).toMatch(/^whsec_/);
    expect(data).toMatchObject({ kinds: ['orders', 'skus'], batch: 10, body: 'thin', mode: 'live' });
    expect(await run('show', webhook.id)).toEqual({ ...data, store });
    expect(await run('list', '--store', store)).toEqual([{ ...(await listed())[0], store }]);
    expect(await run('list')).toContainEqual({ ...(await listed())[0], store });
  });

  it('refuses a URL to which nothing is sent, and the cursor of other kinds', async () => {
    const { id } = await created({ kinds: ['orders'] });
    const { cursor } = await created();

    const refused = await cli(['webhooks', 'create', '--store', api.store.subdomain, '--url', 'http://a.example']);
    const other = await cli(['webhooks', 'replay', id, '--from', cursor]);

    expect([refused.code, refused.stderr]).toEqual([1, 'error: url must begin with https://\n']);
    expect([other.code, other.stderr]).toEqual([
      1,
      'error: The cursor is malformed, or belongs to another store, mode or set of kinds\n',
    ]);
  });
});
