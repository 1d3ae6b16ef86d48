import { anOrderBody } from '../builders/order-body.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let api: RunningApi;
beforeAll(async () => (api = await startApi()));
afterAll(() => api.stop());

describe('the API', () => {
  const notFound = { success: false, error: 'Not found' };

  it('lets a request pass the plugins in the order of their dependencies', () => {
    const tree = api.app.getHttpAdapter().getInstance().printPlugins();
    const names = [...tree.matchAll(/^├\S* ([a-z-]+) \d/gm)].map(([, name]) => name);

    expect(names).toEqual([
      ...['request-head', 'concurrency-limit', 'authentication', 'unknown-routes', 'json-bodies', 'draining'],
      ...['request-log', 'feed-places', 'entity-tags'],
    ]);
  });

  it.each(['/v1', '/v1/', '/v1/nope', '/v1/orders/a/b', '/v1/orders/', '/v1/Orders', '/v1/products/%00/x'])(
    'returns 401 for %s without a key and 404 with one',
    async (url) => {
      const stranger = await api.inject({ url });
      expect(stranger.statusCode).toBe(401);
      expect(stranger.json()).toEqual({ error: 'Missing or invalid Authorization header' });
      expect(stranger.headers['x-error-code']).toBe('unauthorized');

      const response = await api.get(url);
      expect(response.statusCode).toBe(404);
      expect(response.json()).toEqual(notFound);
      expect(response.headers['x-error-code']).toBe('not_found');
    },
  );

  it.each([
    '/nope',
    '/v2/orders',
    '/V1/orders',
    '/v1x',
    '/favicon.ico',
    '/docs/nope.js',
    '/%',
    '/%ff',
    '/v1/%ff',
    '/v1/orders/%',
  ])('returns 404 in the envelope for %s with and without a key', async (url) => {
    const response = await api.inject({ url });

    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual(notFound);
    expect(response.headers['x-error-code']).toBe('not_found');
  });

  it('returns 404 for POST on a read-only path, even with a body of another type', async () => {
    const response = await api.inject({
      method: 'POST',
      url: '/v1/products',
      headers: { authorization: `Bearer ${api.store.key}`, 'content-type': 'text/plain' },
      payload: 'hello',
    });

    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual(notFound);
  });

  it('answers HEAD like GET, without the body', async () => {
    const headers = { authorization: `Bearer ${api.store.key}` };
    const response = await api.inject({ method: 'HEAD', url: '/v1/orders', headers });

    expect(response.statusCode).toBe(200);
    expect(response.body).toBe('');
    expect((await api.inject({ method: 'HEAD', url: '/v1/orders' })).statusCode).toBe(401);
  });

  describe('sends', () => {
    it.each(['/v1/orders', '/v1/nope', '/nope', '/health/live', '/openapi.json'])(
      'its common headers for %s',
      async (url) => {
        for (const response of [await api.get(url), await api.inject({ url })]) {
          expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
          expect(response.headers['x-content-type-options']).toBe('nosniff');
          expect(response.headers['content-security-policy']).toContain("default-src 'none'");
          expect(response.headers['content-type']).toMatch(/^application\/json/);
          expect(response.headers['x-powered-by']).toBeUndefined();
          const caching = response.headers['etag'] && url.startsWith('/v1') ? 'private, no-cache' : 'no-store';
          if (url.startsWith('/v1')) expect(response.headers['cache-control']).toBe(caching);
        }
      },
    );

    it.each([
      ['order-42_A.b', true],
      ['x'.repeat(64), true],
      ['x'.repeat(65), false],
      ['', false],
      ['a b', false],
      ['<script>', false],
      ['naïve', false],
    ])("the client's request id %s back: %s", async (id, taken) => {
      const response = await api.get('/v1/orders', { 'x-request-id': id });

      if (taken) expect(response.headers['x-request-id']).toBe(id);
      else expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    });
  });

  it('returns 500 with a constant text and the request id for an unexpected error', async () => {
    await api.store.brand();
    await api.database.query(
      `CREATE FUNCTION fail() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'defect'; END $$;
      ALTER TABLE brands RENAME TO sound_brands;
      CREATE VIEW brands AS SELECT * FROM sound_brands WHERE fail()`,
    );
    try {
      const response = await api.get('/v1/brands', { 'x-request-id': 'defect-1' });

      expect(response.statusCode).toBe(500);
      expect(response.json()).toEqual({ success: false, error: 'Internal server error' });
      expect(response.headers['x-request-id']).toBe('defect-1');
      expect(response.headers['x-error-code']).toBe('internal_error');
    } finally {
      await api.database.query('DROP VIEW brands; ALTER TABLE sound_brands RENAME TO brands');
    }
  });
});

describe('every operation', () => {
  let mug: number;
  beforeAll(async () => {
    mug = await api.store.product({ stock: 10 });
  });

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

  it('requires a key', async () => {
    for (const { method, path } of await operations()) {
      const { statusCode } = await send(method, path, { authorization: '' });

      expect([method, path, statusCode]).toEqual([method, path, 401]);
    }
  });

  it('refuses an unknown query parameter with 400 when the client prefers strict handling', async () => {
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

  it('otherwise ignores an unknown query parameter, and names it in X-Ignored-Parameters', async () => {
    const found = await operations();
    expect(found).toEqual(
      expect.arrayContaining(['/v1/orders', '/v1/orders/preview'].map((path) => ({ method: 'post', path }))),
    );
    for (const { method, path } of found) {
      const answer = await send(method, `${path}?dry_run=1`);

      expect([method, path, answer.headers['x-ignored-parameters']]).toEqual([method, path, 'dry_run']);
      // A change of an order refuses the body of an order.
      expect([200, 201, 400, 404]).toContain(answer.statusCode);
    }
  });
});
