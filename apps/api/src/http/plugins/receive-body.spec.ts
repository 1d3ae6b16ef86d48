import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { ByteBudget } from '../server/byte-budget.js';
import { receiveBody } from './receive-body.js';

const KB = 1024;
const LIMIT = 64 * KB;

describe('receiveBody', () => {
  const received: Promise<Buffer>[] = [];
  const clients: Socket[] = [];
  let server: Server;
  let resets = 0;
  beforeAll(async () => {
    const held = new ByteBudget(100 * KB, () => resets++);
    server = createServer((request) => {
      const body = receiveBody(request, LIMIT, held);
      body.catch(() => undefined);
      received.push(body);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    clients.forEach((client) => client.destroy());
    server.close();
  });

  /** A client whose request head and these bytes the server has received. */
  async function send(head: string, bytes: Buffer): Promise<Socket> {
    const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    clients.push(client.on('error', () => undefined).resume());
    client.write(`POST / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
    await once(server, 'request');
    client.write(bytes);
    return client;
  }

  it('returns the bytes in their order, however they are cut', async () => {
    const sent = Buffer.from(Array.from({ length: 20_000 }, (_, n) => n % 251));
    const client = await send(`Content-Length: ${sent.length}`, sent.subarray(0, 1));
    for (let at = 1; at < sent.length; at += 997) client.write(sent.subarray(at, at + 997));

    expect(sent.equals((await received.at(-1)) ?? Buffer.of())).toBe(true);
  });

  it.each([
    ['announced', `Content-Length: ${LIMIT + 1}`, Buffer.alloc(1)],
    ['in chunks', 'Transfer-Encoding: chunked', Buffer.from(`${(LIMIT + 1).toString(16)}\r\n${'x'.repeat(LIMIT + 1)}`)],
  ])('refuses a body beyond the limit, %s', async (_name, head, bytes) => {
    await send(head, bytes);

    await expect(received.at(-1)).rejects.toMatchObject({ code: 'FST_ERR_CTP_BODY_TOO_LARGE' });
  });

  it('resets the connection that holds most when unfinished bodies hold more than the process may', async () => {
    const small = await send('Content-Length: 10000', Buffer.alloc(5_000));
    const large = await send(`Content-Length: ${LIMIT}`, Buffer.alloc(LIMIT - 1));
    const first = new Promise((resolve) => large.once('close', resolve));
    await send(`Content-Length: ${LIMIT}`, Buffer.alloc(LIMIT - 1));
    await first;

    small.write(Buffer.alloc(5_000));

    expect(await received.at(-3)).toHaveLength(10_000);
    expect(resets).toBe(1);
  });
});
