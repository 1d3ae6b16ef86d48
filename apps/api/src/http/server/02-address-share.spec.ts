import { once } from 'node:events';
import http, { type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Metrics } from '../../status/metrics.js';
import { shareConnections } from './02-address-share.js';
import { rememberExchange } from './exchanges.js';

const SHARE = 3;

describe('the connection share of an address', () => {
  const metrics = new Metrics();
  let server: Server;
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
  });

  async function serve(trustProxy: boolean | number | string, host = '127.0.0.1'): Promise<void> {
    server = http.createServer((_request, response) => response.end('ok'));
    server.on('request', rememberExchange);
    shareConnections(server, trustProxy, metrics, SHARE);
    await once(server.listen(0, host), 'listening');
  }

  /** Opens connections from an address and sends half a request head on each. */
  async function connect(count: number, localAddress: string): Promise<Socket[]> {
    const { port } = server.address() as AddressInfo;
    const opened = Array.from({ length: count }, () => net.connect({ port, host: '127.0.0.1', localAddress }));
    for (const socket of opened) {
      socket.on('error', () => undefined).resume();
      await once(socket, 'connect');
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
    }
    sockets.push(...opened);
    await delay(50);
    return opened;
  }

  async function ask(socket: Socket): Promise<void> {
    const answered = once(socket, 'data');
    socket.write('\r\n');
    await answered;
    await delay(20);
  }

  const open = (some: readonly Socket[]) => some.map(({ closed }) => !closed);

  it('limits one address and leaves the connections of other addresses alone', async () => {
    await serve(false);

    expect(open(await connect(SHARE + 2, '127.0.0.2'))).toEqual([true, true, true, false, false]);
    expect(open(await connect(SHARE, '127.0.0.3'))).toEqual([true, true, true]);
    expect(await metrics.registry.metrics()).toContain('http_dropped_connections_total{reason="address"} 2\n');
  });

  it('is available again after connections close', async () => {
    await serve(false);
    for (const socket of await connect(SHARE, '127.0.0.2')) socket.destroy();
    await delay(50);

    expect(open(await connect(SHARE, '127.0.0.2'))).toEqual([true, true, true]);
  });

  it('closes the idle connection when the address opens another one', async () => {
    await serve(false);
    const [first, second, third] = (await connect(SHARE, '127.0.0.2')) as [Socket, Socket, Socket];
    await ask(second);

    const [next] = (await connect(1, '127.0.0.2')) as [Socket];

    expect(open([first, second, third, next])).toEqual([true, false, true, true]);
  });

  it('counts an IPv4-mapped IPv6 address as the IPv4 address', async () => {
    await serve(false, '::');

    expect(open(await connect(SHARE + 1, '127.0.0.2'))).toEqual([true, true, true, false]);
  });

  it.each([[true], [1], ['127.0.0.2'], ['10.0.0.0/8, 127.0.0.2/31']])(
    'does not limit a proxy that TRUST_PROXY=%s names',
    async (trustProxy) => {
      await serve(trustProxy, '::');

      expect(open(await connect(SHARE + 1, '127.0.0.2'))).toEqual([true, true, true, true]);
    },
  );

  it('limits addresses that TRUST_PROXY does not name', async () => {
    await serve('127.0.0.2, fd00::/8');

    expect(open(await connect(SHARE + 1, '127.0.0.4'))).toEqual([true, true, true, false]);
  });
});
