import { startApi } from '../support/start-api.js';
import { crowdedDatabase } from '../support/crowded-database.js';
import { createTestDatabase } from '../support/test-database.js';

describe('a PostgreSQL whose other connections are taken', () => {
  it('answers all requests on the connections that the process has', async () => {
    const database = await createTestDatabase();
    // One for the health check and two for the pool, which may have ten.
    const url = await crowdedDatabase(database, 3);
    const api = await startApi({ DATABASE_POOL_SIZE: '10', THROTTLE_PER_10S: '0' }, undefined, { ...database, url });
    try {
      const mug = await api.store.product({ stock: 1_000 });
      const body = { items: [{ product_id: mug, quantity: 1 }], customer: { name: 'Ada' } };
      const kinds = [
        () => api.post('/v1/orders', body),
        () => api.get('/v1/brands'),
        () => api.get('/v1/orders?search=ada'),
      ];
      const crowd = Array.from({ length: 3 }, () => kinds.map((send) => send())).flat();
      const statuses = (await Promise.all(crowd)).map(({ statusCode }) => statusCode);

      expect(statuses).toEqual(statuses.map((_, n) => [201, 200, 200][n % 3]));
    } finally {
      await api.stop();
    }
  });
});
