import { Config } from '@app/infrastructure';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../../apps/api/src/create-app.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** The promise. Without it, it were the 3.2 s and more after which any other statement is given up. */
const IN_TIME_MS = 3_000;

describe('a database that says nothing to a COMMIT', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let store: StoreFixture;
  let app: NestFastifyApplication;
  let isSilent = false;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = await StoreFixture.create(database);
    proxy = await startTcpProxy(database.url, {
      onClientData: (chunk) => (isSilent && /COMMIT(?!TED)/.test(String(chunk)) ? 'drop' : 'pass'),
    });
    app = await createApp(new Config({ DATABASE_URL: proxy.url, LOG_LEVEL: 'silent' }), proxy.url);
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

  it('costs the client 503 in time, and the same key places the order once it speaks again', async () => {
    const mug = await store.product({ stock: 5 });
    isSilent = true;
    const start = performance.now();

    expect(await order(mug)).toBe(503);
    expect(performance.now() - start).toBeLessThan(IN_TIME_MS);
    isSilent = false;

    expect(await order(mug)).toBe(201);
    expect(await store.onHand(mug)).toBe(4);
  });
});
