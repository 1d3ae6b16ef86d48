import { commandLine } from '../support/command-line.js';
import { FeedReader } from '../support/feed-reader.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const URL = 'https://erp.example.com/hooks';

interface Shown {
  readonly id: string;
  readonly secret: string;
  readonly cursor: string;
  readonly last_deliveries: readonly object[];
}

let application: RunningApi;
beforeAll(async () => {
  application = await startApi({ DATABASE_POOL_SIZE: '10', THROTTLE_PER_10S: '0' });
});
afterAll(() => application.stop());

let api: RunningApi;
beforeEach(async () => {
  api = await application.withStore();
});

const sql = <Row>(text: string, ...values: unknown[]) => application.database.query<Row>(text, values);
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function send(
  method: 'GET' | 'POST' | 'DELETE',
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
  send('POST', '', { url: URL, ...body }, headers);
const created = async (body?: object, headers?: Record<string, string>) => {
  const { status, data } = await create(body, headers);
  expect(status).toBe(201);
  return data;
};
const listed = async (headers?: Record<string, string>) =>
  (await api.get('/v1/webhooks', headers)).json<{ data: Shown[] }>().data;

/** Adds an attempt, as a worker does. */
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
      ...{ id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string, url: URL, body: 'thin', batch: 1, mode: 'live' },
      kinds: ['orders', 'products', 'skus', 'customers', 'categories', 'brands', 'stock'],
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

  it('is listed with the others of its store and mode, oldest first, by page, without deliveries', async () => {
    const [first, second] = [await created(), await created({ url: `${URL}/2` })];

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

  it('never shows its secret again, and the database has it in no column', async () => {
    const { id, secret } = await created({}, { 'idempotency-key': 'hidden' });
    await attempted(id, '2026-11-20T09:30:05Z', 'done', 204, '');

    const later = [
      await send('GET', ''),
      await send('GET', `/${id}`),
      await send('POST', `/${id}/test`),
      await send('POST', `/${id}/pause`),
      await send('POST', `/${id}/resume`),
      await send('POST', `/${id}/replay`, { from: '2026-11-20T09:30:00Z' }),
    ].map(({ response }) => response.body);
    const rows = await sql<{ text: string }>(
      `SELECT webhooks::text || encode(webhooks.secrets, 'escape') AS text FROM webhooks WHERE store_id = $1
       UNION ALL SELECT idempotency_keys::text FROM idempotency_keys WHERE store_id = $1
       UNION ALL SELECT webhook_deliveries::text FROM webhook_deliveries WHERE store_id = $1`,
      api.store.id,
    );
    const deleted = (await send('DELETE', `/${id}`)).response.body;

    expect(rows).toHaveLength(3);
    const said = [...later, deleted, ...rows.map(({ text }) => text)].join('\n');
    expect(said).not.toContain(secret);
    expect(said).not.toContain(secret.slice('whsec_'.length));
    expect(said).not.toContain(Buffer.from(secret).toString('hex'));
    expect([...later, deleted].join('\n')).not.toContain('whsec_');
  });
});

describe('a repeated creation', () => {
  const key = (value: string) => ({ 'idempotency-key': value });

  it('installs one webhook and returns it again with its secret, also while the first is running', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => create({}, key('install-1'))));
    const again = await create({ kinds: null }, key('install-1'));

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

    const other = await create({ url: `${URL}/other` }, key('install-3'));
    await send('DELETE', `/${id}`);
    const late = await create({}, key('install-3'));

    expect([other, late].map(({ status, code, error }) => [status, code, error])).toEqual([
      [422, 'idempotency_mismatch', 'This Idempotency-Key was used with a different request'],
      [422, 'idempotency_mismatch', 'The webhook of this key is deleted: use another key'],
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

  it('with every fault of its body', async () => {
    const { error } = await create({ url: '', batch: 101, body: 'fat' });

    expect(error).toMatch(/^url is required; body must be .*; batch must be /);
  });

  it.each([
    'http://erp.example.com/',
    'ftp://erp.example.com',
    'erp.example.com',
    'https://127.0.0.1/',
    'https://10.1.2.3/',
  ])('with the URL %s, to which nothing is ever sent', async (url) => {
    const { status, code } = await create({ url });

    expect([status, code]).toEqual([422, 'url_not_allowed']);
    expect(await listed()).toEqual([]);
  });

  it.each<[string, object | undefined, string]>([
    ['from nowhere', undefined, 'the body must have either cursor or from'],
    ['from two places', { cursor: 'x', from: '2026-11-20T09:30:00Z' }, 'the body must have either cursor or from'],
    ['from a time without its zone', { from: '2026-11-20T09:30:00' }, 'from must be a time in ISO 8601'],
    ['from a time to come', { from: '2999-01-01T00:00:00Z' }, 'from must be a time in ISO 8601'],
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
    const theirs = (await other.post('/v1/webhooks', { url: URL, kinds: ['orders'] })).json<{ data: Shown }>().data;

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
  /** With the encryption key of the API. */
  const cli = (args: readonly string[]) => inDirectory(args, { DATA_DIR: process.env['TEST_DATA_DIR'] ?? '' });
  const run = async (...args: string[]) => {
    const { code, json, stderr } = await cli(['webhooks', ...args]);
    expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
    return json as Shown;
  };

  it('installs a webhook with its secret, lists and shows it without, as the API does', async () => {
    const store = api.store.subdomain;

    const webhook = await run('create', '--store', store, '--url', URL, '--kinds', 'skus,orders', '--batch', '10');

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
      'error: The cursor is damaged, or of another store, mode or set of kinds\n',
    ]);
  });
});
