import { anOrderBody } from '../builders/order-body.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('a read with If-None-Match', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  it('returns 304 without a body while the answer is the same, and 200 with another tag afterwards', async () => {
    const brand = await api.store.brand();
    for (const url of ['/v1/brands', `/v1/brands/${brand}`, '/v1/changes?kinds=brands']) {
      const first = await api.get(url);
      const tag = String(first.headers['etag']);
      const again = await api.get(url, { 'if-none-match': tag });
      await api.database.query(`UPDATE brands SET logo = logo || 'x' WHERE id = $1`, [brand]);
      const changed = await api.get(url, { 'if-none-match': tag });

      expect(first.headers['cache-control']).toBe('private, no-cache');
      expect([url, again.statusCode, again.body]).toEqual([url, 304, '']);
      expect(again.headers).toMatchObject({ etag: tag, 'cache-control': 'private, no-cache' });
      expect(again.headers).not.toHaveProperty('content-length');
      expect([url, changed.statusCode]).toEqual([url, 200]);
      expect(changed.headers['etag']).not.toBe(tag);
    }
  });

  it('returns 304 to a HEAD request, too', async () => {
    const { headers } = await api.get('/v1/brands');
    const authorization = `Bearer ${api.store.key}`;
    const head = await api.app.inject({
      method: 'HEAD',
      url: '/v1/brands',
      headers: { authorization, 'if-none-match': String(headers['etag']) },
    });

    expect([head.statusCode, head.body]).toEqual([304, '']);
  });

  it('has no tag, and no-store, on a refusal and on a write', async () => {
    const product = await api.store.product({ stock: 1 });
    for (const { headers } of [
      await api.get('/v1/orders/nothing'),
      await api.post('/v1/orders', anOrderBody(product)),
      await api.post('/v1/orders', {}),
    ]) {
      expect(headers['etag']).toBeUndefined();
      expect(headers['cache-control']).toBe('no-store');
    }
  });
});
