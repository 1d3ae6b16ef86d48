import { setTimeout as delay } from 'node:timers/promises';
import { createApp } from '../../apps/api/src/create-app.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { testConfig } from '../support/test-config.js';
import { createTestDatabase } from '../support/test-database.js';

const RECOVERY_LIMIT_MS = 5_000;
/** Long enough to try every open connection, one after the other. */
const WATCHED_MS = 7_000;
const PAUSE_MS = 100;

interface Answer {
  readonly sentAt: number;
  readonly status: number;
}

/** Sends a read and an order every 100 ms while all connections that were open at the start are frozen. */
async function answersOnSilentConnections(poolSize: number): Promise<Answer[]> {
  const database = await createTestDatabase();
  const store = await StoreFixture.create(database);
  const mug = await store.product({ stock: 10_000 });
  const proxy = await startTcpProxy(database.url);
  const env = { DATABASE_URL: proxy.url, DATABASE_POOL_SIZE: String(poolSize), LOG_LEVEL: 'silent' };
  const app = await createApp(testConfig(env), proxy.url);
  try {
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    const headers = { authorization: `Bearer ${store.key}` };
    const payload = { items: [{ product_id: mug, quantity: 1 }], customer: { name: 'Ada' } };
    const read = () => app.inject({ url: '/v1/products?limit=5', headers });
    const order = () => app.inject({ method: 'POST', url: '/v1/orders', headers, payload });
    // Opens all connections of the pool.
    await Promise.all(Array.from({ length: 3 * poolSize }, order));

    proxy.freezeOpenConnections();
    const frozenAt = Date.now();
    const answers: Promise<Answer>[] = [];
    while (Date.now() < frozenAt + WATCHED_MS) {
      const sentAt = Date.now() - frozenAt;
      answers.push(...[read(), order()].map(async (answer) => ({ sentAt, status: (await answer).statusCode })));
      await delay(PAUSE_MS);
    }
    return await Promise.all(answers);
  } finally {
    await app.close();
    await proxy.close();
    await database.drop();
  }
}

describe('frozen database connections', () => {
  it('are replaced in under 5 s in a pool of 40 connections', async () => {
    const answers = await answersOnSilentConnections(40);

    const failures = answers.filter(({ status }) => status !== 200 && status !== 201);
    expect(failures.filter(({ sentAt }) => sentAt > RECOVERY_LIMIT_MS)).toEqual([]);
    // None fails when every request was repeated in time.
    expect(failures.filter(({ status }) => status !== 503)).toEqual([]);
  });
});
