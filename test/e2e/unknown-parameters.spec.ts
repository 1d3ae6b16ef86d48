import { anOrderBody } from '../builders/order-body.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('an unknown query parameter', () => {
  let api: RunningApi;
  let mug: number;
  beforeAll(async () => {
    api = await startApi();
    mug = await api.store.product({ stock: 10 });
  });
  afterAll(() => api.stop());

  /** The operations that need a key, with an id that exists nowhere. */
  async function operations() {
    const document = (await api.inject({ url: '/openapi.json' })).json<{ paths: Record<string, object> }>();
    const found = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => ['get', 'post'].includes(method))
        .map((method) => ({ method, path: path.replace(/\{\w+\}/, 'none') })),
    );
    return found.filter(({ path }) => path.startsWith('/v1/'));
  }

  const send = (method: string, path: string, headers?: Record<string, string>) =>
    method === 'get' ? api.get(path, headers) : api.post(path, anOrderBody(mug), headers);

  it('is refused with 400 by every operation when the client prefers strict handling', async () => {
    const before = await api.store.onHand(mug);
    for (const { method, path } of await operations()) {
      const answer = await send(method, `${path}?dry_run=1`, { prefer: 'handling=strict' });

      expect([method, path, answer.statusCode, answer.json()]).toEqual([
        ...[method, path, 400],
        { success: false, error: 'Unknown query parameter: dry_run' },
      ]);
    }
    expect(await api.store.onHand(mug)).toBe(before);
  });

  it('is ignored by every operation otherwise, and named in X-Ignored-Parameters', async () => {
    const found = await operations();
    expect(found).toEqual(
      expect.arrayContaining(['/v1/orders', '/v1/orders/preview'].map((path) => ({ method: 'post', path }))),
    );
    for (const { method, path } of found) {
      const answer = await send(method, `${path}?dry_run=1`);

      expect([method, path, answer.headers['x-ignored-parameters']]).toEqual([method, path, 'dry_run']);
      expect([200, 201, 404]).toContain(answer.statusCode);
    }
  });
});

describe('more than 500 query parameters', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  const query = '?a=1'.padEnd(4 * 501, '&a=1');

  it.each(['/v1/orders', '/v1/skus', '/v1/store', '/v1/orders/none'])('are refused with 400 by %s', async (path) => {
    const answer = await api.get(path + query);

    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { success: false, error: 'Query has more than 500 parameters' },
    ]);
  });

  it('return 401 without a key, and are ignored where no key is needed', async () => {
    expect((await api.inject({ url: `/v1/orders${query}` })).statusCode).toBe(401);
    expect((await api.inject({ url: `/health/live${query}` })).statusCode).toBe(200);
  });
});
