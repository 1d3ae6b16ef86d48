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
} from '@app/application';
import { HttpsWebhookSender, ServiceMetrics, WebhookRunner, type SenderOptions } from '@app/infrastructure';
import { Logger } from '@nestjs/common';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { anOrderBody } from '../builders/order-body.js';
import { DnsServer } from '../support/dns-server.js';
import { eventually } from '../support/eventually.js';
import { HttpsReceiver, type ReceivedRequest } from '../support/https-receiver.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const ALLOWED = ['127.0.0.1/32'];

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

let api: RunningApi;
let receiver: HttpsReceiver;
let runners: WebhookRunner[];
let store: RunningApi['store'];
let post: RunningApi['post'];
beforeAll(async () => {
  receiver = await HttpsReceiver.start();
  api = await startApi({ WEBHOOK_ALLOW: ALLOWED.join() });
});
afterAll(async () => {
  await api.stop();
  await receiver.close();
});
beforeEach(async () => {
  await api.database.query('DELETE FROM webhooks');
  ({ store, post } = await api.withStore());
  receiver.reset();
  runners = [startRunner()];
});
afterEach(() => Promise.all(runners.map((runner) => runner.beforeApplicationShutdown())));

const get = <Port>(port: abstract new (...parameters: never[]) => Port): Port => api.app.get(port, { strict: false });

/** It trusts the certificate of the receiver. */
function deliverer(options: SenderOptions = {}): DeliverWebhooks {
  const sender = new HttpsWebhookSender(ALLOWED, { ca: receiver.ca, ...options });
  return new DeliverWebhooks(get(WebhookQueue), get(FeedService), sender, get(RecordFormat));
}

/** The loop of a worker. */
function startRunner(options: SenderOptions = {}): WebhookRunner {
  const runner = new WebhookRunner(deliverer(options), new ServiceMetrics());
  runner.onApplicationBootstrap();
  return runner;
}

const install = (more: Partial<NewWebhook> = {}) =>
  get(WebhooksService).create({
    ...{ storeId: store.id, mode: 'live', url: receiver.url, kinds: ['products'], body: 'thin', batch: 1, ...more },
  });
const settle = () => api.database.query('SELECT number_changes($1)', [store.id]);
const rename = async (product: number, name: string) => {
  await api.database.query('UPDATE products SET name = $3 WHERE store_id = $1 AND id = $2', [store.id, product, name]);
  await settle();
};
const products = async (count: number) => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(String(await store.product({ stock: 100 })));
  await settle();
  return ids;
};
const messageOf = ({ body }: ReceivedRequest) => JSON.parse(body) as Message;
const toldTo = (requests: readonly ReceivedRequest[]) => requests.map((request) => messageOf(request).data.id);
const header = ({ headers }: ReceivedRequest, name: string) => String(headers[name]);
const stateOf = (webhook: Webhook) => get(WebhookRepository).find(webhook, null);
const waitOver = (webhook: Webhook) =>
  api.database.query('UPDATE webhooks SET due_at = now() WHERE id = $1 AND due_at > now()', [webhook.id]);

it('tells of each change once, in the order of the feed, with a signature that the standard library accepts', async () => {
  const { secret, ...webhook } = await install();
  const ids = await products(3);

  await eventually(() => expect(receiver.requests).toHaveLength(3));

  expect(toldTo(receiver.requests)).toEqual(ids);
  for (const request of receiver.requests) {
    const verified = new StandardWebhook(secret).verify(request.body, request.headers as Record<string, string>);
    expect(verified).toEqual(messageOf(request));
    expect(() =>
      new StandardWebhook(secret).verify(`${request.body} `, request.headers as Record<string, string>),
    ).toThrow();
  }
  const shown = await get(WebhookRepository).deliveries(webhook);
  const sent = receiver.requests.map(({ headers }) => ({ messageId: headers['webhook-id'], type: 'products.changed' }));
  expect(shown.slice(-2)).toMatchObject(sent.slice(0, 2).reverse());
  const [first] = receiver.requests.map(messageOf);
  expect(first).toEqual({
    type: 'products.changed',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    data: { kind: 'products', id: ids[0], deleted: false, cursor: expect.any(String) as string },
  });
});

