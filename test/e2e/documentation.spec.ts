import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { CHANGE_KINDS } from '@app/application';
import { withBundleImporter } from '@app/bundles';
import { DEMO_STORE, demoStore } from '@app/demo-store';
import { DataCipher, VERSION } from '@app/infrastructure';
import type { AnySchemaObject } from 'ajv/dist/2020.js';
import { chromium, type Browser, type Page } from 'playwright-core';
import { Demo } from '../../apps/api/src/start/demo.js';
import { allOrders, placeOrder, storeClient } from '@store-commerce/client';
import { GUIDES } from '../../tools/guides.mjs';
import { anOrderBody } from '../builders/order-body.js';
import {
  committedDocument,
  DocumentedAnswers,
  withResponses,
  type DocumentedResponse,
} from '../support/documented-answers.js';
import { BROWSER } from '../support/chromium.js';
import { FAINT_TEXTS } from '../support/faint-texts.js';
import { listen } from '../support/listen.js';
import { startApi, type RunningApi } from '../support/start-api.js';

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
  readonly webhooks: Record<string, { readonly post: Operation }>;
  readonly components: Record<'schemas' | 'securitySchemes', Record<string, AnySchemaObject>> & {
    readonly headers: DocumentedResponse['headers'];
  };
}

const ROOT = join(__dirname, '../..');
const EXAMPLE = 'examples/quick-start.ts';
const run = promisify(execFile);

let api: RunningApi;
let origin: string;
let document: Document;
let answers: DocumentedAnswers;
beforeAll(async () => {
  api = await startApi();
  origin = `http://127.0.0.1:${await listen(api.app)}`;
  document = withResponses((await api.inject({ url: '/openapi.json' })).json<Document>());
  answers = new DocumentedAnswers(document);
});
afterAll(() => api.stop());

describe('the demo store', () => {
  it('finishes a first load that was interrupted the day before', async () => {
    const { url } = api.database;
    const yesterday = new Date(new Date().getTime() - 86_400_000);
    await withBundleImporter(url, api.app.get(DataCipher), (importer) =>
      importer.importObjects(demoStore({ now: yesterday })),
    );
    await api.database.query('UPDATE stores SET created_at = $2 WHERE subdomain = $1', [DEMO_STORE, yesterday]);

    expect(await new Demo(api.app, url).loadOnce()).toBe(true);
  });
});

