import { once } from 'node:events';
import http, { type Server, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { Metrics } from '../../status/metrics.js';
import { shareConnections } from './address-share.js';
import { rememberExchange } from './exchanges.js';

const SHARE = 3;

/** A connection: the client's socket, and the server's. */
interface Connection {
  readonly client: Socket;
  readonly accepted: Socket;
}

describe('the connection share of an address', () => {
  const metrics = new Metrics();
  let server: Server;
  const clients: Socket[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
    server.close();
  });

  async function serve(trustProxy: boolean | number | string, host = '127.0.0.1'): Promise<void> {
    server = http.createServer((_request, response) => response.end('ok'));
    server.on('request', rememberExchange);
    shareConnections(server, trustProxy, metrics, SHARE);
    await once(server.listen(0, host), 'listening');
  }

  /** Opens connections from an address, one after the other, and sends half a request head on each. */
  async function connect(count: number, localAddress: string): Promise<Connection[]> {
    const { port } = server.address() as AddressInfo;
    const opened: Connection[] = [];
    for (let n = 0; n < count; n++) {
      const arrival = once(server, 'connection') as Promise<[Socket]>;
      const client = net.connect({ port, host: '127.0.0.1', localAddress });
      clients.push(client.on('error', () => undefined).resume());
      const [accepted] = await arrival;
      client.write('GET / HTTP/1.1\r\nHost: x\r\n');
      opened.push({ client, accepted });
    }
    return opened;
  }

  /** Completes the request. Returns when the server is done with it. */
  async function ask({ client }: Connection): Promise<void> {
    const done = new Promise((resolve) =>
      server.once('request', (_request, response: ServerResponse) => response.once('close', resolve)),
    );
    client.write('\r\n');
    await done;
  }

  const open = (some: readonly Connection[]) => some.map(({ accepted }) => !accepted.destroyed);

  it('limits one address and leaves the connections of other addresses alone', async () => {
    await serve(false);

    expect(open(await connect(SHARE + 2, '127.0.0.2'))).toEqual([true, true, true, false, false]);
    expect(open(await connect(SHARE, '127.0.0.3'))).toEqual([true, true, true]);
    expect(await metrics.registry.metrics()).toContain('http_dropped_connections_total{reason="address"} 2\n');
  });

  it('is available again after connections close', async () => {
    await serve(false);
    for (const { client, accepted } of await connect(SHARE, '127.0.0.2')) {
      const closed = new Promise((resolve) => accepted.once('close', resolve));
      client.destroy();
      await closed;
    }

    expect(open(await connect(SHARE, '127.0.0.2'))).toEqual([true, true, true]);
  });

  it('closes the idle connection when the address opens another one', async () => {
    await serve(false);
    const [first, second, third] = (await connect(SHARE, '127.0.0.2')) as [Connection, Connection, Connection];
    await ask(second);

    const [next] = (await connect(1, '127.0.0.2')) as [Connection];

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
