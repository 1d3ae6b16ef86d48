import { WRITE_SCOPES, type ApiKeyScope, type WriteScope } from '@app/domain';
import { JsonLogger, type Extension } from '@app/infrastructure';
import { Controller, Get, Module, Post, type Type } from '@nestjs/common';
import { createApp } from '../../apps/api/src/create-app.js';
import { NeedsScope, Public, WritesNothing } from '../../apps/api/src/index.js';
import { StoreFixture } from '../builders/store-fixture.js';
import type { ApiDocument } from '../support/documented-answers.js';
import { testConfig } from '../support/test-config.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly needs: WriteScope | undefined;
}

const READ_ONLY = ['GET', 'HEAD'];
const SCOPES: readonly ApiKeyScope[] = ['read', ...WRITE_SCOPES.map((word) => `read,${word}` as const), 'full'];

/** What a route of each kind must need, whatever it declares. */
const NEEDED: readonly (readonly [RegExp, WriteScope])[] = [
  [/^\/v1\/orders$/, 'orders'],
  [/^\/v1\/orders\/:id\/(?:shipments|transitions|cancel|release)\b/, 'fulfillment'],
  [/^\/v1\/orders\/:id\/(?:payments|refunds)\b/, 'payments'],
  [/^\/v1\/stock\b/, 'stock'],
  [/^\/v1\/webhooks\b/, 'webhooks'],
];

describe('the scopes of keys', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());

  /** The application, which adds its routes to the list as it starts. */
  async function start(extension: Extension = {}, routes: Route[] = []) {
    const config = testConfig({ DATABASE_URL: database.url, LOG_LEVEL: 'silent', DATABASE_POOL_SIZE: '5' });
    const app = await createApp(config, database.url, new JsonLogger('silent'), extension);
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onRoute', ({ method, url, config }) => {
        for (const name of [method].flat()) routes.push({ method: name, path: url, needs: config?.needs });
      });
    try {
      return await app.init();
    } catch (error) {
      await app.close();
      throw error;
    }
  }

  describe('for every route of the running application', () => {
    const routes: Route[] = [];
    let app: Awaited<ReturnType<typeof start>>;
    let keys: Map<ApiKeyScope, string>;
    beforeAll(async () => {
      app = await start({}, routes);
      await app.getHttpAdapter().getInstance().ready();
      const store = await StoreFixture.create(database);
      keys = new Map();
      for (const scope of SCOPES) keys.set(scope, await store.createKey('live', scope));
    });
    afterAll(() => app.close());

    const closed = () => routes.filter(({ path }) => path.startsWith('/v1'));
    const send = async ({ method, path }: Route, scope: ApiKeyScope, payload?: string) => {
      const { statusCode, headers, body } = await app.inject({
        method: method as 'GET',
        url: path.replace(/:\w+/g, '1'),
        headers: { authorization: `Bearer ${keys.get(scope)}`, 'content-type': 'application/json' },
        payload: READ_ONLY.includes(method) ? undefined : (payload ?? '{}'),
      });
      return { statusCode, code: headers['x-error-code'], body };
    };

    it('a key is refused, before its body is read, unless it has the word that the route needs', async () => {
      const wrong: unknown[] = [];
      for (const route of closed()) {
        for (const scope of SCOPES) {
          const isPermitted = !route.needs || scope === 'full' || scope === `read,${route.needs}`;
          const refusal = JSON.stringify({ error: `API key lacks the scope ${route.needs}` });
          const { statusCode, code, body } = await send(route, scope, isPermitted ? '{}' : '{"broken');
          const isRefused = statusCode === 403 && code === 'insufficient_scope';
          const isRight = isPermitted
            ? !isRefused && statusCode < 500
            : isRefused && body === (route.method === 'HEAD' ? '' : refusal);
          if (!isRight) wrong.push([route.method, route.path, scope, statusCode, body]);
        }
      }

      expect(wrong).toEqual([]);
      expect(closed().length).toBeGreaterThan(20);
    });

    it('a read needs no more than any key, except of webhooks, and a write the word of its kind', () => {
      const expected = ({ method, path }: Route) =>
        (READ_ONLY.includes(method) && !path.startsWith('/v1/webhooks')) || path === '/v1/orders/preview'
          ? undefined
          : NEEDED.find(([pattern]) => pattern.test(path))?.[1];

      expect(closed()).toEqual(closed().map((route) => ({ ...route, needs: expected(route) })));
    });

    it('the API document names the scope', async () => {
      const { paths } = (await app.inject('/openapi.json')).json<ApiDocument>();
      const written = closed().filter(({ method, needs }) => method !== 'HEAD' && (method !== 'GET' || needs));

      for (const { method, path, needs } of written) {
        const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
        const text = JSON.stringify(operation?.responses['403']);

        expect(operation).toMatchObject(needs ? { security: [{ bearer: [needs] }] } : {});
        expect(text.includes('insufficient_scope')).toBe(needs !== undefined);
        expect(text.includes(`API key lacks the scope ${needs}`)).toBe(needs !== undefined);
      }
      expect(written.length).toBeGreaterThan(5);
    });
  });

  describe('and the routes of an extension', () => {
    const moduleOf = (controller: Type): Type => {
      @Module({ controllers: [controller] })
      class TeamModule {}
      return TeamModule;
    };

    it('end the start when one may write and declares no access', async () => {
      @Controller('v1/parcels')
      class Forgetful {
        @Get()
        list(): void {}

        @Post(':id/weigh')
        weigh(): void {}
      }

      await expect(start({ modules: [moduleOf(Forgetful)] })).rejects.toThrow(
        'POST /v1/parcels/:id/weigh declares no access: add @NeedsScope(…), @WritesNothing() or @Public() to its method.',
      );
    });

    it('start when each declares its access, and need what they declare', async () => {
      @Controller('v1/parcels')
      class Careful {
        @Get()
        list(): void {}

        @Post('weigh')
        @WritesNothing()
        weigh(): void {}

        @Post('track')
        @Public()
        track(): void {}

        @Post()
        @NeedsScope('fulfillment')
        create(): void {}
      }
      const app = await start({ modules: [moduleOf(Careful)] });
      const store = await StoreFixture.create(database);
      const statusOf = async (path: string, scope?: ApiKeyScope) => {
        const headers = scope && { authorization: `Bearer ${await store.createKey('live', scope)}` };
        const { statusCode } = await app.inject({ method: 'POST', url: `/v1/parcels${path}`, headers, payload: {} });
        return statusCode;
      };

      expect(await statusOf('/track')).toBe(201);
      expect(await statusOf('/weigh', 'read')).toBe(201);
      expect(await statusOf('', 'read,orders')).toBe(403);
      expect(await statusOf('', 'read,fulfillment')).toBe(201);
      await app.close();
    });
  });
});
