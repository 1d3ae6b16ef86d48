import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import net, { type Socket } from 'node:net';
import { promisify } from 'node:util';
import { Metrics } from '../../apps/api/src/status/metrics.js';
import { anOrderBody } from '../builders/order-body.js';
import { eventually } from '../support/eventually.js';
import { startListeningApi, type ListeningApi } from '../support/listening-api.js';
import { slowClient } from '../support/slow-clients.js';

const TIMEOUT_MS = 60_000;
const TEST_MS = 90_000;

const lines: string[] = [];
let api: ListeningApi;
beforeAll(async () => {
  api = await startListeningApi(lines);
});
afterAll(() => api.stop());

describe('the HTTP edge', () => {
  const UNREADABLE = expect.any(String) as string;
  const UNKNOWN_METHOD = 'The request does not begin with a known HTTP method';

  it.each<[string, string, string]>([
    ['plain text', 'hello there\r\n\r\n', UNREADABLE],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', UNREADABLE],
    [
      'Content-Length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      UNREADABLE,
    ],
    ['headers of 20 kB', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`, UNREADABLE],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\n X-Folded: y\r\n\r\n', UNREADABLE],
    ['a TLS hello', '\x16\x03\x01\x02\0', UNKNOWN_METHOD],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', UNKNOWN_METHOD],
    ['a bare LF', 'GET / HTTP/1.1\nHost: x\n\n', 'The request line must end with a supported HTTP version and CRLF'],
    [
      'two Content-Length headers',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'Content-Length must be one number, without Transfer-Encoding',
    ],
  ])('returns 400 as JSON for %s, names the fault and closes the connection', async (_name, bytes, error) => {
    const response = await api.send(bytes, { keep: false });

    expect(response).toMatchObject({ status: 400, closed: true });
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      connection: 'close',
      'x-error-code': 'invalid_request',
    });
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.json()).toEqual({ success: false, error, code: 'invalid_request' });
  });

  it('answers a client that has closed its side of the connection', async () => {
    const product = await api.store.product({ stock: 1 });
    const order = JSON.stringify(anOrderBody(product));
    const socket = net.connect({ port: api.port, host: '127.0.0.1', allowHalfOpen: true });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.end(api.orderWith(order));
    await once(socket, 'end');
    socket.destroy();

    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('accepts a request target in absolute form, and requires a key for it', async () => {
    const ask = (head: string) => api.send(`GET http://shop.test/v1/orders?limit=1 HTTP/1.1\r\nHost: x\r\n${head}\r\n`);

    expect((await ask('')).status).toBe(401);
    expect((await ask(api.keyLine)).status).toBe(200);
  });

  it('returns 401 for two Authorization headers', async () => {
    const twice = await api.send(`GET /v1/orders HTTP/1.1\r\nHost: x\r\n${api.keyLine}${api.keyLine}\r\n`);

    expect(twice.status).toBe(401);
    expect(twice.json()).toEqual({ error: 'Missing or invalid Authorization header' });
  });

  it('returns 400 for two Idempotency-Key headers', async () => {
    const keys = 'Idempotency-Key: a\r\nidempotency-key: b\r\n';
    const response = await api.send(api.orderWith('{}', keys));

    expect(response.status).toBe(400);
    expect(response.json()).toEqual({
      success: false,
      error: 'Idempotency-Key must be sent once',
      code: 'invalid_request',
    });
  });

  it.each([
    ['plain text', 'hello there\r\n\r\n'],
    ['another request', 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('closes the connection without an answer because of %s behind a request in progress', async (_name, bytes) => {
    const socket = net.connect(api.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk))).on('error', () => undefined);
    socket.write(`GET /v1/store HTTP/1.1\r\nHost: x\r\n${api.keyLine}\r\n${bytes}`);
    await new Promise((resolve) => socket.once('close', resolve));

    expect(answer).toBe('');
  });

  const order = (head: string, body: string) =>
    String(api.orderHead(`Content-Type: application/json\r\n${head}`, body));

  it.each<[string, () => string, string]>([
    [
      'two Host headers',
      () => `GET /v1/store HTTP/1.1\r\nHost: a\r\nHost: b\r\n${api.keyLine}\r\n`,
      'Host must be sent once',
    ],
    ['HTTP/1.1 without Host', () => 'GET /health/live HTTP/1.1\r\n\r\n', 'The Host header is required'],
    ['a Host with a path', () => 'GET /health/live HTTP/1.1\r\nHost: a/b\r\n\r\n', 'The Host header is malformed'],
    ['HTTP/2.0', () => `GET /v1/store HTTP/2.0\r\nHost: a\r\n${api.keyLine}\r\n`, 'The HTTP version is not supported'],
    [
      'Transfer-Encoding: gzip, chunked',
      () => order('Transfer-Encoding: gzip, chunked', '2\r\n{}\r\n0\r\n\r\n'),
      'Transfer-Encoding must be chunked',
    ],
    [
      'Transfer-Encoding with HTTP/1.0',
      () => order('Transfer-Encoding: chunked', '2\r\n{}\r\n0\r\n\r\n').replace('HTTP/1.1', 'HTTP/1.0'),
      'Transfer-Encoding must be chunked',
    ],
    [
      '101 header lines',
      () => `GET /health/live HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(100)}\r\n`,
      'The request has too many headers',
    ],
  ])('rejects %s with 400 and closes the connection', async (_name, request, error) => {
    const response = await api.send(request(), { keep: false });

    expect(response).toMatchObject({ status: 400, closed: true });
    expect(response.json()).toEqual({ success: false, error, code: 'invalid_request' });
    expect(response.headers).toMatchObject({ connection: 'close', 'cache-control': 'no-store' });
  });

  describe('at POST /v1/orders', () => {
    const deep = (levels: number) => `{"items":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

    it.each<[string, () => Buffer, string]>([
      ['a truncated body', () => api.orderWith('{"items": ['), 'Request body is not valid JSON'],
      ['an empty body', () => api.orderWith(''), 'Request body is empty'],
      ['a body of plain text', () => api.orderWith('hello'), 'Request body is not valid JSON'],
      ['9 levels', () => api.orderWith(deep(9)), 'Request body is nested deeper than 8 levels'],
      ['invalid UTF-8', () => api.orderWith(Buffer.from([0x22, 0xc3, 0x28, 0x22])), 'Request body is not valid UTF-8'],
      ['more than 256 kB', () => api.orderWith(`"${'a'.repeat(256 * 1024)}"`), 'Request body exceeds 256 kB'],
      [
        'the type text/plain',
        () => api.orderHead('Content-Type: text/plain\r\nContent-Length: 2', '{}'),
        'Content-Type must be application/json',
      ],
      [
        'a body without a type',
        () => api.orderHead('Content-Length: 2', '{}'),
        'Content-Type must be application/json',
      ],
      ['no body', () => api.orderHead('X-Nothing: 1'), 'Request body is empty'],
      [
        'the charset latin1',
        () => api.orderHead('Content-Type: application/json; charset=iso-8859-1\r\nContent-Length: 2', '{}'),
        'Charset must be utf-8',
      ],
      [
        'a compressed body',
        () => api.orderWith('{}', 'Content-Encoding: gzip\r\n'),
        'Content-Encoding is not supported',
      ],
    ])('returns 400 for %s', async (_name, bytes, error) => {
      const response = await api.send(bytes());

      expect(response.status).toBe(400);
      expect(response.json()).toEqual({ success: false, error, code: 'invalid_request' });
    });

    it.each([
      'application/json',
      'Application/JSON; charset="UTF-8"',
      'application/vnd.shop+json',
      'application/json;charset=utf8',
    ])('accepts the type %s', async (type) => {
      const response = await api.send(api.orderHead(`Content-Type: ${type}\r\nContent-Length: 2`, '{}'));

      expect(response.json()).toMatchObject({ success: false, error: expect.stringContaining('items') as unknown });
    });

    describe('with a field name that could change a prototype', () => {
      const order = (item: string, more = '') => `{"items":[{${item}}],"customer":{"name":"Ada Lovelace"}${more}}`;

      it.each<[string, string, string]>([
        ['__proto__', '', ',"__proto__":{"polluted":true}'],
        ['an escaped __proto__', '', ',"__pr\\u006fto__":{"polluted":true}'],
        ['constructor.prototype in an item', ',"constructor":{"prototype":{"polluted":true}}', ''],
      ])('accepts the order and ignores %s', async (_name, inItem, inBody) => {
        const mug = await api.store.product({ price: 1000, stock: 5 });

        const response = await api.send(api.orderWith(order(`"product_id":${mug},"quantity":1${inItem}`, inBody)));

        expect(response.status).toBe(201);
        expect(response.json()).toMatchObject({ data: { subtotal: 10 } });
        expect({}).not.toHaveProperty('polluted');
      });

      it('reads no field from __proto__', async () => {
        const mug = await api.store.product({ stock: 5 });

        const response = await api.send(api.orderWith(order(`"product_id":${mug},"__proto__":{"quantity":1}`)));

        expect(response.status).toBe(400);
        expect(response.json()).toMatchObject({ error: expect.stringContaining('quantity') as unknown });
      });
    });

    it('returns 400 for chunks of more than 256 kB to a client that is still sending', async () => {
      const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
      const head = api.orderHead('Content-Type: application/json\r\nTransfer-Encoding: chunked');
      const response = await api.send([head, ...Array.from({ length: 40 }, () => chunk), '0\r\n\r\n']);

      expect(response.status).toBe(400);
      expect(response.json()).toMatchObject({ error: 'Request body exceeds 256 kB', code: 'invalid_request' });
    });
  });
});

describe('the API with slow connections', () => {
  const LIMITS = { headersTimeout: 10_000, requestTimeout: 15_000 };
  let server: Server;
  beforeAll(() => {
    server = api.app.getHttpServer();
    expect(server).toMatchObject(LIMITS);
  });
  beforeEach(() => void Object.assign(server, { headersTimeout: 500, requestTimeout: 1_000 }));
  afterAll(() => void Object.assign(server, LIMITS));

  const connections = () => promisify(server.getConnections.bind(server))();

  it(
    'disconnects clients that send slowly, and serves other clients meanwhile',
    async () => {
      const target = { port: api.port, key: api.store.key, largePath: '/v1/store' };
      const slow = (['headers', 'body'] as const).map((slowness) => slowClient(slowness, target, TIMEOUT_MS));
      const good = await Promise.all(Array.from({ length: 50 }, () => api.get('/v1/products?limit=1')));

      expect(new Set(good.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
      expect(await Promise.all(slow)).toEqual([expect.any(Number), expect.any(Number)]);
    },
    TEST_MS,
  );

  it('returns 400 when the head does not arrive in time', async () => {
    const slow = await api.send('GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ', { keep: false });

    expect(slow).toMatchObject({ status: 400, closed: true });
    expect(slow.json()).toMatchObject({ error: 'The request did not arrive in time', code: 'invalid_request' });
  });

  it.each<[string, (socket: Socket) => void]>([
    ['closes', (socket) => socket.destroy()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ])(
    'logs no failure and counts no refused order when a client %s the connection in the middle of a body',
    async (_name, end) => {
      server.requestTimeout = 60_000;
      lines.length = 0;
      const arrival = once(server, 'request') as Promise<[IncomingMessage]>;
      const socket = net.connect(api.port, '127.0.0.1').on('error', () => undefined);
      socket.write(api.orderHead('Content-Type: application/json\r\nContent-Length: 1000', '{"items":'));
      const [request] = await arrival;
      // The service has begun to read the body.
      await eventually(() => expect(request.listenerCount('data')).toBeGreaterThan(0));

      end(socket);

      await eventually(async () => expect(await connections()).toBe(0));
      // The service logs in order: once a later request has its line, all lines of this one are there.
      await api.get('/v1/store');
      await eventually(() => expect(lines.join()).toContain('"route":"/v1/store"'));
      expect(lines.filter((line) => !line.includes('"msg":"request"'))).toEqual([]);
      expect(await api.app.get(Metrics).registry.metrics()).not.toMatch(
        /^orders_refused_total\{reason="(?:unavailable|deadline_exceeded|internal_error)"\} [1-9]/m,
      );
    },
  );
});

describe('the API', () => {
  const notFound = { success: false, error: 'Not found', code: 'not_found' };

  it('lets a request pass the plugins in the order of their dependencies', () => {
    const tree = api.app.getHttpAdapter().getInstance().printPlugins();
    const names = [...tree.matchAll(/^├\S* ([a-z-]+) \d/gm)].map(([, name]) => name);

    expect(names).toEqual([
      ...['request-head', 'concurrency-limit', 'authentication', 'keyless-routes', 'unknown-routes', 'json-bodies'],
      ...['draining', 'request-log', 'feed-slots', 'large-request-slots', 'entity-tags'],
    ]);
  });

  it.each(['/v1', '/v1/', '/v1/nope', '/v1/orders/a/b', '/v1/orders/', '/v1/Orders', '/v1/products/%00/x'])(
    'returns 401 for %s without a key and 404 with one',
    async (url) => {
      const stranger = await api.inject({ url });
      expect(stranger.statusCode).toBe(401);
      expect(stranger.json()).toEqual({ error: 'Missing or invalid Authorization header' });
      expect(stranger.headers['x-error-code']).toBe('unauthorized');

      const response = await api.get(url);
      expect(response.statusCode).toBe(404);
      expect(response.json()).toEqual(notFound);
      expect(response.headers['x-error-code']).toBe('not_found');
    },
  );

  it.each([
    '/nope',
    '/v2/orders',
    '/V1/orders',
    '/v1x',
    '/favicon.ico',
    '/docs/nope.js',
    '/%',
    '/%ff',
    '/v1/%ff',
    '/v1/orders/%',
  ])('returns 404 in the envelope for %s with and without a key', async (url) => {
    const response = await api.inject({ url });

    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual(notFound);
    expect(response.headers['x-error-code']).toBe('not_found');
  });

  it('returns 404 for POST on a read-only path, even with a body of another type', async () => {
    const response = await api.inject({
      method: 'POST',
      url: '/v1/products',
      headers: { authorization: `Bearer ${api.store.key}`, 'content-type': 'text/plain' },
      payload: 'hello',
    });

    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual(notFound);
  });

  it('answers HEAD like GET, without the body', async () => {
    const headers = { authorization: `Bearer ${api.store.key}` };
    const response = await api.inject({ method: 'HEAD', url: '/v1/orders', headers });

    expect(response.statusCode).toBe(200);
    expect(response.body).toBe('');
    expect((await api.inject({ method: 'HEAD', url: '/v1/orders' })).statusCode).toBe(401);
  });

  describe('sends', () => {
    it.each(['/v1/orders', '/v1/nope', '/nope', '/health/live', '/openapi.json'])(
      'its common headers for %s',
      async (url) => {
        for (const response of [await api.get(url), await api.inject({ url })]) {
          expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
          expect(response.headers['x-content-type-options']).toBe('nosniff');
          expect(response.headers['content-security-policy']).toContain("default-src 'none'");
          expect(response.headers['content-type']).toMatch(/^application\/json/);
          expect(response.headers['x-powered-by']).toBeUndefined();
          const caching = response.headers['etag'] && url.startsWith('/v1') ? 'private, no-cache' : 'no-store';
          if (url.startsWith('/v1')) expect(response.headers['cache-control']).toBe(caching);
        }
      },
    );

    it.each([
      ['order-42_A.b', true],
      ['x'.repeat(64), true],
      ['x'.repeat(65), false],
      ['', false],
      ['a b', false],
      ['<script>', false],
      ['naïve', false],
    ])("the client's request id %s back: %s", async (id, taken) => {
      const response = await api.get('/v1/orders', { 'x-request-id': id });

      if (taken) expect(response.headers['x-request-id']).toBe(id);
      else expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    });
  });

  it('returns 500 with a constant text and the request id for an unexpected error', async () => {
    await api.store.brand();
    await api.database.query(
      `CREATE FUNCTION fail() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'defect'; END $$;
      ALTER TABLE brands RENAME TO sound_brands;
      CREATE VIEW brands AS SELECT * FROM sound_brands WHERE fail()`,
    );
    try {
      const response = await api.get('/v1/brands', { 'x-request-id': 'defect-1' });

      expect(response.statusCode).toBe(500);
      expect(response.json()).toEqual({ success: false, error: 'Internal server error', code: 'internal_error' });
      expect(response.headers['x-request-id']).toBe('defect-1');
      expect(response.headers['x-error-code']).toBe('internal_error');
    } finally {
      await api.database.query('DROP VIEW brands; ALTER TABLE sound_brands RENAME TO brands');
    }
  });
});

describe('every operation', () => {
  let mug: number;
  beforeAll(async () => {
    mug = await api.store.product({ stock: 10 });
  });

  async function operations() {
    const document = (await api.inject({ url: '/openapi.json' })).json<{ paths: Record<string, object> }>();
    const found = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => ['get', 'post'].includes(method))
        .map((method) => ({ method, path: path.replace(/\{\w+\}/, 'none') })),
    );
    return found.filter(({ path }) => path.startsWith('/v1/'));
  }

  const send = (method: string, path: string, headers?: Record<string, string>) =>
    method === 'get' ? api.get(path, headers) : api.post(path, anOrderBody(mug), headers);
  /** Owners may send every request. */
  const sendAsOwner = async (method: string, url: string, more: Record<string, string> = {}) => {
    const { secret } = await api.store.session('owner');
    const headers = { host: 'localhost', 'x-dashboard': 'live', cookie: `store-live=${secret}`, ...more };
    return method === 'get'
      ? api.inject({ url, headers })
      : api.inject({ method: 'POST', url, headers, payload: anOrderBody(mug) });
  };

  it('requires a key', async () => {
    for (const { method, path } of await operations()) {
      const { statusCode } = await send(method, path, { authorization: '' });

      expect([method, path, statusCode]).toEqual([method, path, 401]);
    }
  });

  it('refuses an unknown query parameter with 400 when the client prefers strict handling', async () => {
    const before = await api.store.onHand(mug);
    for (const { method, path } of await operations()) {
      const answer = await sendAsOwner(method, `${path}?dry_run=1`, { prefer: 'handling=strict' });

      expect([method, path, answer.statusCode, answer.json()]).toEqual([
        ...[method, path, 400],
        {
          success: false,
          error: 'Unknown query parameter: dry_run',
          code: 'invalid_request',
          faults: [{ path: 'dry_run', message: 'is not a query parameter of this request' }],
        },
      ]);
    }
    expect(await api.store.onHand(mug)).toBe(before);
  });

  it('otherwise ignores an unknown query parameter, and names it in X-Ignored-Parameters', async () => {
    const found = await operations();
    expect(found).toEqual(
      expect.arrayContaining(['/v1/orders', '/v1/orders/preview'].map((path) => ({ method: 'post', path }))),
    );
    for (const { method, path } of found) {
      const answer = await sendAsOwner(method, `${path}?dry_run=1`);

      expect([method, path, answer.headers['x-ignored-parameters']]).toEqual([method, path, 'dry_run']);
      // A change of an order refuses the body of an order.
      expect([200, 201, 400, 404]).toContain(answer.statusCode);
    }
  });
});

it('refuses a query of more than 200 parameters', async () => {
  const queryOf = (names: number) => Array.from({ length: names }, (_, n) => `p${n}`).join('&');

  expect((await api.get(`/v1/products?${queryOf(200)}`)).statusCode).toBe(200);
  expect((await api.get(`/v1/products?${queryOf(201)}`)).json()).toMatchObject({
    error: 'query must have at most 200 parameters',
    code: 'invalid_request',
  });
});

describe('a read with If-None-Match', () => {
  it('returns 304 without a body while the answer is the same, and 200 with another tag afterwards', async () => {
    const brand = await api.store.brand();
    for (const url of ['/v1/brands', `/v1/brands/${brand}`, '/v1/changes?kinds=brands']) {
      const first = await api.get(url);
      const tag = String(first.headers['etag']);
      const again = await api.get(url, { 'if-none-match': tag });
      await api.database.query(`UPDATE brands SET logo = logo || 'x' WHERE id = $1`, [brand]);
      const changed = await api.get(url, { 'if-none-match': tag });

      expect(first.headers['cache-control']).toBe('private, no-cache');
      expect([url, again.statusCode, again.body]).toEqual([url, 304, '']);
      expect(again.headers).toMatchObject({ etag: tag, 'cache-control': 'private, no-cache' });
      expect(again.headers).not.toHaveProperty('content-length');
      expect([url, changed.statusCode]).toEqual([url, 200]);
      expect(changed.headers['etag']).not.toBe(tag);
    }
  });

  it('returns 304 to a HEAD request, too', async () => {
    const { headers } = await api.get('/v1/brands');
    const head = await api.inject({
      method: 'HEAD',
      url: '/v1/brands',
      headers: { authorization: `Bearer ${api.store.key}`, 'if-none-match': String(headers['etag']) },
    });

    expect([head.statusCode, head.body]).toEqual([304, '']);
  });

  it('has no tag, and no-store, on a refusal and on a write', async () => {
    const product = await api.store.product({ stock: 1 });
    for (const { headers } of [
      await api.get('/v1/orders/nothing'),
      await api.post('/v1/orders', anOrderBody(product)),
      await api.post('/v1/orders', {}),
    ]) {
      expect(headers['etag']).toBeUndefined();
      expect(headers['cache-control']).toBe('no-store');
    }
  });
});
