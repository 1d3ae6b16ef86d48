import { type Extension, JsonLogger } from '@app/infrastructure';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { createApp } from '../../apps/api/src/create-app.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { holdAgainstDocument } from './documented-answers.js';
import { testConfig } from './test-config.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

/** The data of a created order. Amounts are in units of the currency. */
export interface CreatedOrder {
  readonly order_id: string;
  readonly receipt_number: string;
  readonly subtotal: number;
  readonly total: number;
  readonly payment_method: string;
  readonly items: readonly { productId: string; name: string; quantity: number; price: number }[];
}

/** The whole application on its own database with one store. Tests fail for answers that are not documented. */
export interface RunningApi {
  readonly app: NestFastifyApplication;
  readonly database: TestDatabase;
  readonly store: StoreFixture;
  get(this: void, url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  post(this: void, url: string, body: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  patch(this: void, url: string, body: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  place(this: void, body: unknown, headers?: Record<string, string>): Promise<CreatedOrder>;
  /** Sends any request, without a key unless a header contains one. */
  inject(options: InjectOptions): Promise<LightMyRequestResponse>;
  /** The same application with another new store, for tests that share it. Only the first one stops it. */
  withStore(options?: { currency?: string }): Promise<RunningApi>;
  stop(): Promise<void>;
}

/**
 * @param database a migrated database, which `stop` drops. @param extension an extension whose routes the document does
 * not know.
 */
export async function startApi(
  env: Record<string, string> = {},
  lines?: string[],
  database?: TestDatabase,
  extension?: Extension,
): Promise<RunningApi> {
  database ??= await createTestDatabase();
  const config = testConfig({ DATABASE_URL: database.url, LOG_LEVEL: 'silent', DATABASE_POOL_SIZE: '5', ...env });
  const logger = lines && new JsonLogger('info', { write: (line) => void lines.push(line) });
  const app = await createApp(config, database.url, logger, extension);
  if (!extension) holdAgainstDocument(app.getHttpAdapter().getInstance());
  await app.init();
  await app.getHttpAdapter().getInstance().ready();

  return clientOf({ app, database, store: await StoreFixture.create(database) });
}

function clientOf({ app, database, store }: Pick<RunningApi, 'app' | 'database' | 'store'>): RunningApi {
  const authorized = (headers?: Record<string, string>) => ({ authorization: `Bearer ${store.key}`, ...headers });
  const send =
    (method: 'POST' | 'PATCH'): RunningApi['post'] =>
    (url, body, headers) =>
      app.inject({ method, url, headers: authorized(headers), payload: body as object });
  return {
    app,
    database,
    store,
    get: (url, headers) => app.inject({ method: 'GET', url, headers: authorized(headers) }),
    post: send('POST'),
    patch: send('PATCH'),
    place: async (body, headers) => {
      const response = await send('POST')('/v1/orders', body, headers);
      expect([response.statusCode, response.body]).toEqual([201, expect.any(String)]);
      return response.json<{ data: CreatedOrder }>().data;
    },
    inject: (options) => app.inject(options),
    withStore: async (options) => clientOf({ app, database, store: await StoreFixture.create(database, options) }),
    stop: async () => {
      await app.close();
      await database.drop();
    },
  };
}
