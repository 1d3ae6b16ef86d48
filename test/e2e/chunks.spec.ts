import { once } from 'node:events';
import type { Server } from 'node:http';
import net from 'node:net';
import { MAX_CHUNKS } from '../../apps/api/src/http/server/chunks.js';
import { eventually } from '../support/eventually.js';
import { startListeningApi, type ListeningApi } from '../support/listening-api.js';

const CHUNKED = 'Content-Type: application/json\r\nTransfer-Encoding: chunked';

/** A body in chunks of 1 byte. */
const inChunks = (body: string) => [...body].map((byte) => `1\r\n${byte}\r\n`).join('');

describe('the API', () => {
  let api: ListeningApi;
  beforeAll(async () => {
    api = await startListeningApi();
  });
  afterAll(() => api.stop());

  const droppedConnections = async () =>
    Number(/reason="chunks"\} (\d+)/.exec((await api.inject({ url: '/metrics' })).body)?.[1] ?? 0);

  it(`reads a request with ${MAX_CHUNKS} chunks`, async () => {
    const product = await api.store.product({ stock: 1 });
    const order = JSON.stringify({ items: [{ product_id: product, quantity: 1 }], customer: { name: 'Ada' } });
    const last = MAX_CHUNKS - 1; // and one chunk with the order

    const response = await api.send(
      api.orderHead(CHUNKED, `${inChunks(' '.repeat(last))}${order.length.toString(16)}\r\n${order}\r\n0\r\n\r\n`),
    );

    expect(response.status).toBe(201);
  });

  it.each([
    ['first', () => ''],
    ['second', () => `GET /v1/store HTTP/1.1\r\nHost: x\r\n${api.keyLine}\r\n`],
  ])('resets the connection when the %s request of a packet has more chunks', async (_name, before) => {
    const dropped = await droppedConnections();
    const socket = net.connect(api.port, '127.0.0.1');
    const head = api.orderHead(CHUNKED, inChunks(' '.repeat(MAX_CHUNKS + 1)));
    socket.write(Buffer.concat([Buffer.from(before()), head]));

    const [error] = (await once(socket.resume(), 'error')) as [NodeJS.ErrnoException];

    expect(error.code).toBe('ECONNRESET');
    await eventually(async () => expect(await droppedConnections()).toBe(dropped + 1));
  });

  it.each([
    ['POST /v1/orders', 401],
    ['POST /v1/nope', 401],
    ['GET /health/live', 200],
    ['GET /docs', 200],
    ['POST /nope', 404],
  ])('says that the connection closes when %s is answered before its chunks are read', async (request, status) => {
    const head = `${request} HTTP/1.1\r\nHost: x\r\n${CHUNKED}\r\n\r\n`;

    const response = await api.send(`${head}2\r\n{}\r\n0\r\n\r\n`, { keep: false });

    expect(response).toMatchObject({ status, closed: true, headers: { connection: 'close' } });
  });

  it('stops parsing the chunks of a request after it has answered the request', async () => {
    let faults = 0;
    const server: Server = api.app.getHttpServer();
    server.prependListener('clientError', () => faults++);
    const socket = net.connect({ port: api.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n');
    await once(socket.resume(), 'end');

    socket.end('no chunk at all\r\n\r\n');
    await once(socket, 'close');

    expect(faults).toBe(0);
  });
});