it('gives a cursor with which a reader of the feed continues after the message', async () => {
  await install();
  const [, second] = await products(2);
  await eventually(() => expect(receiver.requests).toHaveLength(2));
  const [first] = receiver.requests.map(messageOf);

  const { data } = (
    await api.inject({
      method: 'GET',
      url: `/v1/changes?kinds=products&is_test=false&cursor=${first?.data.cursor}`,
      headers: { authorization: `Bearer ${store.key}` },
    })
  ).json<{ data: Told[] }>();

  expect(data.map(({ id }) => id)).toEqual([second]);
});

it('puts the record as its route shows it into a full body, and several changes into one message', async () => {
  await install({ kinds: ['orders', 'products'], body: 'full', batch: 10 });
  const [mug] = await products(1);
  const placed = await post('/v1/orders', anOrderBody(Number(mug)));
  const { order_id: id } = placed.json<{ data: { order_id: string } }>().data;
  await settle();

  await eventually(() => {
    const told = receiver.requests.flatMap((request) => messageOf(request).data.changes);
    expect(told.filter((change) => change.kind === 'orders')).toHaveLength(1);
  });

  const messages = receiver.requests.map(messageOf);
  expect(messages.map(({ type }) => type)).toEqual(messages.map(() => 'changes'));
  const order = messages.flatMap(({ data }) => data.changes).find((change) => change.kind === 'orders');
  const shown = await api.inject({
    method: 'GET',
    url: `/v1/orders/${id}`,
    headers: { authorization: `Bearer ${store.key}` },
  });
  expect(order?.record).toEqual(shown.json<{ data: object }>().data);
});

it('tells of orders of its own mode only, and passes the others', async () => {
  const [mug] = await products(1);
  const webhook = await install({ kinds: ['orders'] });
  await api.inject({
    method: 'POST',
    url: '/v1/orders',
    headers: { authorization: `Bearer ${await store.createKey('test')}` },
    payload: anOrderBody(Number(mug)),
  });
  await settle();
  await eventually(async () => expect((await stateOf(webhook))?.lagSeconds).toBe(0));
  expect(receiver.requests).toEqual([]);
});

it('begins again after a loss of data, although the oldest orders are of the other mode', async () => {
  const [mug] = await products(1);
  const place = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const { json } = await api.inject({
      method: 'POST',
      url: '/v1/orders',
      headers,
      payload: anOrderBody(Number(mug)),
    });
    await settle();
    return json<{ data: { order_id: string } }>().data.order_id;
  };
  await place(await store.createKey('test'));
  const order = await place(store.key);
  const webhook = await install({ kinds: ['orders'], body: 'full' });

  await api.database.query('UPDATE webhooks SET branch = $2 WHERE id = $1', [webhook.id, randomUUID()]);

  await settle();
  await place(store.key);
  await eventually(() => expect(receiver.requests.length).toBeGreaterThan(1));
  expect(toldTo(receiver.requests)[0]).toBe(order);
});

it('sends nothing but the newest state of a product that changed while the receiver was down', async () => {
  receiver.answer = () => ({ status: 503 });
  const webhook = await install();
  const [mug = '', cup = ''] = await products(2);
  await eventually(async () => expect(await get(WebhookRepository).deliveries(webhook)).toHaveLength(1));
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
  const [newest, ...older] = await get(WebhookRepository).deliveries(webhook);
  expect(newest).toMatchObject({ phase: 'done', status: 204, answer: '' });
  expect(older.at(-1)).toMatchObject({ phase: 'done', status: 500, answer: 'Disk full' });
});

it('waits as long as Retry-After asks', async () => {
  receiver.answer = () => ({ status: 429, headers: { 'retry-after': '3600' } });
  const webhook = await install();
  await products(1);
  await eventually(() => expect(receiver.requests).toHaveLength(1));

  await eventually(async () => {
    const [row] = await api.database.query<{ seconds: number }>(
      'SELECT extract(epoch FROM due_at - now())::float8 AS seconds FROM webhooks WHERE id = $1',
      [webhook.id],
    );
    expect(row?.seconds).toBeGreaterThan(3_500);
  });
});