describe('the OpenAPI document', () => {
  /** The routes of the API in Fastify's tree, in which a line such as "│   └── /:id (GET, HEAD)" ends a path. */
  const routesOf = (tree: string): string[] => {
    const parts: string[] = [];
    return tree.split('\n').flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (\S+) \((.+)\)/.exec(line) ?? [];
      parts.splice(indent.length / 4, Infinity, part);
      const path = parts.join('').replace(/:(\w+)/g, '{$1}');
      if (!path.startsWith('/v1')) return [];
      return methods
        .split(', ')
        .filter((method) => method !== 'HEAD')
        .map((method) => `${method} ${path}`);
    });
  };
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
    );
  const operationOf = (route: string) =>
    operations().find((candidate) => candidate.route === route)?.operation as Operation;

  it('contains every route of the API, and no other', () => {
    const routes = routesOf(api.app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false }));

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

  it('gives the schema of every success a name, and one of its kind to every change', () => {
    const { schemas } = document.components;
    for (const { route, operation } of operations())
      for (const [status, { content }] of Object.entries(operation.responses).filter(([each]) => each.startsWith('2')))
        expect([route, status, content['application/json']?.schema]).toEqual([
          route,
          status,
          { $ref: expect.stringMatching(/^#\/components\/schemas\/[A-Z][A-Za-z]+(Answer|Page)$/) as string },
        ]);
    const { mapping } = schemas['Change']?.['discriminator'] as { mapping: Record<string, string> };
    expect(Object.keys(mapping)).toEqual(CHANGE_KINDS);
    for (const [kind, place] of Object.entries(mapping))
      expect([kind, schemas[place.replace(/.*\//, '')]]).toMatchObject([
        kind,
        { properties: { kind: { enum: [kind] } } },
      ]);
  });

  it('is served in OpenAPI 3.0, too, with the same operations, and valid', async () => {
    const older = (await api.inject({ url: '/openapi-3.0.json' })).json<Document>();
    const directory = mkdtempSync(join(tmpdir(), 'openapi-'));
    writeFileSync(join(directory, 'openapi.json'), JSON.stringify(older));
    const redocly = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');
    const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

    const lint = run(process.execPath, [redocly, 'lint', 'openapi.json'], { cwd: directory, env });

    await expect(lint).resolves.toBeDefined();
    rmSync(directory, { recursive: true });
    expect(older.openapi).toBe('3.0.3');
    const idsOf = ({ paths }: Document) =>
      Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(idsOf(older)).toEqual(idsOf(document));
  });

  it('documents 404 for every path with a resource id, except for a PUT, which creates the resource', () => {
    for (const { route, operation } of operations()) {
      expect([route, '404' in operation.responses]).toEqual([route, route.includes('}') && !route.startsWith('PUT ')]);
    }
    expect(Object.keys(operationOf('POST /v1/orders').responses)).toEqual(expect.arrayContaining(['409', '422']));
  });

  it('describes each answer without a success once, with its headers', async () => {
    const { paths } = (await api.inject({ url: '/openapi.json' })).json<Document>();
    const described = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ responses }) => Object.entries(responses))
      .filter(([status, response]) => !status.startsWith('2') && !('$ref' in response))
      .map(([status, response]) => `${status} ${JSON.stringify(response)}`);

    expect(new Set(described).size).toBe(described.length);
    for (const { route, operation } of operations())
      for (const [status, { headers }] of Object.entries(operation.responses))
        expect([route, status, Object.keys(headers)]).toEqual([
          route,
          status,
          expect.arrayContaining(['X-Request-Id', ...(status >= '400' ? ['X-Error-Code'] : [])]),
        ]);
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

    expect(documented('GET /v1/skus')).toEqual([
      'sku',
      'product_id',
      ...['in_stock', 'out_of_stock', 'low_stock'],
      'search',
      ...['updated_from', 'updated_to', 'include', 'customer_id'],
      'warehouses',
      'sort',
      'limit',
      'page',
      'format',
    ]);
    expect(documented('GET /v1/changes')).toEqual(['cursor', 'from', 'kinds', 'is_test', 'wait', 'limit']);
    expect(documented('GET /v1/store')).toEqual([]);
    expect(refusals('GET /v1/orders')).toContain('held must be true or false');
    expect(refusals('GET /v1/skus')).toContain('sku must have at most 100 values');
  });

  it('contains the smallest order, one with everything and one that is refused, as they match the schema', async () => {
    const { examples = {} } = operationOf('POST /v1/orders').requestBody?.content['application/json'] as Media;
    for (const { value } of Object.values(examples))
      expect(answers.faults(['components', 'schemas', 'CreateOrderRequest'], value)).toEqual([]);

    const product_id = await api.store.product({ stock: 5, sku: 'LKM-KIT-010' });
    const placed = Object.entries(examples).map(async ([name, { value }]) => {
      const { items, ...order } = value as { items: { readonly product_id?: number }[] };
      const lines = items.map((item) => ({ ...item, ...(item.product_id && { product_id }) }));
      const { statusCode, headers } = await api.post('/v1/orders', { ...order, items: lines });
      return [name, statusCode, headers['x-error-code']];
    });
    expect(await Promise.all(placed)).toEqual([
      ['body', 201, undefined],
      ['bySku', 201, undefined],
      ['refused', 422, 'out_of_stock'],
    ]);
  });

  it('names the public address of the installation, which generated clients need', async () => {
    const installed = await startApi({ PUBLIC_URL: 'https://shop.example' });
    const { servers } = (await installed.inject({ url: '/openapi.json' })).json<{ servers: { url: string }[] }>();
    await installed.stop();

    expect(servers.map(({ url }) => url)).toEqual(['https://shop.example', '/']);
  });

  it('says where to get a key', () => {
    expect(document.components.securitySchemes['bearer']?.['description']).toContain('store-commerce keys create');
  });

  it('equals docs/openapi.json (npm run generate writes it)', () => {
    expect(committedDocument()).toEqual(document);
  });
});

