import { MAX_REQUESTS, MAX_REQUESTS_OF_STORE } from '@app/application';
import { connect, type AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import fp from 'fastify-plugin';
import { Metrics } from '../../status/metrics.js';
import { ConcurrencyLimits } from '../server/concurrency-limits.js';
import { concurrencyLimit } from './concurrency-limit.js';

const KINDS: [keyof typeof MAX_REQUESTS, InjectOptions & { url: string }][] = [
  ['reads', { method: 'GET', url: '/v1/products' }],
  ['orders', { method: 'POST', url: '/v1/orders', payload: {} }],
  ['orders', { method: 'PUT', url: '/v1/price-lists/A', payload: {} }],
  ['imports', { method: 'POST', url: '/v1/import', payload: {} }],
];

const connectionsOf = ({ server }: FastifyInstance) =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

describe('the limit of concurrent requests', () => {
  let fastify: FastifyInstance;
  let limits: ConcurrencyLimits;
  let release: () => void;
  beforeEach(async () => {
    limits = new ConcurrencyLimits();
    const released = new Promise<void>((resolve) => (release = resolve));
    fastify = Fastify();
    await fastify.register(fp((_fastify, _options, done) => done(), { name: 'request-head' }));
    await fastify.register(concurrencyLimit, { limits, metrics: new Metrics() });
    fastify.decorateRequest('apiKey', null);
    fastify.addHook('onRequest', (request, _reply, next) => {
      const id = Number(request.headers['x-store']);
      if (id > 0) request.apiKey = { store: { id } } as never;
      next();
    });
    const handler = () => released.then(() => 'done');
    fastify.get('/v1/products', handler);
    for (const url of ['/v1/orders', '/v1/import']) fastify.post(url, handler);
    fastify.put('/v1/price-lists/:code', handler);
  });
  afterEach(() => fastify.close());

  const crowd = (requests: number, request: InjectOptions, store: number) =>
    Array.from({ length: requests }, async () => fastify.inject({ ...request, headers: { 'x-store': String(store) } }));
  const slots = (kind: string) => limits.all.find((limit) => limit.kind === kind)?.taken;
  const statusesOf = async (answers: readonly Promise<{ statusCode: number }>[]) =>
    (await Promise.all(answers)).map(({ statusCode }) => statusCode);

  it.each(KINDS)('leaves slots of %s to other stores, up to the limit of all', async (kind, request) => {
    const [most, ofStore] = [MAX_REQUESTS[kind], MAX_REQUESTS_OF_STORE[kind]];
    const first = crowd(most, request, 7);
    const refused = first.slice(ofStore);
    expect(await statusesOf(refused)).toEqual(Array(most - ofStore).fill(503));
    const second = crowd(most - ofStore, request, 8);
    const third = crowd(1, request, 9);

    expect(await statusesOf(third)).toEqual([503]);
    expect(slots(kind)).toBe(most);
    release();

    expect(new Set(await statusesOf([...first.slice(0, ofStore), ...second]))).toEqual(new Set([200]));
    expect(slots(kind)).toBe(0);
    expect(await statusesOf(crowd(ofStore, request, 7))).toEqual(Array(ofStore).fill(200));
  });

  it.each(KINDS)('refuses %s of a store without slots before a look-up of their key', async (kind, request) => {
    const limit = limits.of(request);
    const authorization = 'Bearer svc_live_1';
    const headers = { 'x-store': '7', authorization };
    const crowd = Array.from({ length: MAX_REQUESTS_OF_STORE[kind] }, async () =>
      fastify.inject({ ...request, headers }),
    );

    await vi.waitFor(() => expect(limit?.isFullFor(authorization)).toBe(true));
    expect(limit?.isFullFor('Bearer svc_live_2')).toBe(false);
    release();
    await Promise.all(crowd);

    expect(limit?.isFullFor(authorization)).toBe(false);
  });

  it('counts a request for its route, however its path is spelled', async () => {
    const imports = crowd(1, { method: 'POST', url: '/v1/%69mport', payload: {} }, 7);
    await vi.waitFor(() => expect(slots('imports')).toBe(1));
    expect(slots('orders')).toBe(0);
    release();
    expect(await statusesOf(imports)).toEqual([200]);
  });

  it('limits requests without a key by the slots of all', async () => {
    const answers = crowd(MAX_REQUESTS.orders + 1, { method: 'POST', url: '/v1/orders', payload: {} }, 0);

    expect(await statusesOf(answers.slice(-1))).toEqual([503]);
    release();
    expect(new Set(await statusesOf(answers.slice(0, -1)))).toEqual(new Set([200]));
  });

  it('frees the slot of a request whose client leaves before its body, while its key is looked up', async () => {
    let found = () => undefined as void;
    const lookUp = new Promise<void>((resolve) => (found = resolve));
    fastify.addHook('onRequest', () => lookUp);
    await fastify.listen({ port: 0, host: '127.0.0.1' });
    const { port } = fastify.server.address() as AddressInfo;
    const client = connect(port, '127.0.0.1');
    client.write('POST /v1/import HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
    await vi.waitFor(() => expect(slots('imports')).toBe(1));

    client.resetAndDestroy();
    await vi.waitFor(async () => expect(await connectionsOf(fastify)).toBe(0));
    found();

    await vi.waitFor(() => expect(slots('imports')).toBe(0));
  });
});
