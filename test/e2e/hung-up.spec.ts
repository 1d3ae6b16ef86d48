import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import net from 'node:net';
import { promisify } from 'node:util';
import { Metrics } from '../../apps/api/src/status/metrics.js';
import { eventually } from '../support/eventually.js';
import { listen } from '../support/listen.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('the API', () => {
  const lines: string[] = [];
  let api: RunningApi;
  let port: number;
  let server: Server;
  beforeAll(async () => {
    api = await startApi({}, lines);
    port = await listen(api.app);
    server = api.app.getHttpServer();
  });
  afterAll(() => api.stop());

  const hangUp = async (end: (socket: net.Socket) => void) => {
    const arrival = once(server, 'request') as Promise<[IncomingMessage]>;
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    const head = `POST /v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.store.key}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"items":`);
    const [request] = await arrival;
    // The service has begun to read the body.
    await eventually(() => expect(request.listenerCount('data')).toBeGreaterThan(0));
    end(socket);
  };

  it.each<[string, (socket: net.Socket) => void]>([
    ['closes', (socket) => socket.destroy()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ])(
    'logs no failure and counts no refused order when a client %s the connection in the middle of a body',
    async (_name, end) => {
      lines.length = 0;

      await hangUp(end);

      const connections = promisify(server.getConnections.bind(server));
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