/** Members with an amount of money. `total` is missing: it is an amount in orders and a number of rows in lists. */
const MONEY = /amount$|price$|^line_total$|^subtotal$|_spent$/;

type Member = Readonly<Record<string, unknown>>;

describe('the examples of the OpenAPI document', () => {
  function* nodes(value: unknown = document, place: readonly string[] = []): Generator<[Member, readonly string[]]> {
    if (typeof value !== 'object' || value === null) return;
    yield [value as Member, place];
    for (const [key, member] of Object.entries(value)) {
      if (key !== 'examples') yield* nodes(member, [...place, key]);
    }
  }
  const valuesOf = (examples: unknown): unknown[] =>
    Array.isArray(examples) ? examples : Object.values(examples as Record<string, Member>).map(({ value }) => value);

  it('cover every answer, parameter and header', () => {
    const answersAndMore = [...nodes()].filter(([, place]) => {
      const [name, parent, above] = [...place].reverse();
      const isPart = name === 'schema' && ['parameters', 'headers'].includes(above ?? '');
      return isPart || (name === 'application/json' && parent === 'content' && above !== 'requestBody');
    });

    expect(answersAndMore.length).toBeGreaterThan(100);
    for (const [node, place] of answersAndMore)
      expect([place, valuesOf(node['examples'] ?? [])]).not.toEqual([place, []]);
  });

  it('match their schemas', () => {
    for (const [node, place] of nodes()) {
      if (node['examples'] === undefined) continue;
      const schema = 'schema' in node ? [...place, 'schema'] : place;
      for (const value of valuesOf(node['examples'])) {
        expect([place, answers.faults(schema, value)]).toEqual([place, []]);
      }
    }
  });

  it('are also beside the schemas of bodies and path parameters, where tools that send requests look', () => {
    const sent = [...nodes()].filter(
      ([node, place]) =>
        (place.at(-2) === 'parameters' && node['in'] === 'path') ||
        (place.at(-1) === 'application/json' && place.includes('requestBody')),
    );

    expect(sent.length).toBeGreaterThan(5);
    for (const [node, place] of sent) {
      const [example] = [node['example'] ?? [], ...valuesOf(node['examples'] ?? [])].flat();
      expect([place, answers.faults([...place, 'schema'], example)]).toEqual([place, []]);
    }
  });

  it('fail the check when they do not match their schema', () => {
    const schema = ['components', 'schemas', 'Pagination'];

    expect(answers.faults(schema, { total: '137', page: 1, limit: 50, more: true })).toEqual([
      ' must NOT have additional properties',
      '/total must be integer',
    ]);
  });
});

describe('every amount of money in the OpenAPI document', () => {
  it('has its unit in its description, and 64 bits in minor units', () => {
    const units = new Map<string, string | undefined>();
    const formats = new Set<unknown>();
    const visit = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [name, member] of Object.entries(schema as Record<string, Member | null>)) {
        if (MONEY.test(name) && typeof member === 'object')
          units.set(name, /In (minor|major) units/.exec(String(member?.['description']))?.[1]);
        if (/minor units/i.test(String(member?.['description'])) && member?.['type'] === 'integer')
          formats.add(member['format']);
        visit(member);
      }
    };
    visit(Object.values(document.components.schemas));
    expect([...formats]).toEqual(['int64']);

    expect(Object.fromEntries(units)).toEqual({
      amount: 'minor',
      total_amount: 'minor',
      ...{ tax_amount: 'minor', shipping_amount: 'minor', discount_amount: 'minor', adjustment_amount: 'minor' },
      cancelled_amount: 'minor',
      unit_price: 'minor',
      line_total: 'minor',
      total_spent: 'minor',
      price: 'major',
      subtotal: 'major',
    });
  });
});

