import { ApiKeyRepository } from '@app/application';
import { parseApiKey } from '@app/domain';
import { JsonLogger } from '@app/infrastructure';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { InjectOptions } from 'fastify';
import { ApiModule } from '../../apps/api/src/api.module.js';
import { Metrics } from '../../apps/api/src/status/metrics.js';
import { KeyUsage } from '../../libs/infrastructure/src/access/key-usage.js';
import { testConfig } from '../support/test-config.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const MISSING = { error: 'Missing or invalid Authorization header' };

describe('authentication', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await startApi({ THROTTLE_PER_10S: '200' })));
  afterAll(() => api.stop());

  const ask = (authorization: string | string[] | undefined, url = '/v1/store') =>
    // The types of inject do not allow a repeated header.
    api.inject({ url, headers: authorization === undefined ? {} : { authorization: authorization as string } });
  const setKey = (key: string, assignment: string) =>
    api.database.query(`UPDATE api_keys SET ${assignment} WHERE last_four = $1 AND store_id = $2`, [
      key.slice(-4),
      api.store.id,
    ]);

  describe('returns 401', () => {
    /** A well-formed key with a correct checksum that no store has. */
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
      expect(response.json()).toEqual({ error: 'API key is deactivated or expired' });
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

    it('reads every resource, and gets 404 for paths that do not exist', async () => {
      for (const name of ['orders', 'products', 'customers', 'categories', 'brands', 'store']) {
        expect([name, (await ask(`Bearer ${key}`, `/v1/${name}`)).statusCode]).toEqual([name, 200]);
      }
      const post = { method: 'POST', url: '/v1/nope', headers: { authorization: `Bearer ${key}` } } as const;
      expect((await api.inject(post)).statusCode).toBe(404);
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
      for (const url of ['/health', '/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json']) {
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
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

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
    it('returns 429 for a key above the limit and serves other keys', async () => {
      const key = await api.store.createKey();
      const responses = await Promise.all(Array.from({ length: 210 }, () => ask(`Bearer ${key}`, '/v1/nope')));
      const refused = responses.filter(({ statusCode }) => statusCode === 429);

      expect(refused.length).toBeGreaterThanOrEqual(10);
      expect(refused[0]?.json()).toEqual({
        success: false,
        error: expect.stringContaining('Too many requests') as unknown,
      });
      expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect((await ask(`Bearer ${api.store.key}`)).statusCode).toBe(200);

      await api.app.get(KeyUsage, { strict: false }).flush();
      const [usage] = await api.app.get(ApiKeyRepository).listUsage(api.store.id, 2);
      expect(usage).toMatchObject({ requests: 210, throttled: refused.length });
    });
  });
});
