import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { Metrics } from '../../status/metrics.js';
import { limitConnections } from './connection-limit.js';

describe('a server at its connection limit', () => {
  const metrics = new Metrics();
  let server: Server;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    server = createServer((_request, response) => response.end('served'));
    limitConnections(server, metrics, 2);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });

  const ask = async (): Promise<string> => {
    const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const chunk = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    return String(chunk[0]);
  };

  it('closes a new connection and the idle ones, and serves the next connection', async () => {
    expect([await ask(), await ask()]).toEqual([expect.stringContaining('served'), expect.stringContaining('served')]);

    expect(await ask()).not.toContain('served');
    expect(await ask()).toContain('served');
    expect(await metrics.registry.metrics()).toContain('http_dropped_connections_total 1');
  });
});