describe('the documentation', () => {
  it.each([
    ['no header', undefined],
    ['curl', '*/*'],
    ['a client of JSON', 'application/json, text/plain, */*'],
    ['a client that excludes HTML', 'text/html;q=0, */*'],
    ['a client that prefers JSON', 'text/html;q=0.5, application/json'],
    ['a client of neither', 'image/png'],
  ])('returns its paths at /, without a key, for %s', async (_, accept) => {
    const { statusCode, headers, body } = await api.inject({ url: '/', headers: accept ? { accept } : {} });

    expect([statusCode, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(headers.vary).toBe('Accept');
    expect(JSON.parse(body)).toEqual({
      name: 'Store Commerce API',
      version: VERSION,
      documentation: '/docs',
      openapi: '/openapi.json',
    });
  });

  it.each(['text/html', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'])(
    'redirects a browser, which accepts %s, from / to the dashboard',
    async (accept) => {
      const { statusCode, headers } = await api.inject({ url: '/', headers: { accept } });

      expect([statusCode, headers.location, headers.vary]).toEqual([302, './dashboard/', 'Accept']);
    },
  );

  it('serves a documentation page that loads nothing from another host', async () => {
    const page = await api.get('/docs');
    expect(page.headers['content-type']).toContain('text/html');
    const assets = [...page.body.matchAll(/(?:src|href)=["']([^"']+)["']/g)].map(([, asset = '']) => asset);

    expect(assets.length).toBeGreaterThan(3);
    for (const asset of assets) {
      expect(asset).not.toMatch(/^(https?:)?\/\//);
      expect([asset, (await api.get(new URL(asset, 'http://x/docs').pathname)).statusCode]).toEqual([asset, 200]);
    }
    expect(page.body).not.toMatch(/<script(?![^>]*src)/);
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Store Commerce API' } });
  });
});

/** Returns the targets of the page's links. */
function tableOfContents(page: string): string[] {
  const [, contents = ''] = /<nav aria-label="Contents">(.+?)<\/nav>/.exec(page) ?? [];
  return [...contents.matchAll(/href="([^"]+)"/g)].map(([, target = '']) => target);
}

describe('the files of the API reference', () => {
  const guides = GUIDES.map(({ name }) => name);
  let assets: string[];
  beforeAll(async () => {
    const { body } = await api.inject({ url: '/docs/' });
    assets = [...body.matchAll(/(?:src|href)="\.\/([^"]+\?v=[^"]+)"/g)].map(([, asset]) => `/docs/${asset}`);
  });
  it('are cached for a year at the URLs that the page contains', async () => {
    expect(assets).toHaveLength(5);
    for (const url of assets) {
      const { headers } = await api.inject({ url });
      expect([url, headers['cache-control']]).toEqual([url, 'public, max-age=31536000, immutable']);
    }
  });

  it.each([
    '/docs',
    '/docs/',
    '/docs/guide',
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui-bundle.js?v=old',
    '/openapi.json',
    '/openapi-3.0.json',
  ])('include %s, which is revalidated each time and returns 304 while it is unchanged', async (url) => {
    const first = await api.inject({ url });
    const etag = String(first.headers.etag);
    expect([first.statusCode, first.headers['cache-control']]).toEqual([200, 'no-cache']);

    for (const known of [etag, `W/${etag}`]) {
      const again = await api.inject({ url, headers: { 'if-none-match': known } });
      expect([known, again.statusCode, again.body, again.headers.etag]).toEqual([known, 304, '', etag]);
    }
    expect((await api.inject({ url, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('are compressed as %s for clients that accept it, with a tag of the encoding', async (coding, decompress) => {
    const pages = [
      '/docs',
      '/docs/',
      '/docs/search',
      '/openapi.json',
      '/openapi-3.0.json',
      ...guides.map((name) => `/docs/${name}`),
    ];
    for (const url of [...pages, ...assets]) {
      const as = (headers: Record<string, string>) => api.inject({ url, headers });
      const plain = await as({});
      const compressed = await as({ 'accept-encoding': coding });
      const etag = String(plain.headers.etag).replace(/"$/, `-${coding}"`);

      expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding' });
      expect(plain.headers).not.toHaveProperty('content-encoding');
      expect([url, compressed.headers]).toMatchObject([
        url,
        { etag, 'content-encoding': coding, 'content-length': `${compressed.rawPayload.length}` },
      ]);
      for (const name of ['vary', 'content-type', 'cache-control', 'content-security-policy'])
        expect([url, name, compressed.headers[name]]).toEqual([url, name, plain.headers[name]]);
      expect(compressed.rawPayload.length).toBeLessThan(plain.rawPayload.length);
      expect(decompress(compressed.rawPayload).equals(plain.rawPayload)).toBe(true);
      expect((await as({ 'accept-encoding': coding, 'if-none-match': etag })).statusCode).toBe(304);
      expect((await as({ 'if-none-match': etag })).statusCode).toBe(200);
    }
  });

  it.each(guides)(
    'include the guide %s as HTML whose links and anchors all lead to something, and which runs no script',
    async (name) => {
      const { body, headers } = await api.inject({ url: `/docs/${name}` });
      const links = [...body.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href);
      const pages = links.map((href) => new URL(href, `http://x/docs/${name}`)).filter(({ host }) => host === 'x');

      expect(headers['content-type']).toContain('text/html');
      expect(headers['content-security-policy']).not.toMatch(/script-src|unsafe/);
      expect(pages.length).toBeGreaterThan(8);
      expect(tableOfContents(body)).toEqual([...body.matchAll(/<h[23] id="([^"]+)"/g)].map(([, id]) => `#${id}`));
      for (const { pathname, hash } of pages) {
        const linked = await api.inject({ url: pathname });
        expect([pathname, linked.statusCode]).toEqual([pathname, 200]);
        if (hash) expect(linked.body.split(` id="${hash.slice(1)}"`)).toHaveLength(2);
      }
    },
  );

  it('include a search whose policy permits one script, and no element that is made from a text', async () => {
    const { body, headers } = await api.inject({ url: '/docs/search' });
    const titles = GUIDES.map(({ name }) => name);

    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; " +
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(body).not.toMatch(/<script(?![^>]*src)/);
    const headings = [...body.matchAll(/<li><a href="\.\/([^"]+)">/g)].map(([, target = '']) => target);
    expect(headings.filter((target) => !target.includes('#'))).toEqual(titles);
    for (const name of titles) {
      const page = await api.inject({ url: `/docs/${name}` });
      const found = headings
        .filter((target) => target.startsWith(`${name}#`))
        .map((target) => target.replace(name, ''));
      expect(found).toEqual(tableOfContents(page.body));
    }
  });

  it.each([
    '/docs/package.json',
    '/docs/swagger-ui-bundle.js.map',
    '/docs/../package.json',
    '/docs/LICENSE-swagger-ui',
  ])('do not include %s', async (url) => {
    expect((await api.inject({ url })).statusCode).toBe(404);
  });
});

describe('the client', () => {
  const program = (file: string, ...args: string[]) =>
    run(process.execPath, [join(ROOT, file), ...args], { cwd: ROOT });

  it('has the types of docs/openapi.json (npm run generate writes them)', async () => {
    const { stdout } = await program(
      'node_modules/openapi-typescript/bin/cli.js',
      'docs/openapi.json',
      '--default-non-nullable=false',
    );

    // Prettier changes only white space, quotes, commas and semicolons.
    const essence = (source: string) => source.replace(/[\s;,'"|()]/g, '');
    expect(essence(readFileSync(join(ROOT, 'packages/client/src/api.ts'), 'utf8'))).toBe(essence(stdout));
  });

  it('places an order and lists it', async () => {
    const product = await api.store.product({ name: 'Runner', stock: 3 });
    const { stdout } = await program('node_modules/tsx/dist/cli.mjs', EXAMPLE, origin, api.store.key, `${product}`);

    const [, receipt = ''] = /^placed (\S+): /.exec(stdout) ?? [];
    expect(receipt).toMatch(/^WEB-/);
    expect(stdout).toMatch(new RegExp(`^${receipt} \\d+ minor units of USD$`, 'm'));
  });

  it('reports a wrong key in one line', async () => {
    const tsx = 'node_modules/tsx/dist/cli.mjs';
    const refused = program(tsx, EXAMPLE, origin, 'svc_live_wrong', '1');

    const line = /^401: Missing or invalid Authorization header \(request \S+\)\n$/;
    await expect(refused).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(line) as string });
  });

  it('reads every order once while others are placed', async () => {
    const placedAt = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n));
    const before: string[] = [];
    for (let n = 0; n < 105; n += 1) before.push(await api.store.order({ created_at: placedAt(n) }));
    const client = storeClient(origin, api.store.key);

    const read: string[] = [];
    for await (const { id } of allOrders(client)) {
      // The new order moves the last order of the first page to the start of the second.
      if (read.length === 0) await api.store.order();
      read.push(id);
    }

    expect(new Set(read).size).toBe(read.length);
    expect(read).toEqual(expect.arrayContaining(before));
  });

  describe('throws', () => {
    const ordering = (answer: Response) =>
      placeOrder(
        storeClient(origin, '', { send: () => Promise.resolve(answer.clone()), firstWaitMs: 1 }),
        { items: [], customer: { name: 'Ada' } },
        'cart-2',
      );

    it('an error with the status, the text and the request id', async () => {
      const order = anOrderBody(await api.store.product());
      const refused = placeOrder(storeClient(origin, api.store.key), order, 'cart-3');

      await expect(refused).rejects.toMatchObject({
        status: 422,
        requestId: expect.stringMatching(/^\S+$/) as string,
        message: expect.stringMatching(/^422: items\[0\]: requested 1, available 0 \(request \S+\)$/) as string,
      });
    });

    it.each([
      ['a page of HTML', '<html>Bad Gateway</html>'],
      ['an empty body', null],
      ['JSON of another form', 'null'],
    ])('an error that names a proxy when the answer is %s', async (_, body) => {
      const refused = ordering(new Response(body, { status: 502, headers: body ? {} : { 'Content-Length': '0' } }));

      await expect(refused).rejects.toMatchObject({
        status: 502,
        requestId: '',
        message: '502: the response comes from a proxy, not from the service',
      });
    });
  });
});

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Allows for the steps that lay out the whole reference, on a busy machine. */
const RENDERING_MS = 90_000;
const LIGHT = { colorScheme: 'light', background: 'rgb(255, 255, 255)' } as const;
const DARK = { colorScheme: 'dark', background: 'rgb(28, 32, 34)' } as const;
const describeInBrowser = BROWSER ? describe : describe.skip;

if (!BROWSER) process.stderr.write('The documentation page is not tested: no Chromium here; name one with CHROMIUM.\n');

describeInBrowser('the documentation page in a browser', () => {
  let browser: Browser;
  let product: number;

  beforeAll(async () => {
    product = await api.store.product({ name: 'Runner', stock: 3 });
    browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
  });

  const render = (title: string, test: () => Promise<void>) => it(title, test, RENDERING_MS);
  const backgroundOf = (page: Page) => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const overhangOf = (page: Page) =>
    page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - window.innerWidth)');

  // Chromium without a GPU lays out the reference for seconds, so each test continues where the previous one ended.
  describe.each([
    { device: 'a desktop in the light scheme', viewport: DESKTOP, ...LIGHT },
    { device: 'a phone in the dark scheme', viewport: PHONE, ...DARK },
  ])('on $device', ({ device, viewport, colorScheme, background }) => {
    let page: Page;
    const trouble: string[] = [];
    const operation = (id: string) => page.locator(`#operations-${id}`);
    const shot = (step: string) =>
      process.env.SHOTS ? page.screenshot({ path: `${process.env.SHOTS}/${device} ${step}.png` }) : undefined;

    beforeAll(async () => {
      page = await browser.newPage({ viewport, colorScheme });
      page.setDefaultTimeout(RENDERING_MS);
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) trouble.push(message.text());
      });
      page.on('pageerror', (error) => trouble.push(error.message));
      page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith(origin) && !url.startsWith('data:')) trouble.push(`asked for ${url}`);
      });
      await page.goto(`${origin}/docs`);
      await operation('Orders-createOrder').waitFor();
    });
    afterAll(() => page.close());

    render('shows the first operation with its summary and a link to the guide without scrolling', async () => {
      for (const place of [page.locator('.opblock').first(), page.getByRole('link', { name: 'Guides' }).first()]) {
        const box = await place.boundingBox();
        expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
      }
      expect(await operation('Products-listProducts').getByText('Active products, newest first').isVisible()).toBe(
        true,
      );
      await shot('first');
    });

    render(
      'names every field of an open operation and keeps the lines of the tables of the guides out of it',
      async () => {
        const products = operation('Products-listProducts');
        await products.locator('.opblock-summary').click();
        await products.locator('.responses-table').waitFor();

        const selects = products.getByRole('combobox');
        expect(await selects.count()).toBeGreaterThan(9);
        expect(await selects.and(page.locator(':not([aria-label])')).count()).toBe(0);
        expect(await products.getByRole('combobox', { name: 'in_stock' }).count()).toBe(1);
        const sides = await page.evaluate<string[]>(
          "[...document.querySelectorAll('#swagger-ui :is(th, td)')].map((cell) => getComputedStyle(cell).borderLeftWidth)",
        );
        expect(sides.length).toBeGreaterThan(9);
        expect(new Set(sides)).toEqual(new Set(['0px']));
      },
    );

    render(
      'makes a call with a key, without console errors, requests to other hosts or horizontal scrolling',
      async () => {
        await page.getByRole('button', { name: 'Authorize' }).first().click();
        await page.locator('.auth-container input').fill(api.store.key);
        await page.locator('.auth-container').getByRole('button', { name: 'Apply credentials' }).click();
        await page.getByRole('button', { name: 'Close' }).click();
        const products = operation('Products-listProducts');
        await products.getByRole('button', { name: 'Try it out' }).click();
        await products.getByRole('button', { name: 'Execute' }).click();
        const answer = await products.locator('.live-responses-table tbody .response-col_description').innerText();

        await shot('tried');
        expect(answer).toContain(`"id": "${product}"`);
        expect(trouble).toEqual([]);
        expect(await overhangOf(page)).toBe(0);
      },
    );

    render('shows the key in no command and keeps it in memory only', async () => {
      expect(await page.locator('.curl-command .curl').innerText()).toContain("-H 'Authorization: Bearer <API key>'");
      expect(await page.content()).not.toContain(api.store.key);
      const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])');
      expect(kept).not.toContain(api.store.key);
    });

    render('shows the webhooks, with what their receivers answer', async () => {
      const webhooks = page.locator('.webhooks .opblock');
      await webhooks.first().locator('.opblock-summary-control').dispatchEvent('click');
      await webhooks.first().locator('.responses-table').waitFor();

      const messages = Object.values(document.webhooks).map(({ post }) => post.summary);
      expect(await webhooks.locator('.opblock-summary-description').allInnerTexts()).toEqual(messages);
      const answers = webhooks.first().locator('tbody .response-col_status');
      expect(await answers.allInnerTexts()).toEqual(['410', '429', '2XX']);
    });

    render('has enough contrast in an answer, the dialog of the key, open operations and a schema', async () => {
      for (const method of ['patch', 'delete'])
        await page.locator(`.opblock-${method} .opblock-summary-control`).first().dispatchEvent('click');
      await page.locator('.opblock-delete').getByRole('button', { name: 'Try it out' }).dispatchEvent('click');
      await page.locator('.models .json-schema-2020-12-expand-deep-button').first().dispatchEvent('click');
      await page.getByRole('button', { name: 'Authorize' }).first().dispatchEvent('click');
      await page.locator('.auth-container').waitFor();

      expect(await page.evaluate<string[]>(FAINT_TEXTS)).toEqual([]);
      expect(await backgroundOf(page)).toBe(background);
      await page.getByRole('button', { name: 'Close' }).dispatchEvent('click');
    });

    // This is the same on every device.
    if (viewport === DESKTOP) {
      render('opens the operation that its address names, and starts an order with a key of its own', async () => {
        await page.goto(`${origin}/docs#/Orders/createOrder`);
        await page.reload();
        const createOrder = operation('Orders-createOrder');
        await createOrder.getByRole('button', { name: 'Try it out' }).click();

        expect(await createOrder.getByPlaceholder('Idempotency-Key').inputValue()).toMatch(/^[0-9a-f-]{36}$/);
        expect(await createOrder.getByPlaceholder('Prefer').inputValue()).toBe('');
      });

      render('finds operations by a part of their path', async () => {
        await page.getByPlaceholder('Filter operations').fill('refunds');
        await operation('Products-listProducts').waitFor({ state: 'detached' });

        expect(await page.locator('.opblock-summary-path:visible').allInnerTexts()).toEqual([
          expect.stringMatching(/refunds$/),
          ...Object.keys(document.webhooks).map(() => expect.any(String) as string),
        ]);
        await page.getByPlaceholder('Filter operations').fill('');
      });

      render('forgets the key when it is loaded again', async () => {
        await page.reload();
        await operation('Orders-createOrder').waitFor();
        await page.getByRole('button', { name: 'Authorize' }).first().click();

        expect(await page.locator('.auth-container input').inputValue()).toBe('');
        await page.getByRole('button', { name: 'Close' }).click();
      });
    }

    render('has guides and a search with enough contrast, without horizontal scrolling', async () => {
      await page.getByRole('link', { name: 'Guides' }).first().click();
      expect(await page.locator('h1').innerText()).toBe('Integration guide');
      const readable = async () => [
        await page.evaluate<string[]>(FAINT_TEXTS),
        await backgroundOf(page),
        await overhangOf(page),
      ];
      expect(await readable()).toEqual([[], background, 0]);

      await page.getByRole('link', { name: 'Payments and refunds' }).first().click();
      await page.getByRole('heading', { name: 'The amounts of an order' }).waitFor();
      await shot('guide');
      expect(await readable()).toEqual([[], background, 0]);

      await page.getByRole('link', { name: 'Search', exact: true }).click();
      await page.getByLabel('Words of a heading').fill('which units');
      await shot('search');
      expect(await readable()).toEqual([[], background, 0]);
      expect(await page.locator('#headings li:visible').allInnerTexts()).toEqual([
        'Payments and refunds: Which units a refund is for',
      ]);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/docs/payments#which-units-a-refund-is-for');
      expect(trouble).toEqual([]);
    });
  });
});
