import { once } from 'node:events';
import net from 'node:net';
import { startListeningApi, type ListeningApi } from '../support/listening-api.js';

describe('the HTTP server', () => {
  let api: ListeningApi;
  beforeAll(async () => {
    api = await startListeningApi();
  });
  afterAll(() => api.stop());

  const order = (head: string, body: string) =>
    String(api.orderHead(`Content-Type: application/json\r\n${head}`, body));

  it.each<[string, () => string, string]>([
    [
      'two Host headers',
      () => `GET /v1/store HTTP/1.1\r\nHost: a\r\nHost: b\r\n${api.keyLine}\r\n`,
      'Host must be given once',
    ],
    ['the same Host twice', () => 'GET /health/live HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 'Host must be given once'],
    ['a Host with a path', () => 'GET /health/live HTTP/1.1\r\nHost: a/b\r\n\r\n', 'The Host header is malformed'],
    ['a Host with a space', () => 'GET /health/live HTTP/1.1\r\nHost: a b\r\n\r\n', 'The Host header is malformed'],
    ['a Host with a user', () => 'GET /health/live HTTP/1.1\r\nHost: me@a\r\n\r\n', 'The Host header is malformed'],
    [
      'a Host with a bad port',
      () => 'GET /health/live HTTP/1.1\r\nHost: a:http\r\n\r\n',
      'The Host header is malformed',
    ],
    ['a Host that is a list', () => 'GET /health/live HTTP/1.1\r\nHost: a, b\r\n\r\n', 'The Host header is malformed'],
    ['HTTP/2.0', () => `GET /v1/store HTTP/2.0\r\nHost: a\r\n${api.keyLine}\r\n`, 'The HTTP version is not supported'],
    ['HTTP/0.9', () => `GET /v1/store HTTP/0.9\r\nHost: a\r\n${api.keyLine}\r\n`, 'The HTTP version is not supported'],
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

  it.each(['shop.test', 'shop.test:8080', '127.0.0.1:3000', '[::1]:3000', 'api_1', 'a%2Db', ''])(
    'accepts the Host %j',
    async (host) => {
      expect((await api.send(`GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status).toBe(200);
    },
  );

  it('accepts Transfer-Encoding: Chunked', async () => {
    const response = await api.send(order('Transfer-Encoding: Chunked', '2\r\n{}\r\n0\r\n\r\n'));

    expect(response.json()).toMatchObject({ error: expect.stringContaining('items') as unknown });
  });

  it('reads the last of 100 header lines', async () => {
    const filling = 'a:\r\n'.repeat(98);
    const response = await api.send(`GET /v1/store HTTP/1.1\r\nHost: a\r\n${filling}${api.keyLine}\r\n`);

    expect(response.status).toBe(200);
  });

  it.each(['{}', '[', ''])(
    'rejects the body %j after two byte order marks with 400 and closes the connection',
    async (rest) => {
      const body = Buffer.from(`\ufeff\ufeff${rest}`);
      const response = await api.send(api.orderWith(body), { keep: false });

      expect(response).toMatchObject({ status: 400, closed: true, headers: { connection: 'close' } });
      expect(response.json()).toEqual({ success: false, error: 'Request body is not valid JSON' });
    },
  );

  describe('with Expect: 100-continue', () => {
    const expecting = (head: string) => order(`Expect: 100-continue\r\n${head}`, '');

    let readKeyLine: string;
    beforeAll(async () => {
      readKeyLine = `Authorization: Bearer ${await api.store.createKey('live', 'read')}\r\n`;
    });

    /** Sends only a head. Returns everything that the service sends until it closes its side. */
    async function answerToHead(head: string): Promise<string> {
      const socket = net.connect(api.port, '127.0.0.1');
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
      socket.write(head);
      await once(socket, 'end');
      return String(Buffer.concat(chunks));
    }

    it('sends 100 Continue once the key is accepted, then answers the request', async () => {
      const socket = net.connect(api.port, '127.0.0.1');
      socket.write(expecting('Content-Length: 2'));
      const [first] = (await once(socket, 'data')) as [Buffer];
      expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write('{}');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();

      expect(String(answer)).toMatch(/^HTTP\/1\.1 400 .*items/s);
    });

    it.each<[string, () => string, number]>([
      ['without a key', () => expecting('Content-Length: 2').replace(api.keyLine, ''), 401],
      ['with an unknown key', () => expecting('Content-Length: 2').replace(/svc_live_.{8}/, '$&x'), 401],
      ['on an unknown path', () => expecting('Content-Length: 2').replace('/v1/orders', '/v1/nope'), 404],
      ['with a body that is too large', () => expecting('Content-Length: 300000'), 400],
      ['with a read key', () => expecting('Content-Length: 2').replace(api.keyLine, readKeyLine), 403],
    ])('rejects a request %s without 100 Continue', async (_name, head, status) => {
      const answer = await answerToHead(head());

      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(answer).toMatch(/^connection: close\r$/im);
      expect(answer).not.toContain('100 Continue');
    });
  });
});
