import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { Metrics } from '../../status/metrics.js';
import { limitUnreadAnswers } from './unread-answers.js';

const MB = 1024 * 1024;
/** More than the kernel buffers of one answer. */
const ANSWER = Buffer.alloc(16 * MB);

describe('a server that may hold 40 MB of unread answers', () => {
  const metrics = new Metrics();
  const connections: Socket[] = [];
  const clients: Socket[] = [];
  let server: Server;
  beforeAll(async () => {
    const serve: RequestListener = (request, response) => response.end(request.url === '/small' ? 'served' : ANSWER);
    server = createServer(limitUnreadAnswers(serve, metrics, 40 * MB));
    server.on('connection', (socket) => connections.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    clients.forEach((client) => client.destroy());
    server.close();
  });

  const ask = async (path: string): Promise<Socket> => {
    const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    clients.push(client.pause());
    client.on('error', () => undefined);
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(server, 'request');
    return client;
  };

  it('resets the connection that holds the most unread bytes and serves the others', async () => {
    for (let n = 0; n < 10; n++) await ask('/large');

    const held = connections.filter(({ destroyed }) => !destroyed).map(({ writableLength }) => writableLength);
    expect(held.length).toBe(2);
    expect(held.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(40 * MB);
    expect(await metrics.registry.metrics()).toContain('http_dropped_connections_total{reason="unread"} 8');
    const [answer] = (await once((await ask('/small')).resume(), 'data')) as [Buffer];
    expect(String(answer)).toContain('served');
  });
});
