import { setImmediate } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import fp from 'fastify-plugin';
import { turnsOfLarge } from './turns-of-large.js';

const LARGE = 'x'.repeat(300_000);
const pluginCalled = (name: string) => fp((_fastify, _options, done) => done(), { name });

describe('turns of large requests', () => {
  let fastify: FastifyInstance;
  /** The answer of each route. */
  let size: 'large' | 'small';
  /** The highest number of handlers that ran at a time, by store. */
  let most: Record<string, number>;
  beforeEach(async () => {
    size = 'large';
    most = {};
    const running: Record<string, number> = {};
    fastify = Fastify();
    fastify.decorateRequest('apiKey', null);
    fastify.addHook('onRequest', (request, _reply, next) => {
      request.apiKey = { store: { id: Number(request.headers['x-store']) } } as never;
      next();
    });
    await fastify.register(pluginCalled('authentication'));
    await fastify.register(pluginCalled('entity-tags'));
    await fastify.register(turnsOfLarge);
    const handler = async (request: { headers: Record<string, unknown>; query: unknown }) => {
      const store = String(request.headers['x-store']);
      running[store] = (running[store] ?? 0) + 1;
      most[store] = Math.max(most[store] ?? 0, running[store]);
      for (let n = 0; n < 5; n++) await setImmediate();
      running[store]--;
      if ((request.query as { fails?: string }).fails) throw new Error('no');
      return size === 'large' ? LARGE : 'small';
    };
    fastify.get('/v1/products', handler);
    fastify.get('/v1/changes', handler);
    for (const url of ['/v1/stock', '/v1/orders', '/v1/import']) fastify.post(url, handler);
  });
  afterEach(() => fastify.close());

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

  it('reads several answers at a time again after 20 small ones', async () => {
    await read(7);
    size = 'small';
    for (let n = 0; n < 19; n++) await read(7);
    most = {};
    await crowd(5, () => read(7));
    expect(most).toEqual({ '7': 1 });

    most = {};
    await crowd(5, () => read(7));

    expect(most).toEqual({ '7': 5 });
  });

  it('ends the turn of a request that fails', async () => {
    await read(7);

    const failed = await crowd(3, () => read(7, '/v1/products?fails=yes'));

    expect(failed.map(({ statusCode }) => statusCode)).toEqual([500, 500, 500]);
    expect((await read(7)).statusCode).toBe(200);
  });

  it('lets requests wait for changes beside each other', async () => {
    await read(7, '/v1/changes');
    most = {};

    await crowd(3, () => read(7, '/v1/changes?wait=10'));
    expect(most).toEqual({ '7': 3 });

    most = {};
    await crowd(3, () => read(7, '/v1/changes'));
    expect(most).toEqual({ '7': 1 });
  });

  it.each([
    ['/v1/stock', 'large', 1],
    ['/v1/stock', 'small', 3],
    ['/v1/orders', 'large', 3],
    ['/v1/import', 'large', 3],
  ])('runs requests to %s with %s bodies, %i at a time', async (url, body, expected) => {
    size = 'small';
    const payload = { lines: (body === 'large' ? 'x' : '').repeat(4_000) };

    await crowd(3, () => send(7, { method: 'POST', url, payload }));

    expect(most).toEqual({ '7': expected });
  });

  it('lets a body of unknown length take a turn', async () => {
    const headers = { 'transfer-encoding': 'chunked', 'content-type': 'application/json' };

    await crowd(3, () => send(7, { method: 'POST', url: '/v1/stock', headers, payload: '{}' }));

    expect(most).toEqual({ '7': 1 });
  });
});
