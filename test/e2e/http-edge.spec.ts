import { once } from 'node:events';
import net from 'node:net';
import { startListeningApi, type ListeningApi } from '../support/listening-api.js';

describe('the HTTP edge', () => {
  let api: ListeningApi;
  beforeAll(async () => {
    api = await startListeningApi();
  });
  afterAll(() => api.stop());

  describe('returns 400 as JSON and closes the connection for', () => {
    it.each<[string, string | Buffer]>([
      ['plain text', 'hello there\r\n\r\n'],
      ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      [
        'Content-Length and chunks',
        'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ],
      ['headers of 20 kB', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`],
      ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\n X-Folded: y\r\n\r\n'],
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
      'two Content-Length headers',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'Content-Length must be one number, and not with Transfer-Encoding',
    ],
  ])('names the fault of %s', async (_name, bytes, error) => {
    expect((await api.send(bytes, { keep: false })).json()).toEqual({ success: false, error });
  });

  it('returns 400 for an HTTP/1.1 request without Host', async () => {
    const response = await api.send('GET /health/live HTTP/1.1\r\n\r\n', { keep: false });

    expect(response).toMatchObject({ status: 400, closed: true });
    expect(response.json()).toEqual({ success: false, error: 'The Host header is required' });
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
    expect(response.json()).toEqual({ success: false, error: 'Idempotency-Key must be given once' });
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
      'Host must be given once',
    ],
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
    expect(response.json()).toEqual({ success: false, error });
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
      expect(response.json()).toEqual({ success: false, error });
    });

    it.each([
      'application/json',
      'Application/JSON; charset="UTF-8"',
      'application/vnd.shop+json',
      'application/json;charset=utf8',
    ])('accepts the type %s', async (type) => {
      const response = await api.send(api.orderHead(`Content-Type: ${type}\r\nContent-Length: 2`, '{}'));

      expect(response.json()).toEqual({ success: false, error: expect.stringContaining('items') as unknown });
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
      expect(response.json()).toEqual({ success: false, error: 'Request body exceeds 256 kB' });
    });
  });
});
