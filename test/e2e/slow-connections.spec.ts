import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import net, { type Socket } from 'node:net';
import { promisify } from 'node:util';
import { Metrics } from '../../apps/api/src/status/metrics.js';
import { eventually } from '../support/eventually.js';
import { startListeningApi, type ListeningApi } from '../support/listening-api.js';
import { slowClient } from '../support/slow-clients.js';

const PATIENCE_MS = 60_000;
const TEST_MS = 90_000;

describe('the API with slow connections', () => {
  const lines: string[] = [];
  let api: ListeningApi;
  let server: Server;
  beforeAll(async () => {
    api = await startListeningApi(lines);
    server = api.app.getHttpServer();
    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 15_000]);
  });
  beforeEach(() => void Object.assign(server, { headersTimeout: 500, requestTimeout: 1_000 }));
  afterAll(() => api.stop());

  const connections = () => promisify(server.getConnections.bind(server))();

  it(
    'disconnects clients that send slowly, and serves other clients meanwhile',
    async () => {
      const target = { port: api.port, key: api.store.key, largePath: '/v1/store' };
      const slow = (['headers', 'body'] as const).map((slowness) => slowClient(slowness, target, PATIENCE_MS));
      const good = await Promise.all(Array.from({ length: 50 }, () => api.get('/v1/products?limit=1')));

      expect(new Set(good.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
      expect(await Promise.all(slow)).toEqual([expect.any(Number), expect.any(Number)]);
    },
    TEST_MS,
  );

  it('returns 400 when the head does not arrive in time', async () => {
    const slow = await api.send('GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ', { keep: false });

    expect(slow).toMatchObject({ status: 400, closed: true });
    expect(slow.json()).toEqual({ success: false, error: 'The request did not arrive in time' });
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
