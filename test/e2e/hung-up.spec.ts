import type { Server } from 'node:http';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.js';
import { listen } from '../support/listen.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('a client that hangs up in the middle of a body', () => {
  const lines: string[] = [];
  let api: RunningApi;
  let port: number;
  beforeAll(async () => {
    api = await startApi({}, lines);
    port = await listen(api.app);
  });
  afterAll(() => api.stop());

  const hangUp = async (end: (socket: net.Socket) => void) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    const head = `POST /v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.store.key}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"items":`);
    await delay(200);
    end(socket);
  };

  it.each<[string, (socket: net.Socket) => void]>([
    ['closing', (socket) => socket.destroy()],
    ['resetting', (socket) => socket.resetAndDestroy()],
  ])('by %s the connection is no failure of the database, and no refused order', async (_name, end) => {
    lines.length = 0;

    await hangUp(end);

    const server: Server = api.app.getHttpServer();
    const connections = promisify(server.getConnections.bind(server));
    await eventually(async () => expect(await connections()).toBe(0));
    await delay(100); // what the service has to say of it
    expect(lines.filter((line) => !line.includes('"msg":"request"'))).toEqual([]);
    const { body } = await api.inject({ url: '/metrics' });
    expect(body).not.toMatch(
      /^orders_refused_total\{reason="(?:unavailable|deadline_exceeded|internal_error)"\} [1-9]/m,
    );
  });
});
