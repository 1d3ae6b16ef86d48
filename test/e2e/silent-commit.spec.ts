import { QUERY_TIMEOUT_MS } from '@app/application';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../../apps/api/src/create-app.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { testConfig } from '../support/test-config.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

describe('POST /v1/orders when the database does not answer a COMMIT', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let store: StoreFixture;
  let app: NestFastifyApplication;
  let isSilent = false;
  let committedAt: number;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = await StoreFixture.create(database);
    proxy = await startTcpProxy(database.url, {
      onClientData: (chunk) => {
        if (!isSilent || !/COMMIT(?!TED)/.test(String(chunk))) return 'pass';
        committedAt = performance.now();
        return 'drop';
      },
    });
    app = await createApp(testConfig({ DATABASE_URL: proxy.url, LOG_LEVEL: 'silent' }), proxy.url);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });
  afterAll(async () => {
    await app.close();
    await proxy.close();
    await database.drop();
  });

  const order = async (productId: number) =>
    (
      await app.inject({
        method: 'POST',
        url: '/v1/orders',
        headers: { authorization: `Bearer ${store.key}`, 'idempotency-key': 'once' },
        payload: { items: [{ product_id: productId, quantity: 1 }], customer: { name: 'Ada' } },
      })
    ).statusCode;

  it('returns 503 before the deadline, and places the order with the same key after the database answers again', async () => {
    const mug = await store.product({ stock: 5 });
    isSilent = true;

    expect(await order(mug)).toBe(503);
    // The order's deadline ends the wait for the COMMIT, not the time limit of another statement.
    expect(performance.now() - committedAt).toBeLessThan(QUERY_TIMEOUT_MS);
    isSilent = false;

    expect(await order(mug)).toBe(201);
    expect(await store.onHand(mug)).toBe(4);
  });
});
