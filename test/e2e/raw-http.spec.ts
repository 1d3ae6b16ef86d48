import { once } from 'node:events';
import type { Server } from 'node:http';
import net from 'node:net';
import { startListeningApi, type ListeningApi } from '../support/listening-api.js';

describe('the HTTP server', () => {
  let api: ListeningApi;
  beforeAll(async () => {
    api = await startListeningApi();
  });
  afterAll(() => api.stop());

  describe('returns 400 as JSON and closes the connection for', () => {
    it.each<[string, string | Buffer]>([
      ['plain text', 'hello there\r\n\r\n'],
      ['random bytes', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0xfc, 0x0d, 0x0a, 0x0d, 0x0a])],
      ['a NUL', '\0\r\n\r\n'],
      ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
      ['an unknown method', 'BREW /v1/orders HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['CONNECT', 'CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test:443\r\n\r\n'],
      ['a bad Content-Length', 'POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n'],
      ['a negative Content-Length', 'POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
      ['two Content-Length headers', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
      [
        'Content-Length and chunks',
        'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ],
      ['an unknown transfer coding', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: rot13\r\n\r\n'],
      ['headers of 20 kB', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`],
      ['a path of 20 kB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
      ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'],
      ['a header with a NUL', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n'],
      ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\n X-Folded: y\r\n\r\n'],
      ['control characters in the path', 'GET /v1/\x01\x02 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ])('%s', async (_name, bytes) => {
      const response = await api.send(bytes, { keep: false });

      expect(response).toMatchObject({ status: 400, closed: true });
      expect(response.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        connection: 'close',
        'x-error-code': 'invalid_request',
      });
      expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(response.json()).toEqual({ success: false, error: expect.any(String) as unknown });
    });
  });

  it.each([
    ['a TLS hello', '\x16\x03\x01\x02\0', 'The request does not begin with a known HTTP method'],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 'The request does not begin with a known HTTP method'],
    ['a bare LF', 'GET / HTTP/1.1\nHost: x\n\n', 'The request line must end with a supported HTTP version and CRLF'],
    [
      'an unknown version',
      'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
      'The request line must end with a supported HTTP version and CRLF',
    ],
    [
      'two Content-Length headers',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'Content-Length must be one number, and not with Transfer-Encoding',
    ],
    [
      'Content-Length after Transfer-Encoding',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n',
      'Content-Length must be one number, and not with Transfer-Encoding',
    ],
    [
      'Transfer-Encoding after Content-Length',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
      'Transfer-Encoding must be chunked, and not with Content-Length',
    ],
  ])('names the fault of %s', async (_name, bytes, error) => {
    expect((await api.send(bytes, { keep: false })).json()).toEqual({ success: false, error });
  });

  it('returns 400 for an HTTP/1.1 request without Host', async () => {
    const response = await api.send('GET /health/live HTTP/1.1\r\n\r\n', { keep: false });

    expect(response).toMatchObject({ status: 400, closed: true });
    expect(response.json()).toEqual({ success: false, error: 'The Host header is required' });
  });

  it('sets Cache-Control: no-store on the 400 for a missing Host', async () => {
    const response = await api.send(`GET /v1/orders HTTP/1.1\r\n${api.keyLine}\r\n`, { keep: false });

    expect(response.status).toBe(400);
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('accepts an HTTP/1.0 request without Host', async () => {
    expect((await api.send('GET /health/live HTTP/1.0\r\n\r\n', { keep: false })).status).toBe(200);
  });

  it('answers a request for an upgrade to h2c over HTTP/1.1', async () => {
    const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
    const response = await api.send(`GET /v1/orders HTTP/1.1\r\nHost: x\r\n${api.keyLine}${upgrade}\r\n`);

    expect(response.status).toBe(200);
  });

  it('closes the connection after a request for an upgrade, because Node drops the rest of the packet', async () => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
    const response = await api.send(`GET /health/live HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`);

    expect([response.status, response.headers.connection]).toEqual([200, 'close']);
  });

  it('answers a client that has closed its side of the connection', async () => {
    const product = await api.store.product({ stock: 1 });
    const order = JSON.stringify({ items: [{ product_id: product, quantity: 1 }], customer: { name: 'Ada' } });
    const socket = net.connect({ port: api.port, host: '127.0.0.1', allowHalfOpen: true });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.end(api.orderWith(order));
    await once(socket, 'end');
    socket.destroy();

    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 201 /);
  });

  it.each(['100-continue', 'a-pony'])('reads the body of a request with Expect: %s', async (expectation) => {
    const response = await api.send(api.orderWith('{"items": 1', `Expect: ${expectation}\r\n`));

    expect(response.status).toBe(400);
    expect(response.json()).toEqual({ success: false, error: 'Request body is not valid JSON' });
  });

  it('accepts a request target in absolute form, and requires a key for it', async () => {
    const ask = (head: string) => api.send(`GET http://shop.test/v1/orders?limit=1 HTTP/1.1\r\nHost: x\r\n${head}\r\n`);

    expect((await ask('')).status).toBe(401);
    expect((await ask(api.keyLine)).status).toBe(200);
  });

  it.each(['*', 'http:///v1/orders', 'ftp://x/v1/orders', '//v1/orders', '/..//v1/orders'])(
    'returns an error for the request target %s without a key',
    async (target) => {
      const response = await api.send(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);

      expect([400, 401, 404]).toContain(response.status);
      expect(response.json()).toEqual(expect.objectContaining({ error: expect.any(String) as unknown }));
    },
  );

  it('returns 401 for two Authorization headers', async () => {
    const twice = await api.send(`GET /v1/orders HTTP/1.1\r\nHost: x\r\n${api.keyLine}${api.keyLine}\r\n`);

    expect(twice.status).toBe(401);
    expect(twice.json()).toEqual({ error: 'Missing or invalid Authorization header' });
  });

  it('returns 400 for two Idempotency-Key headers', async () => {
    const keys = 'Idempotency-Key: a\r\nidempotency-key: b\r\n';
    const response = await api.send(api.orderWith('{}', keys));

    expect(response.status).toBe(400);
    expect(response.json()).toEqual({ success: false, error: 'Idempotency-Key must be given once' });
  });

  describe('with requests in progress', () => {
    it.each<[string, readonly [string, ...string[]]]>([
      ['plain text', ['hello there\r\n\r\n']],
      ['text in several pieces', ['hel', 'lo there\r\n', '\r\nagain\r\n\r\n']],
      ['CONNECT', ['CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test:443\r\n\r\n']],
      ['a request with a broken body', ['POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n']],
    ])('answers the order before it closes the connection because of %s', async (_name, [garbage, ...more]) => {
      const mug = await api.store.product({ stock: 5 });
      const order = api.orderWith(`{"items":[{"product_id":${mug},"quantity":1}],"customer":{"name":"Ada Lovelace"}}`);

      const response = await api.send([Buffer.concat([order, Buffer.from(garbage)]), ...more], { keep: false });

      expect(response).toMatchObject({ status: 201, closed: true });
    });

    it('answers all earlier requests before it closes the connection because of plain text', async () => {
      const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${api.keyLine}\r\n`;

      const response = await api.send(`${ask('/v1/store')}${ask('/v1/brands')}${ask('/v1/nope')}hello\r\n\r\n`, {
        keep: false,
      });

      expect(response).toMatchObject({ status: 404, closed: true });
      expect(response.json()).toEqual({ success: false, error: 'Not found' });
    });
  });

  it('returns 400 when the headers take more than 10 s, or the whole request more than 15 s', async () => {
    const server: Server = api.app.getHttpServer();
    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 15_000]);
    server.headersTimeout = 500; // the test does not wait for 10 s

    const slow = await api.send('GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ', { keep: false });

    expect(slow).toMatchObject({ status: 400, closed: true });
    expect(slow.json()).toEqual({ success: false, error: 'The request did not arrive in time' });
  });

  it('sends no second answer when the rest of an answered request does not arrive in time', async () => {
    const server: Server = api.app.getHttpServer();
    server.requestTimeout = 500;
    const head = 'POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99';

    const response = await api.send(`${head}\r\n\r\n{"items":`, { keep: false });

    expect(response).toMatchObject({ status: 401, closed: true });
  });
});
