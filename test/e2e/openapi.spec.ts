import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AnySchemaObject } from 'ajv/dist/2020.js';
import type { InjectOptions } from 'fastify';
import { createApp } from '../../apps/api/src/create-app.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { committedDocument, DocumentedAnswers, type DocumentedResponse } from '../support/documented-answers.js';
import { testConfig } from '../support/test-config.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

interface Media {
  readonly schema: AnySchemaObject;
  readonly examples?: Record<string, { readonly value: unknown }>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: AnySchemaObject;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Record<string, Media> };
  readonly responses: Record<
    string,
    { readonly headers: DocumentedResponse['headers']; readonly content: Record<string, Media> }
  >;
}

interface Document {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  readonly security: readonly object[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: Record<'schemas' | 'securitySchemes', Record<string, AnySchemaObject>> & {
    readonly headers: DocumentedResponse['headers'];
  };
}

const SOME_UUID = '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f';

describe('the OpenAPI document', () => {
  let database: TestDatabase;
  let store: StoreFixture;
  let app: NestFastifyApplication;
  let document: Document;
  let answers: DocumentedAnswers;
  const routes: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    store = await StoreFixture.create(database);
    app = await createApp(testConfig({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' }), database.url);
    const fastify = app.getHttpAdapter().getInstance();
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const name of [method].flat()) {
        if (url.startsWith('/v1') && name !== 'HEAD') routes.push(`${name} ${url.replace(/:(\w+)/g, '{$1}')}`);
      }
    });
    await app.init();
    await fastify.ready();
    document = (await app.inject('/openapi.json')).json<Document>();
    answers = new DocumentedAnswers(document);
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  const send = (options: InjectOptions, key = store.key) =>
    app.inject({ ...options, headers: { authorization: `Bearer ${key}`, ...options.headers } });
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
    );
  const operationOf = (route: string) =>
    operations().find((candidate) => candidate.route === route)?.operation as Operation;

  it('contains every route of the API, and no other', () => {
    const documented = operations().map(({ route }) => route);

    expect(documented.sort()).toEqual(routes.sort());
    expect(documented.length).toBeGreaterThan(11);
  });

  it('gives every operation a summary, a tag, a unique id and the common errors', () => {
    const tags = document.tags.map(({ name }) => name);
    for (const { route, operation } of operations()) {
      expect([route, operation.summary]).not.toEqual([route, '']);
      expect([route, tags.includes(operation.tags[0] ?? '')]).toEqual([route, true]);
      expect([route, Object.keys(operation.responses)]).toEqual([
        route,
        expect.arrayContaining(['400', '401', '403', '429', '500', '503']),
      ]);
    }
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(document.openapi).toBe('3.1.0');
    expect(document.security).toEqual([{ bearer: [] }]);
    expect(document.components.securitySchemes['bearer']).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect(document.components.securitySchemes['bearer']?.['bearerFormat']).toContain('svc_live_');
  });

  it('documents 404 for every path that ends in a resource id', () => {
    for (const { route, operation } of operations()) {
      expect([route, '404' in operation.responses]).toEqual([route, route.endsWith('}')]);
    }
    expect(Object.keys(operationOf('POST /v1/orders').responses)).toEqual(expect.arrayContaining(['409', '422']));
  });

  it('documents ETag for the reads that take If-None-Match, and for no other', () => {
    const conditional = operations().filter(({ operation }) =>
      operation.parameters.some(({ name }) => name === 'If-None-Match'),
    );
    const tagged = operations().filter(({ operation }) => 'ETag' in (operation.responses['200']?.headers ?? {}));

    expect(tagged.map(({ route }) => route)).toEqual(conditional.map(({ route }) => route));
    expect(tagged.length).toBeGreaterThan(9);
  });

  it('contains the query parameters that the routes read, and their refusals', () => {
    const documented = (route: string) =>
      operationOf(route)
        .parameters.filter((parameter) => parameter.in === 'query')
        .map(({ name }) => name);
    const refusals = (route: string) =>
      Object.keys(operationOf(route).responses['400']?.content['application/json']?.examples ?? {});

    expect(documented('GET /v1/skus')).toEqual(['sku', 'product_id', 'in_stock', 'search', 'limit', 'page']);
    expect(documented('GET /v1/changes')).toEqual(['cursor', 'kinds', 'wait', 'limit']);
    expect(documented('GET /v1/store')).toEqual([]);
    expect(refusals('GET /v1/orders')).toContain('held must be true or false');
    expect(refusals('GET /v1/skus')).toContain('sku must have at most 100 values');
  });

  it('contains an example order that matches its schema and can be placed', async () => {
    const { examples = {} } = operationOf('POST /v1/orders').requestBody?.content['application/json'] as Media;
    const example = examples['body']?.value as { items: object[] };
    expect(answers.faults(['components', 'schemas', 'CreateOrderRequest'], example)).toEqual([]);

    const product_id = await store.product({ stock: 5 });
    const payload = { ...example, items: [{ ...example.items[0], product_id }] };
    expect((await send({ method: 'POST', url: '/v1/orders', payload })).statusCode).toBe(201);
  });

  it('equals docs/openapi.json (npm run openapi writes it)', () => {
    expect(committedDocument()).toEqual(document);
  });

  it('describes the bodies and headers of the answers', async () => {
    const brand = await store.brand();
    const parent = await store.category();
    const category = await store.category({ parent_id: parent });
    const product = await store.product({ brandId: brand, categoryIds: [category], stock: 10 });
    const variant = await store.variant(product, { attributes: { Size: '42' }, stock: 3 });
    const plain = await store.product({ stock: 1 });
    const customer = await store.customer({ last_login: new Date() });
    await store.customer();
    const imported = await store.order();
    await store.orderLine(imported);
    const payload = { items: [{ product_id: product, variant_id: variant, quantity: 2 }], customer: { name: 'Ada' } };
    const tooMany = { ...payload, items: [{ product_id: plain, quantity: 5 }] };
    const headers = { 'idempotency-key': 'once' };

    const placed = await send({ method: 'POST', url: '/v1/orders', payload, headers });
    const { order_id } = placed.json<{ data: { order_id: string } }>().data;
    const post = (more: object): InjectOptions => ({ method: 'POST', url: '/v1/orders', payload, ...more });
    const exchanges: [string, number, InjectOptions, string?][] = [
      ['GET /v1/orders', 200, { url: '/v1/orders?limit=7' }],
      ['GET /v1/orders', 200, { url: '/v1/orders?statsu=1' }],
      ['GET /v1/orders', 400, { url: '/v1/orders?statsu=1', headers: { prefer: 'handling=strict' } }],
      ['GET /v1/orders', 401, { url: '/v1/orders' }, 'nothing'],
      ['GET /v1/orders/{id}', 200, { url: `/v1/orders/${order_id}` }],
      ['GET /v1/orders/{id}', 200, { url: `/v1/orders/${imported}` }],
      ['GET /v1/orders/{id}', 404, { url: `/v1/orders/${SOME_UUID}` }],
      ['POST /v1/orders', 201, post({ headers })],
      ['POST /v1/orders', 400, post({ payload: {} })],
      ['POST /v1/orders', 401, post({}), 'nothing'],
      ['POST /v1/orders', 422, post({ payload: tooMany })],
      ['POST /v1/orders', 422, post({ payload: tooMany, headers })],
      ['GET /v1/products', 200, { url: '/v1/products' }],
      ['GET /v1/products/{idOrSlug}', 200, { url: `/v1/products/${product}` }],
      ['GET /v1/products/{idOrSlug}', 200, { url: `/v1/products/${plain}` }],
      ['GET /v1/products/{idOrSlug}', 404, { url: '/v1/products/0?statsu=1' }],
      ['GET /v1/skus', 200, { url: '/v1/skus' }],
      ['GET /v1/skus', 400, { url: `/v1/skus?sku=${'x,'.repeat(101)}` }],
      ['GET /v1/customers', 200, { url: '/v1/customers' }],
      ['GET /v1/customers/{id}', 200, { url: `/v1/customers/${customer}` }],
      ['GET /v1/customers/{id}', 404, { url: '/v1/customers/0' }],
      ['GET /v1/categories', 200, { url: '/v1/categories' }],
      ['GET /v1/categories/{idOrSlug}', 200, { url: `/v1/categories/${category}` }],
      ['GET /v1/categories/{idOrSlug}', 404, { url: '/v1/categories/0' }],
      ['GET /v1/brands', 200, { url: '/v1/brands' }],
      ['GET /v1/brands/{idOrSlug}', 200, { url: `/v1/brands/${brand}` }],
      ['GET /v1/brands/{idOrSlug}', 404, { url: '/v1/brands/0' }],
      ['GET /v1/store', 200, { url: '/v1/store' }],
    ];
    for (const [route, status, options, key] of exchanges) {
      const response = await send(options, key);

      expect([route, response.statusCode]).toEqual([route, status]);
      const [method = '', path = ''] = route.split(' ');
      const answer = { method, path, status, headers: response.headers, body: response.json<unknown>() };
      expect([route, status, answers.contradictions(answer)]).toEqual([route, status, []]);
    }
  });
});
