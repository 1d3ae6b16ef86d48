import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Metrics } from '../../apps/api/src/status/metrics.js';
import { eventually } from '../support/eventually.js';
import { kernelSockets } from '../support/kernel-sockets.js';
import { startListeningApi, type ListeningApi } from '../support/listening-api.js';
import { LARGE_ANSWER_BYTES, SLOWNESSES, slowClient } from '../support/slow-clients.js';
import { openUnread } from '../support/unread-connections.js';

/** Few enough that their requests stay below the concurrency limits. */
const EACH = 2;
const PATIENCE_MS = 60_000;
const TEST_MS = 90_000;
const BUNDLE = '/docs/swagger-ui-bundle.js';
const onLinux = process.platform === 'linux' ? it : it.skip;

describe('the API with slow connections', () => {
  const lines: string[] = [];
  let api: ListeningApi;
  let server: Server;
  let largePath: string;
  const clients: Socket[] = [];
  const noted: ((request: unknown, response: ServerResponse) => void)[] = [];
  beforeAll(async () => {
    api = await startListeningApi(lines);
    server = api.app.getHttpServer();
    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 15_000]);
    largePath = `/v1/products/${await api.store.product({ columns: { description: 'x'.repeat(LARGE_ANSWER_BYTES) } })}`;
  });
  // Answers have 2 s more than requests.
  beforeEach(() => void Object.assign(server, { headersTimeout: 500, requestTimeout: 1_000 }));
  afterEach(() => {
    for (const note of noted.splice(0)) server.off('request', note);
    clients.splice(0).forEach((client) => client.destroy());
  });
  afterAll(() => api.stop());

  const ask = (path: string, head = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${head}\r\n`;
  const askLarge = (head = '') => ask(largePath, api.keyLine + head);
  const leaveUnread = async (count: number, bytes: string) =>
    clients.push(...(await openUnread(api.port, count, bytes)));
  /** Collects the responses that the server creates from now on. */
  const noteResponses = <T = ServerResponse>(as = (response: ServerResponse) => response as T) => {
    const responses: T[] = [];
    const note = (_request: unknown, response: ServerResponse) => responses.push(as(response));
    server.prependListener('request', note);
    noted.push(note);
    return responses;
  };
  const connections = () => promisify(server.getConnections.bind(server))();

  it(
    'disconnects clients that send or read slowly, and serves other clients meanwhile',
    async () => {
      const target = { port: api.port, key: api.store.key, largePath };
      const slow = SLOWNESSES.map((slowness) =>
        Promise.all(Array.from({ length: EACH }, () => slowClient(slowness, target, PATIENCE_MS))),
      );
      const good = await Promise.all(Array.from({ length: 50 }, () => api.get('/v1/products?limit=1')));

      expect(new Set(good.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
      const open = (await Promise.all(slow)).map((ends) => ends.filter((end) => end === null).length);
      expect(Object.fromEntries(SLOWNESSES.map((slowness, n) => [slowness, open[n]]))).toEqual({
        headers: 0,
        body: 0,
        'never reads': 0,
        'reads a little': 0,
      });
      // The API has closed no connection for another reason, such as too many unanswered requests.
      expect((await api.inject({ url: '/metrics' })).body).not.toContain('http_dropped_connections_total{');
    },
    TEST_MS,
  );

  it('serves a client that sends 16 requests at once and reads the answers', async () => {
    const bytes = [askLarge().repeat(15), askLarge('Connection: close\r\n')];

    expect(await api.send(bytes, { keep: false })).toMatchObject({ status: 200, closed: true });
  });

  it('returns 400 when the head does not arrive in time', async () => {
    const slow = await api.send('GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ', { keep: false });

    expect(slow).toMatchObject({ status: 400, closed: true });
    expect(slow.json()).toEqual({ success: false, error: 'The request did not arrive in time' });
  });

  it('sends no second answer when the rest of an answered request does not arrive in time', async () => {
    const head = 'POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99';

    const response = await api.send(`${head}\r\n\r\n{"items":`, { keep: false });

    expect(response).toMatchObject({ status: 401, closed: true });
  });

  describe('whose answers are not read', () => {
    onLinux('leaves no descriptor open when the connection closes', async () => {
      const descriptors = () => readdirSync('/proc/self/fd').length;
      const before = descriptors();
      const responses = noteResponses();

      await leaveUnread(10, ask(BUNDLE).repeat(15));
      await eventually(() => expect(new Set(responses.filter(isUnread).map(({ socket }) => socket)).size).toBe(10));
      clients.splice(0).forEach((client) => client.destroy());

      await eventually(async () => expect(await connections()).toBe(0));
      await eventually(() => expect(descriptors()).toBeLessThanOrEqual(before));
    });

    it('leaves nothing in memory when it closes a connection for too many requests', async () => {
      const responses = noteResponses((response) => new WeakRef(response));

      await leaveUnread(5, ask('/health/live').repeat(1_000));
      await eventually(async () => {
        expect(responses.length).toBeGreaterThanOrEqual(5);
        expect(await connections()).toBe(0);
      });

      await eventually(async () => {
        await collectGarbage();
        expect(responses.filter((response) => response.deref()).length).toBeLessThan(10);
      });
    });

    it('creates one answer at a time on each connection', async () => {
      server.requestTimeout = 60_000;
      const responses = noteResponses();

      await leaveUnread(1, askLarge().repeat(15));
      await eventually(() => expect(responses.filter(isUnread)).not.toEqual([]));
      // A second client reads as many answers. Without the limit, all answers to the first would exist by then.
      for (let n = 0; n < 15; n++) expect((await api.get(largePath)).statusCode).toBe(200);

      expect(responses).toHaveLength(15);
      const held = responses.filter(({ closed }) => !closed).map(({ writableLength }) => writableLength);
      expect(held.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(1.1 * LARGE_ANSWER_BYTES);
    });

    onLinux(
      'leaves nothing in the kernel when it closes a kept connection',
      async () => {
        await leaveUnread(5, ask(BUNDLE).repeat(5));
        await eventually(() => expect(kernelSockets(api.port).unsentBytes).toBeGreaterThan(1_000_000));

        await eventually(() => expect(kernelSockets(api.port)).toMatchObject({ count: 0, unsentBytes: 0 }));
      },
      TEST_MS,
    );
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

/** Whether the kernel accepts no more bytes of the response. */
const isUnread = ({ closed, writableLength }: ServerResponse) => !closed && writableLength > 0;

async function collectGarbage(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
