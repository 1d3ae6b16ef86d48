import { ApiKeyRepository } from '@app/application';
import { parseApiKey, permits, WRITE_SCOPES, type ApiKeyScope, type ScopeWord } from '@app/domain';
import { JsonLogger, type Extension } from '@app/infrastructure';
import { Controller, Get, Module, Post, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { InjectOptions } from 'fastify';
import { ApiModule } from '../../apps/api/src/api.module.js';
import { createApp } from '../../apps/api/src/create-app.js';
import { NeedsScope, Public, WritesNothing } from '../../apps/api/src/public.js';
import { Metrics } from '../../apps/api/src/status/metrics.js';
import { KeyUsage } from '../../libs/infrastructure/src/access/key-usage.js';
import { withResponses, type ApiDocument } from '../support/documented-answers.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { testConfig } from '../support/test-config.js';

const MISSING = { error: 'Missing or invalid Authorization header' };

let api: RunningApi;
beforeAll(async () => (api = await startApi({ THROTTLE_PER_10S: '200' })));
afterAll(() => api.stop());

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const setKey = (key: string, assignment: string) =>
  api.database.query(`UPDATE api_keys SET ${assignment} WHERE last_four = $1 AND store_id = $2`, [
    key.slice(-4),
    api.store.id,
  ]);

describe('authentication', () => {
  const ask = (authorization: string | string[] | undefined, url = '/v1/store') =>
    // The types of inject do not allow a repeated header.
    api.inject({ url, headers: authorization === undefined ? {} : { authorization: authorization as string } });

  describe('returns 401', () => {
    const otherKey = async () => {
      const key = await api.store.createKey('live');
      await api.database.query('DELETE FROM api_keys WHERE last_four = $1', [key.slice(-4)]);
      return key;
    };

    it.each<[string, () => string | string[] | undefined]>([
      ['no header', () => undefined],
      ['an empty header', () => ''],
      ['a scheme without a key', () => 'Bearer'],
      ['another scheme', () => `Basic ${api.store.key}`],
      ['a key without a scheme', () => api.store.key],
      ['a key of another product', () => 'Bearer sk_live_51234567890'],
      ['a broken checksum', () => `Bearer ${api.store.key.slice(0, -1)}${api.store.key.endsWith('0') ? '1' : '0'}`],
      [
        'a changed secret',
        () => `Bearer ${api.store.key.replace(/_(.)(?=[^_]*$)/, (_, c) => (c === 'A' ? '_B' : '_A'))}`,
      ],
      ['the other mode', () => `Bearer ${api.store.key.replace('live', 'test')}`],
      ['a key that is too long', () => `Bearer ${api.store.key}0`],
      ['two keys in one header', () => `Bearer ${api.store.key} ${api.store.key}`],
      ['two keys with a comma', () => `Bearer ${api.store.key}, Bearer ${api.store.key}`],
      ['two headers', () => [`Bearer ${api.store.key}`, `Bearer ${api.store.key}`]],
      ['a key in upper case', () => `Bearer ${api.store.key.toUpperCase()}`],
    ])('for %s, without a database query', async (_name, authorization) => {
      const response = await ask(authorization());

      expect(response.statusCode).toBe(401);
      expect(response.json()).toEqual(MISSING);
      expect(response.headers).toMatchObject({ 'www-authenticate': 'Bearer', 'cache-control': 'no-store' });
      expect(response.headers).not.toHaveProperty('x-traffic-mode');
    });

    it('for an unknown key', async () => {
      const key = await otherKey();
      expect(parseApiKey(key)).not.toBeNull();

      const response = await ask(`Bearer ${key}`);
      expect(response.statusCode).toBe(401);
      expect(response.json()).toEqual({ error: 'Invalid API key' });
      expect(response.headers['www-authenticate']).toBe('Bearer');
    });
  });

  describe('returns 403', () => {
    it.each([
      ['deactivated', "status = 'DEACTIVATED'"],
      ['revoked', "status = 'REVOKED'"],
      ['expired', "expires_at = now() - interval '1 second'"],
    ])('for a %s key, from the next request on', async (_name, assignment) => {
      const key = await api.store.createKey();
      expect((await ask(`Bearer ${key}`)).statusCode).toBe(200);

      await setKey(key, assignment);

      const response = await ask(`Bearer ${key}`);
      expect(response.statusCode).toBe(403);
      expect(response.json()).toEqual({ error: 'API key is revoked, deactivated or expired' });
      expect(response.headers).not.toHaveProperty('www-authenticate');
    });

    it('for a key of other networks, before the body is read, and counts nothing against its limit', async () => {
      const key = await api.store.createKey();
      await setKey(key, "networks = '{192.0.2.0/24,2001:db8::/32}'");

      for (const url of ['/v1/store', '/v1/orders', '/v1/nope']) {
        const response = await ask(`Bearer ${key}`, url);
        expect([response.statusCode, response.headers['x-error-code'], response.json()]).toEqual([
          ...[403, 'address_not_allowed'],
          { error: 'API key may not be used from this address' },
        ]);
      }
      const refused = await Promise.all(Array.from({ length: 250 }, () => ask(`Bearer ${key}`)));
      expect(refused.filter(({ statusCode }) => statusCode !== 403)).toEqual([]);

      await setKey(key, "networks = '{192.0.2.0/24,127.0.0.0/8}'");
      expect((await ask(`Bearer ${key}`)).statusCode).toBe(200);
    });

    it('for a key of an inactive store', async () => {
      const setStatus = (status: string) =>
        api.database.query('UPDATE stores SET status = $1 WHERE id = $2', [status, api.store.id]);
      await setStatus('INACTIVE');
      try {
        const response = await ask(`Bearer ${api.store.key}`);
        expect(response.statusCode).toBe(403);
        expect(response.json()).toEqual({ error: 'Store is inactive' });
      } finally {
        await setStatus('ACTIVE');
      }
    });
  });

  describe('with a read key', () => {
    let key: string;
    beforeAll(async () => (key = await api.store.createKey('live', 'read')));

    it('returns 403 with its own code to POST /v1/orders, before the body is read', async () => {
      const bodies = ['{}', '{"items": [', 'x'.repeat(300_000), undefined];
      for (const payload of bodies) {
        const response = await api.inject({
          method: 'POST',
          url: '/v1/orders',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          payload,
        });

        expect(response.statusCode).toBe(403);
        expect(response.json()).toEqual({ error: 'API key lacks the scope orders' });
        expect(response.headers).toMatchObject({ 'x-error-code': 'insufficient_scope', 'x-traffic-mode': 'live' });
      }
    });
  });

  describe('returns 200', () => {
    it.each(['Bearer', 'bearer', 'BEARER', 'BeArEr'])('for the scheme %s', async (scheme) => {
      expect((await ask(`${scheme} ${api.store.key}`)).statusCode).toBe(200);
    });

    it.each(['live', 'test'] as const)('for a %s key, with its mode in X-Traffic-Mode', async (mode) => {
      const response = await ask(`Bearer ${await api.store.createKey(mode)}`);

      expect(response.statusCode).toBe(200);
      expect(response.headers['x-traffic-mode']).toBe(mode);
    });

    it('with X-Key-Expires-At when the key is about to expire', async () => {
      const key = await api.store.createKey();
      expect((await ask(`Bearer ${key}`)).headers).not.toHaveProperty('x-key-expires-at');

      await setKey(key, "expires_at = now() + interval '40 days'");
      expect((await ask(`Bearer ${key}`)).headers).not.toHaveProperty('x-key-expires-at');

      await setKey(key, "expires_at = '2999-01-01T00:00:00Z', status = 'ACTIVE'");
      await setKey(key, "expires_at = now() + interval '20 days'");
      expect((await ask(`Bearer ${key}`)).headers['x-key-expires-at']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    });

    it('without a key outside /v1', async () => {
      for (const url of [
        '/health',
        '/health/live',
        '/health/ready',
        '/metrics',
        '/docs',
        '/openapi.json',
        '/openapi-3.0.json',
      ]) {
        expect([url, (await ask(undefined, url)).statusCode]).toEqual([url, 200]);
      }
    });
  });

  describe('without a key', () => {
    it.each([
      ['a broken body', { method: 'POST', url: '/v1/orders', payload: '{"items": [' }],
      [
        'an unsupported content type',
        { method: 'POST', url: '/v1/orders', payload: 'x', headers: { 'content-type': 'text/xml' } },
      ],
      ['a body that is too large', { method: 'POST', url: '/v1/orders', payload: 'x'.repeat(300_000) }],
      ['a path that is too long', { method: 'GET', url: `/v1/orders/${'x'.repeat(5000)}` }],
      ['an unknown path', { method: 'GET', url: '/v1/nope' }],
      ['an unsupported method', { method: 'DELETE', url: '/v1/orders' }],
      [
        'an unknown parameter with strict handling',
        { method: 'GET', url: '/v1/orders?a=1', headers: { prefer: 'handling=strict' } },
      ],
    ] as const)('returns 401 before the API reports %s', async (_name, options) => {
      const response = await api.inject({ headers: { 'content-type': 'application/json' }, ...options });

      expect(response.statusCode).toBe(401);
      expect(response.json()).toEqual(MISSING);
    });

    it.each([
      '/%761/orders',
      '/v%31/orders',
      '/%76%31/orders',
      '/%2576%2531/orders',
      '/v1%2Forders',
      '/v1/%6frders',
      '//v1/orders',
      '/v1//orders',
      '/./v1/orders',
      '/x/../v1/orders',
      '/v1;a=b/orders',
      '/v1/orders;jsessionid=1',
      '/v1/orders/',
      '/V1/orders',
      '/v1\\orders',
      '/v1/orders%00',
      '/v1/orders%20',
      '/v1/orders%3F',
      '/v1/orders%23',
      '/%2Fv1/orders',
      '/v1/orders/..',
      '/v1/x/../orders',
    ])('returns no data for the path %s', async (url) => {
      const response = await ask(undefined, url);

      expect([401, 404]).toContain(response.statusCode);
      expect(response.json()).not.toHaveProperty('data');
    });
  });

  describe('without the early hook', () => {
    @Controller('undeclared')
    class UndeclaredController {
      @Get()
      read(): string {
        return 'open';
      }
    }

    @Module({ controllers: [UndeclaredController] })
    class AnotherTeamsModule {}

    let bare: NestFastifyApplication;
    beforeAll(async () => {
      const process = {
        config: testConfig({ DATABASE_URL: api.database.url, DATABASE_POOL_SIZE: '1', THROTTLE_PER_10S: '20' }),
        databaseUrl: api.database.url,
        logger: new JsonLogger('silent'),
        metrics: new Metrics(),
      };
      @Module({ imports: [ApiModule.on(process), AnotherTeamsModule] })
      class Application {}
      bare = await NestFactory.create<NestFastifyApplication>(Application, new FastifyAdapter(), { logger: false });
      await bare.init();
    });
    afterAll(() => bare.close());

    const answerTo = async (options: InjectOptions) => {
      const { statusCode, headers, body } = await bare.inject(options);
      return { statusCode, code: headers['x-error-code'], body: JSON.parse(body) as object };
    };

    it.each(['/v1/products', '/v1/store', '/undeclared'])(
      'the guard returns 401 to GET %s without a key',
      async (url) => {
        expect(await answerTo({ url })).toEqual({ statusCode: 401, code: 'unauthorized', body: MISSING });
      },
    );

    it('the guard returns 403 to a revoked key, and to an order of a read key', async () => {
      const revoked = await api.store.createKey();
      await setKey(revoked, "status = 'REVOKED'");
      const reader = await api.store.createKey('live', 'read');

      expect(await answerTo({ url: '/v1/orders', headers: bearer(revoked) })).toMatchObject({
        statusCode: 403,
        code: 'api_key_inactive',
      });
      const order = { method: 'POST', url: '/v1/orders', headers: bearer(reader), payload: {} } as const;
      expect(await answerTo(order)).toMatchObject({ statusCode: 403, code: 'insufficient_scope' });
      expect(await answerTo({ ...order, url: '/v1/orders/preview' })).toMatchObject({ statusCode: 400 });
    });
  });

  describe('with a limit of requests per key', () => {
    let strangerNetworks = 1;

    it('returns 429 for a key above the limit and serves other keys', async () => {
      const key = await api.store.createKey();
      const responses = await Promise.all(Array.from({ length: 210 }, () => ask(`Bearer ${key}`, '/v1/nope')));
      const refused = responses.filter(({ statusCode }) => statusCode === 429);

      expect(refused.length).toBeGreaterThanOrEqual(10);
      expect(refused[0]?.json()).toMatchObject({
        success: false,
        error: expect.stringContaining('Too many requests') as unknown,
      });
      expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect((await ask(`Bearer ${api.store.key}`)).statusCode).toBe(200);

      await api.app.get(KeyUsage, { strict: false }).flush();
      const [usage] = (await api.app.get(ApiKeyRepository).listUsage(api.store.id, 2, null)).rows;
      expect(usage).toMatchObject({ requests: 210, throttled: refused.length });
    });

    it.each([
      ['POST', 'sign-in/code'],
      ['POST', 'sign-in/link'],
      ['POST', 'session'],
      ['DELETE', 'session'],
      ['GET', 'sign-in'],
    ] as const)(
      'returns 429 to the network of a stranger for %s /dashboard/%s, and serves others',
      async (method, path) => {
        const from = (remoteAddress: string, url = `/dashboard/${path}`) => api.inject({ method, url, remoteAddress });
        const strangers = `2001:db8:${strangerNetworks++}:1:`;
        for (let n = 0; n < 220; n++) await from(`${strangers}:${n.toString(16)}`);

        const [refused, other] = [await from(`${strangers}:ffff`, `/%64ashboard/${path}`), await from('192.0.2.7')];

        expect([refused.statusCode, refused.json()]).toEqual([
          429,
          { success: false, error: 'Too many requests from this network: slow down', code: 'throttled' },
        ]);
        expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
        expect(other.statusCode).not.toBe(429);
      },
    );

    it('returns 429 to the keys of a store that together are above twice the limit, and serves other stores', async () => {
      const [one, other] = await Promise.all([api.withStore(), api.withStore()]);
      const refusedOf = async (key: string, requests: number) => {
        const asked = Array.from({ length: requests }, () => ask(`Bearer ${key}`, '/v1/nope'));
        return (await Promise.all(asked)).filter(({ statusCode }) => statusCode === 429);
      };
      const [second, third, fourth] = await Promise.all([1, 2, 3].map(() => one.store.createKey()));
      const ofLoop = [await refusedOf(one.store.key, 250), await refusedOf(one.store.key, 250)].flat();
      const ofSecond = await refusedOf(second ?? '', 150);
      const ofOthers = [await refusedOf(third ?? '', 150), await refusedOf(fourth ?? '', 150)].flat();

      expect([ofLoop.length > 200, ofSecond.length, ofOthers.length > 100]).toEqual([true, 0, true]);
      expect(ofOthers[0]?.json()).toMatchObject({
        error: 'Too many requests from the API keys of this store: slow down',
      });
      expect(Number(ofOthers[0]?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect((await ask(`Bearer ${other.store.key}`)).statusCode).toBe(200);
    });
  });
});

describe('GET /v1/key', () => {
  it.each([
    ['live', 'full', ['read', ...WRITE_SCOPES]],
    ['test', 'read,orders,stock', ['read', 'orders', 'stock']],
    ['live', 'read', ['read']],
  ] as const)('says what a %s key with the scope %s is', async (mode, scope, words) => {
    const key = await api.store.createKey(mode, scope);
    await setKey(key, `name = 'ERP', networks = '{127.0.0.0/8}', expires_at = '2999-01-01T00:00:00Z'`);

    const response = await api.get('/v1/key', bearer(key));

    const { id, subdomain } = api.store;
    expect([response.statusCode, response.json()]).toEqual([
      200,
      {
        success: true,
        data: {
          ...{ name: 'ERP', mode, scope: words, networks: ['127.0.0.0/8'], expires_at: '2999-01-01T00:00:00.000Z' },
          store: { id, name: expect.any(String) as string, subdomain, currency: 'USD', time_zone: 'UTC' },
          person: null,
        },
      },
    ]);
  });
});

interface Route {
  readonly method: string;
  readonly path: string;
  /** The key needs at least one of these. */
  readonly needs: readonly ScopeWord[] | undefined;
}

const READ_ONLY = ['GET', 'HEAD'];
const WORDS = [...WRITE_SCOPES, 'pricing', 'keys', 'settings'] as const;
const SCOPES: readonly ApiKeyScope[] = ['read', ...WORDS.map((word) => `read,${word}` as const), 'full'];

const NEEDED: readonly (readonly [RegExp, ...ScopeWord[]])[] = [
  [/^\/v1\/orders$/, 'orders'],
  [/^\/v1\/orders\/:id(?:$|\/(?:shipments|transitions|cancel|lines|hold|release|notes|mails)\b)/, 'fulfillment'],
  [/^\/v1\/orders\/:id\/(?:payments|refunds)\b/, 'payments'],
  [/^\/v1\/stock\b/, 'stock'],
  [/^\/v1\/prices$/, 'catalog'],
  [/^\/v1\/price-lists\b/, 'catalog'],
  [/^\/v1\/webhooks\b/, 'webhooks'],
  [/^\/v1\/keys\b/, 'keys'],
  [/^\/v1\/import\b/, 'catalog', 'customers', 'sales'],
  [/^\/v1\/customers\/:id(?:$|\/(?:personal-data|erase)$)/, 'customers'],
  [/^\/v1\/people\b/, 'team'],
  [/^\/v1\/(?:settings|audit)\b/, 'settings'],
];
const CLOSED_READS = /^\/v1\/(?:webhooks|keys|people|settings|audit|customers\/:id\/personal-data)\b/;

describe('the scopes of keys', () => {
  async function start(extension: Extension = {}, routes: Route[] = []) {
    const config = testConfig({ DATABASE_URL: api.database.url, LOG_LEVEL: 'silent', DATABASE_POOL_SIZE: '5' });
    const app = await createApp(config, api.database.url, new JsonLogger('silent'), extension);
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
      const { store } = await api.withStore();
      keys = new Map();
      for (const scope of SCOPES) keys.set(scope, await store.createKey('live', scope));
    });
    afterAll(() => app.close());

    const closed = () => routes.filter(({ path }) => path.startsWith('/v1'));
    const send = async ({ method, path }: Route, scope: ApiKeyScope, payload?: string) => {
      const { statusCode, headers, body } = await app.inject({
        method: method as 'GET',
        url: path.replace(/:\w+/g, '1'),
        headers: { ...bearer(keys.get(scope) ?? ''), 'content-type': 'application/json' },
        payload: READ_ONLY.includes(method) ? undefined : (payload ?? '{}'),
      });
      return { statusCode, code: headers['x-error-code'], body };
    };

    it('a key is refused, before its body is read, unless it has a word that the route needs', async () => {
      const wrong: unknown[] = [];
      for (const route of closed()) {
        for (const scope of SCOPES) {
          const isPermitted = !route.needs || permits(scope, ...route.needs);
          const refusal = JSON.stringify({ error: `API key lacks the scope ${route.needs?.join(' or ')}` });
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

    it('a read needs no more than any key, except of webhooks, keys, people, settings, the audit and personal data, and a write the word of its kind', () => {
      const expected = ({ method, path }: Route) =>
        (READ_ONLY.includes(method) && !CLOSED_READS.test(path)) || path === '/v1/orders/preview'
          ? undefined
          : NEEDED.find(([pattern]) => pattern.test(path))?.slice(1);

      expect(closed()).toEqual(closed().map((route) => ({ ...route, needs: expected(route) })));
    });

    it('the API document names the scope', async () => {
      const { paths } = withResponses((await app.inject('/openapi.json')).json<ApiDocument>());
      const written = closed().filter(({ method, needs }) => method !== 'HEAD' && (method !== 'GET' || needs));

      for (const { method, path, needs } of written) {
        const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
        const text = JSON.stringify(operation?.responses['403']);

        expect(operation).toMatchObject(needs ? { security: needs.map((word) => ({ bearer: [word] })) } : {});
        expect(text.includes('insufficient_scope')).toBe(needs !== undefined);
        expect(text.includes(`API key lacks the scope ${needs?.join(' or ')}`)).toBe(needs !== undefined);
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
      const { store } = await api.withStore();
      const statusOf = async (path: string, scope?: ApiKeyScope) => {
        const headers = scope && bearer(await store.createKey('live', scope));
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

const CLIENT = '198.51.100.7';
const FORGED = '203.0.113.9';
const [OUTER, INNER] = ['10.0.0.2', '10.0.0.1'];
const V6_CLIENT = '2001:db8::7';
const ADDRESSES = [CLIENT, FORGED, OUTER, INNER, V6_CLIENT];

type Row = readonly [peer: string, forwarded: string | null, seen: string];

const DIRECT: Row = [CLIENT, null, CLIENT];
const DIRECT_FORGED: Row = [CLIENT, FORGED, CLIENT];
/** A proxy adds the address of its peer to what the client claims. */
const ONE_PROXY: Row = [INNER, `${FORGED}, ${CLIENT}`, CLIENT];
const TWO_PROXIES: Row = [INNER, `${FORGED}, ${CLIENT}, ${OUTER}`, CLIENT];

describe('TRUST_PROXY', () => {
  it.each<[string, readonly Row[]]>([
    ['', [DIRECT, DIRECT_FORGED, [INNER, CLIENT, INNER]]],
    ['1', [DIRECT, ONE_PROXY, [INNER, `${FORGED}, ${CLIENT}, ${OUTER}`, OUTER], [INNER, V6_CLIENT, V6_CLIENT]]],
    ['2', [DIRECT, TWO_PROXIES, [INNER, CLIENT, CLIENT]]],
    // A client chooses its address, which is why the documentation warns of this form.
    ['true', [DIRECT, [INNER, CLIENT, CLIENT], [INNER, `${FORGED}, ${CLIENT}`, FORGED]]],
    [INNER, [DIRECT, DIRECT_FORGED, ONE_PROXY, [`::ffff:${INNER}`, `${FORGED}, ${CLIENT}`, CLIENT]]],
    ['10.0.0.0/8, fd00::/8', [DIRECT, DIRECT_FORGED, ONE_PROXY, TWO_PROXIES, ['fd00::1', CLIENT, CLIENT]]],
  ])('%s: limits keys by the address of the client', async (trustProxy, rows) => {
    const proxied = await startApi({ TRUST_PROXY: trustProxy }, undefined, api.database);
    try {
      const keys = new Map<string, string>();
      for (const address of ADDRESSES) {
        const key = await api.store.createKey();
        await setKey(key, `networks = '{${address}}'`);
        keys.set(address, key);
      }

      for (const [remoteAddress, forwarded, seen] of rows) {
        const accepted: string[] = [];
        for (const [address, key] of keys) {
          const headers = {
            ...bearer(key),
            ...(forwarded !== null && { 'x-forwarded-for': forwarded }),
          };
          const { statusCode } = await proxied.inject({ url: '/v1/store', remoteAddress, headers });
          if (statusCode === 200) accepted.push(address);
          else expect(statusCode).toBe(403);
        }
        expect([remoteAddress, forwarded, ...accepted]).toEqual([remoteAddress, forwarded, seen]);
      }
    } finally {
      await proxied.app.close();
    }
  });
});