it('pauses at 410 with its place, and goes on there when it is resumed', async () => {
  receiver.answer = () => ({ status: 410 });
  const webhook = await install();
  const ids = await products(2);
  await eventually(async () => expect(await stateOf(webhook)).toMatchObject({ state: 'paused', reason: 'gone' }));
  expect(receiver.requests).toHaveLength(1);
  receiver.reset();

  await get(WebhooksService).change({ ...webhook, mode: null }, { kind: 'resume' });

  await eventually(() => expect(receiver.requests).toHaveLength(2));
  expect(toldTo(receiver.requests)).toEqual(ids);
});

it('pauses after three days of failure', async () => {
  receiver.answer = () => ({ status: 500 });
  const webhook = await install();
  await products(1);
  await eventually(async () => expect(await get(WebhookRepository).deliveries(webhook)).toHaveLength(1));
  await api.database.query(`UPDATE webhooks SET failing_since = now() - interval '3 days' WHERE id = $1`, [webhook.id]);

  await eventually(async () => {
    await waitOver(webhook);
    expect(await stateOf(webhook)).toMatchObject({ state: 'paused', reason: 'failing' });
  });
});

it('pauses when deletions after its place are no longer kept', async () => {
  const webhook = await install();
  await api.database.query(
    `INSERT INTO purged_changes (store_id, kind, through)
     SELECT $1, 'products', position + 1 FROM webhooks WHERE id = $2
     ON CONFLICT (store_id, kind) DO UPDATE SET through = excluded.through`,
    [store.id, webhook.id],
  );
  await products(2);

  await eventually(async () => expect(await stateOf(webhook)).toMatchObject({ reason: 'cursor_expired' }));
  expect(receiver.requests).toEqual([]);
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
  const stores = await Promise.all(Array.from({ length: 4 }, async () => (await api.withStore()).store));
  for (const each of stores) {
    for (let n = 0; n < 30; n++) {
      await install({ storeId: each.id, url: `https://h${n}-${each.id}.receiver.test:${receiver.port}/` });
    }
    await each.product();
    await api.database.query('SELECT number_changes($1)', [each.id]);
  }
  const warned = jest.spyOn(Logger.prototype, 'warn');

  runners = [startRunner({ servers: [dns.address] })];

  await eventually(() => expect(receiver.requests).toHaveLength(120));
  expect(warned.mock.calls).toEqual([]);
  warned.mockRestore();
  await dns.close();
});

it.each<[string, (webhook: WebhookReference) => Promise<unknown>]>([
  ['paused', (webhook) => get(WebhooksService).change(webhook, { kind: 'pause' })],
  ['deleted', (webhook) => get(WebhooksService).delete(webhook)],
  ['given another secret', (webhook) => get(WebhooksService).rotateSecret(webhook, 0)],
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
  receiver.answer = ({ path }) => (path === '/hangs' ? 'hang' : { status: 200 });
  for (let n = 0; n < 5; n++) await install({ url: `${receiver.url}hangs` });
  await install({ url: `${receiver.url}answers` });
  await products(1);

  await eventually(() => expect(receiver.requests.filter(({ path }) => path === '/answers')).toHaveLength(1), 5_000);
});

it('sends again with new ids what a replay asks for', async () => {
  const webhook = await install();
  const ids = await products(2);
  await eventually(() => expect(receiver.requests).toHaveLength(2));
  const [first] = receiver.requests.map(messageOf);

  await get(WebhooksService).replayFrom({ ...webhook, mode: 'live' }, first?.data.cursor ?? '');
  await eventually(() => expect(receiver.requests).toHaveLength(3));
  await get(WebhooksService).change({ ...webhook, mode: 'live' }, { kind: 'replay', from: new Date(0) });

  await eventually(() => expect(receiver.requests).toHaveLength(5));
  expect(toldTo(receiver.requests)).toEqual([...ids, ids[1], ...ids]);
  expect(new Set(receiver.requests.map((request) => header(request, 'webhook-id'))).size).toBe(5);
});

it('signs with both secrets while a rotation overlaps', async () => {
  const webhook = await install();
  const rotated = await get(WebhooksService).rotateSecret({ ...webhook, mode: 'live' }, 60_000);
  await products(1);
  await eventually(() => expect(receiver.requests).toHaveLength(1));

  const [request] = receiver.requests;
  for (const secret of [webhook.secret, rotated.secret]) {
    const headers = request?.headers as Record<string, string>;
    expect(new StandardWebhook(secret).verify(request?.body ?? '', headers)).toMatchObject({
      type: 'products.changed',
    });
  }
});
