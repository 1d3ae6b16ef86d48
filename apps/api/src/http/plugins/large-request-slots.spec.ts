import { connect, type AddressInfo } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import etag from '@fastify/etag';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type InjectOptions } from 'fastify';
import fp from 'fastify-plugin';
import { largeRequestSlots } from './large-request-slots.js';

const LARGE = 'x'.repeat(300_000);
const TAG = '"n8w70MSHLBc5/LjHpH2jOPp7gQk="';
const pluginCalled = (name: string) => fp((_fastify, _options, done) => done(), { name });

describe('slots of large requests', () => {
  let fastify: FastifyInstance;
  /** The size of the answer of each route. */
  let size: 'large' | 'small';
  /** The highest number of handlers that ran concurrently, by store. */
  let most: Record<string, number>;
  let handled: number;
  beforeEach(async () => {
    size = 'large';
    most = {};
    handled = 0;
    const running: Record<string, number> = {};
    fastify = Fastify({ forceCloseConnections: true });
    fastify.decorateRequest('apiKey', null);
    fastify.addHook('onRequest', (request, _reply, next) => {
      const id = Number(request.headers['x-store']);
      if (id > 0) request.apiKey = { store: { id } } as never;
      next();
    });
    await fastify.register(pluginCalled('authentication'));
    await fastify.register(largeRequestSlots);
    await fastify.register(etag);
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      handled++;
      const store = String(request.headers['x-store']);
      running[store] = (running[store] ?? 0) + 1;
      most[store] = Math.max(most[store] ?? 0, running[store]);
      for (let n = 0; n < 5; n++) await setImmediate();
      const query = request.query as Partial<
        Record<'fails' | 'waits' | 'slow' | 'reads' | 'status' | 'late' | 'code' | 'size', string>
      >;
      if (query.late) void reply.send('too late');
      if (query.late) await setTimeout(10);
      request.noteRead(Number(query.reads ?? 0));
      reply.status(Number(query.status ?? 200));
      if (query.code) reply.header('x-error-code', query.code);
      if (query.fails) throw new Error('no');
      if (query.slow) await setTimeout(300);
      if (query.waits) request.releaseSlot?.();
      if (query.waits) await setTimeout(50);
      running[store] = (running[store] ?? 0) - 1;
      if (query.size) return 'x'.repeat(Number(query.size));
      return size === 'large' ? LARGE : 'small';
    };
    fastify.get('/v1/products', handler);
    fastify.get('/v1/changes', handler);
    fastify.get('/v1/journal', handler);
    fastify.get('/v1/customers/:id', handler);
    fastify.get('/v1/customers/:id/personal-data', handler);
    for (const url of ['/v1/stock', '/v1/orders', '/v1/orders/preview', '/v1/import']) fastify.post(url, handler);
    fastify.put('/v1/price-lists/:code', handler);
    fastify.post('/raw', { config: { rawBytes: 65_536 } }, handler);
    fastify.post('/public', handler);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    return fastify.close();
  });

  const send = (store: number, options: InjectOptions) =>
    fastify.inject({ ...options, headers: { ...options.headers, 'x-store': String(store) } });
  const read = (store: number, url = '/v1/products') => send(store, { url });
  const crowd = (requests: number, one: () => Promise<{ statusCode: number }>) =>
    Promise.all(Array.from({ length: requests }, one));

  it('lets a store read one answer at a time after a large one, and other stores beside it', async () => {
    await read(7);
    most = {};

    const answers = await Promise.all([crowd(5, () => read(7)), crowd(5, () => read(8))]);

    expect(most).toEqual({ '7': 1, '8': 5 });
    expect(answers.flat().map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(200));
  });

  it('reads several answers at a time again a minute after the last large one', async () => {
    const started = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(started);
    await read(7);
    size = 'small';
    for (let n = 0; n < 25; n++) await read(7);
    clock.mockReturnValue(started + 59_000);
    most = {};
    await crowd(5, () => read(7));
    expect(most).toEqual({ '7': 1 });

    clock.mockReturnValue(started + 61_000);
    most = {};
    await crowd(5, () => read(7));

    expect(most).toEqual({ '7': 5 });
  });

  it.each([200, 201, 422])('takes an answer %i for large by what was read for it', async (status) => {
    size = 'small';
    const url = `/v1/products?reads=300000&status=${status}`;
    expect((await read(7, url)).statusCode).toBe(status);
    most = {};

    await crowd(3, () => read(7, url));

    expect(most).toEqual({ '7': 1 });
  });

  it('counts a read as large even if it ended after its answer', async () => {
    size = 'small';
    const url = '/v1/products?reads=300000&late=yes';
    expect((await read(7, url)).body).toBe('too late');
    await setTimeout(20);
    most = {};

    await crowd(3, () => read(7, '/v1/products'));

    expect(most).toEqual({ '7': 1 });
  });

  it.each([
    ['GET', '/v1/products', 1],
    ['POST', '/v1/orders', 3],
  ] as const)('takes what was late for large: runs %s %s then %i at a time', async (method, url, expected) => {
    size = 'small';
    const late = await send(7, { method, url: `${url}?status=503&code=deadline_exceeded` });
    most = {};

    await crowd(3, () => send(7, { method, url }));

    expect([late.statusCode, most]).toEqual([503, { '7': expected }]);
  });

  it.each([
    ['large raw bodies', '/raw', 20_000, 1],
    ['other raw bodies', '/raw', 10_000, 3],
    ['bodies of other public routes', '/public', 20_000, 3],
  ])('runs %s without a key, %s with %i bytes, %i at a time', async (_case, url, bytes, expected) => {
    size = 'small';
    const headers = { 'content-type': 'text/plain' };

    await crowd(3, () => send(0, { method: 'POST', url, headers, payload: 'x'.repeat(bytes) }));

    expect(most).toEqual({ '0': expected });
  });

  it('counts a write with a large answer as large', async () => {
    const make = () => send(7, { method: 'POST', url: '/v1/stock?status=201', payload: {} });
    await make();
    most = {};

    await crowd(3, make);

    expect(most).toEqual({ '7': 1 });
  });

  it('does not take answers without further fields for large because those with them are', async () => {
    await read(7, '/v1/products?include=metadata');
    size = 'small';
    most = {};

    await crowd(3, () => read(7));

    expect(most).toEqual({ '7': 3 });
  });

  it('ends the slot of a request that fails', async () => {
    await read(7);

    const failed = await crowd(3, () => read(7, '/v1/products?fails=yes'));

    expect(failed.map(({ statusCode }) => statusCode)).toEqual([500, 500, 500]);
    expect((await read(7)).statusCode).toBe(200);
  });

  it('gives the slot to the next request while one waits for changes', async () => {
    await read(7, '/v1/changes');
    most = {};

    await crowd(3, () => read(7, '/v1/changes?waits=yes'));
    expect(most).toEqual({ '7': 3 });

    most = {};
    await crowd(3, () => read(7, '/v1/changes'));
    expect(most).toEqual({ '7': 1 });
  });

  it('takes an answer for large that the client has already', async () => {
    await read(7);
    most = {};

    const unchanged = await crowd(3, () => send(7, { url: '/v1/products', headers: { 'if-none-match': TAG } }));

    expect(unchanged.map(({ statusCode }) => statusCode)).toEqual([304, 304, 304]);
    for (let n = 0; n < 25; n++) await send(7, { url: '/v1/products', headers: { 'if-none-match': TAG } });
    await crowd(3, () => read(7));
    expect(most).toEqual({ '7': 1 });
  });

  it('makes no answer for a client that has gone while it waited', async () => {
    await read(7);
    await fastify.listen();
    const { port } = fastify.server.address() as AddressInfo;
    handled = 0;
    const first = fetch(`http://127.0.0.1:${port}/v1/products?slow=yes`, { headers: { 'x-store': '7' } });
    await setTimeout(50);
    const left = AbortSignal.timeout(50);
    const gone = fetch(`http://127.0.0.1:${port}/v1/products`, { headers: { 'x-store': '7' }, signal: left });

    await expect(gone).rejects.toThrow();
    expect((await first).status).toBe(200);
    expect((await read(7)).statusCode).toBe(200);
    expect(handled).toBe(2);
  });

  it('gives no slot for the body of a GET, which nobody reads', async () => {
    size = 'small';
    const headers = { 'content-type': 'application/json' };

    await crowd(3, () => send(8, { method: 'GET', url: '/v1/products', headers, payload: 'x'.repeat(9_000) }));

    expect(most).toEqual({ '8': 3 });
  });

  it.each([
    ['/v1/stock', 'a large body', 1],
    ['/v1/stock', 'a small body', 3],
    ['/v1/stock', 'a body of 2 kB', 3],
    ['/v1/orders/preview', 'a small body', 3],
    ['/v1/orders/preview', 'a body of 2 kB', 1],
    ['/v1/orders', 'a large body', 1],
    ['/v1/orders', 'a body of many lines', 3],
    ['/v1/import', 'a large body', 3],
    ['/v1/price-lists/A', 'a large body', 1],
  ])('runs requests to %s with %s, %i at a time', async (url, body, expected) => {
    size = 'small';
    const sizes = { 'a large body': 20_000, 'a body of many lines': 9_000, 'a body of 2 kB': 2_000 };
    const payload = { lines: 'x'.repeat(sizes[body as keyof typeof sizes] ?? 0) };

    const method = url.startsWith('/v1/price-lists') ? 'PUT' : 'POST';
    await crowd(3, () => send(7, { method, url, payload }));

    expect(most).toEqual({ '7': expected });
  });

  it('refuses large answers of a store while its clients leave more than 32 MB unread, and serves other stores', async () => {
    const address = await fastify.listen();
    const port = (fastify.server.address() as AddressInfo).port;
    const ask = 'GET /v1/products?size=34000000 HTTP/1.1\r\nHost: x\r\nX-Store: 7\r\n\r\n';
    const client = connect(port, '127.0.0.1').pause();
    client.write(ask);
    await vi.waitFor(() => expect(handled).toBe(1));
    const fetched = (store: number) => fetch(`${address}/v1/products`, { headers: { 'x-store': String(store) } });
    await vi.waitFor(async () => expect((await fetched(7)).status).toBe(500));

    expect((await fetched(8)).status).toBe(200);
    client.destroy();

    await vi.waitFor(async () => expect((await fetched(7)).status).toBe(200));
  });

  it('refuses reads that came before the clients of the store left 32 MB unread, and small ones, but no writes', async () => {
    await fastify.listen();
    const { port } = fastify.server.address() as AddressInfo;
    const statuses: string[] = [];
    const clients = Array.from({ length: 6 }, () => {
      const client = connect(port, '127.0.0.1');
      client.once('data', (head: Buffer) => statuses.push(head.toString('latin1', 9, 12)) && client.pause());
      client.write('GET /v1/products?size=9000000 HTTP/1.1\r\nHost: x\r\nX-Store: 7\r\n\r\n');
      return client;
    });
    await vi.waitFor(() => expect(statuses).toHaveLength(6), { timeout: 30_000 });
    size = 'small';
    const small = await read(7, '/v1/customers/1');
    const written = await send(7, { method: 'POST', url: '/v1/stock', payload: {} });
    clients.forEach((client) => client.destroy());

    expect(statuses.sort()).toEqual(['200', '200', '200', '200', '503', '503']);
    expect([small.statusCode, small.headers['x-error-code'], small.json()]).toMatchObject([
      503,
      'overloaded',
      { success: false, code: 'overloaded' },
    ]);
    expect(written.statusCode).toBe(200);
    await vi.waitFor(async () => expect((await read(7, '/v1/customers/1')).body).toBe('small'), { timeout: 30_000 });
  });

  it.each([
    ['/v1/customers/1/personal-data', 1],
    ['/v1/journal', 1],
    ['/v1/products?include=sku,metadata', 1],
    ['/v1/products?include=sku', 3],
    ['/v1/customers/1', 3],
  ])('reads %s %i at a time from the beginning', async (url, expected) => {
    size = 'small';
    await crowd(3, () => read(7, url));

    expect(most).toEqual({ '7': expected });
  });

  it('lets a body of unknown length take a slot', async () => {
    const headers = { 'transfer-encoding': 'chunked', 'content-type': 'application/json' };

    await crowd(3, () => send(7, { method: 'POST', url: '/v1/stock', headers, payload: '{}' }));

    expect(most).toEqual({ '7': 1 });
  });
});
