import { existsSync } from 'node:fs';
import { VERSION } from '@app/infrastructure';
import type { AnySchemaObject } from 'ajv/dist/2020.js';
import { chromium, type Browser, type Page } from 'playwright-core';
import { committedDocument, DocumentedAnswers, type DocumentedResponse } from '../support/documented-answers.js';
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
  readonly components: Record<'schemas' | 'securitySchemes', Record<string, AnySchemaObject>> & {
    readonly headers: DocumentedResponse['headers'];
  };
}

let api: RunningApi;
let document: Document;
let answers: DocumentedAnswers;
beforeAll(async () => {
  api = await startApi();
  document = (await api.inject({ url: '/openapi.json' })).json<Document>();
  answers = new DocumentedAnswers(document);
});
afterAll(() => api.stop());

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

  it('documents 404 for every path with a resource id', () => {
    for (const { route, operation } of operations()) {
      expect([route, '404' in operation.responses]).toEqual([route, route.includes('}')]);
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

    expect(documented('GET /v1/skus')).toEqual([
      'sku',
      'product_id',
      'in_stock',
      'search',
      'warehouses',
      'limit',
      'page',
    ]);
    expect(documented('GET /v1/changes')).toEqual(['cursor', 'kinds', 'is_test', 'wait', 'limit']);
    expect(documented('GET /v1/store')).toEqual([]);
    expect(refusals('GET /v1/orders')).toContain('held must be true or false');
    expect(refusals('GET /v1/skus')).toContain('sku must have at most 100 values');
  });

  it('contains an example order that matches its schema and can be placed', async () => {
    const { examples = {} } = operationOf('POST /v1/orders').requestBody?.content['application/json'] as Media;
    const example = examples['body']?.value as { items: object[] };
    expect(answers.faults(['components', 'schemas', 'CreateOrderRequest'], example)).toEqual([]);

    const product_id = await api.store.product({ stock: 5 });
    const payload = { ...example, items: [{ ...example.items[0], product_id }] };
    expect((await api.post('/v1/orders', payload)).statusCode).toBe(201);
  });

  it('equals docs/openapi.json (npm run generate writes it)', () => {
    expect(committedDocument()).toEqual(document);
  });
});

/** Members with an amount of money. `total` is missing: it is an amount in orders and a number of rows in lists. */
const MONEY = /amount$|price$|^line_total$|^subtotal$|_spent$/;

type Member = Readonly<Record<string, unknown>>;

describe('the examples of the OpenAPI document', () => {
  /** Every object of the document with its path. */
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
  it('has its unit in its description', () => {
    const units = new Map<string, string | undefined>();
    const visit = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [name, member] of Object.entries(schema as Record<string, Member | null>)) {
        if (MONEY.test(name)) units.set(name, /In (minor|major) units/.exec(String(member?.['description']))?.[1]);
        visit(member);
      }
    };
    visit(Object.values(document.components.schemas));

    expect(Object.fromEntries(units)).toEqual({
      amount: 'minor',
      total_amount: 'minor',
      ...{ tax_amount: 'minor', shipping_amount: 'minor', discount_amount: 'minor', adjustment_amount: 'minor' },
      unit_price: 'minor',
      line_total: 'minor',
      total_spent: 'minor',
      price: 'major',
      subtotal: 'major',
    });
  });
});

describe('the documentation', () => {
  it('returns the paths of its documentation at /, without a key', async () => {
    const { statusCode, headers, body } = await api.inject({ url: '/' });

    expect([statusCode, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(body)).toEqual({
      name: 'Store Commerce API',
      version: VERSION,
      documentation: '/docs',
      openapi: '/openapi.json',
    });
    expect((await api.inject({ url: '/docs' })).statusCode).toBe(200);
    expect((await api.inject({ url: '/openapi.json' })).statusCode).toBe(200);
  });

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
    const document = (await api.get('/openapi.json')).json<Record<string, unknown>>();
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Store Commerce API' } });
  });
});

const BROWSER = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && existsSync(path),
);
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** For the steps that lay out the whole reference, on a busy machine. */
const RENDERING_MS = 90_000;
const LIGHT = { colorScheme: 'light', background: 'rgb(255, 255, 255)' } as const;
const DARK = { colorScheme: 'dark', background: 'rgb(28, 32, 34)' } as const;
const describeInBrowser = BROWSER ? describe : describe.skip;

if (!BROWSER) process.stderr.write('The documentation page is not tested: no Chromium here; name one with CHROMIUM.\n');

describeInBrowser('the documentation page in a browser', () => {
  let origin: string;
  let browser: Browser;
  let product: number;

  beforeAll(async () => {
    origin = `http://127.0.0.1:${await listen(api.app)}`;
    product = await api.store.product({ name: 'Runner', stock: 3 });
    browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
  });

  const render = (title: string, test: () => Promise<void>) => it(title, test, RENDERING_MS);
  const backgroundOf = (page: Page) => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  /** How far the content is wider than the window, in pixels. */
  const overhangOf = (page: Page) =>
    page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - window.innerWidth)');

  // Chromium without a GPU lays out the whole reference for seconds: each device opens it once, and each test goes on from
  // where the one before it ended.
  describe.each([
    { device: 'a desktop in the light scheme', viewport: DESKTOP, ...LIGHT },
    { device: 'a phone in the dark scheme', viewport: PHONE, ...DARK },
  ])('on $device', ({ device, viewport, colorScheme, background }) => {
    let page: Page;
    /** Errors of the console and requests to other hosts. */
    const trouble: string[] = [];
    const operation = (id: string) => page.locator(`#operations-${id}`);
    const shot = (step: string) =>
      process.env.SHOTS ? page.screenshot({ path: `${process.env.SHOTS}/${device} ${step}.png` }) : undefined;

    beforeAll(async () => {
      page = await browser.newPage({ viewport, colorScheme });
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
      for (const place of [
        page.locator('.opblock').first(),
        page.getByRole('link', { name: 'Integration guide' }).first(),
      ]) {
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

    // The same on every device.
    if (viewport === DESKTOP) {
      render('starts a call with its optional parameters empty', async () => {
        const createOrder = operation('Orders-createOrder');
        await createOrder.locator('.opblock-summary').click();
        await createOrder.getByRole('button', { name: 'Try it out' }).click();

        expect(await createOrder.getByPlaceholder('Idempotency-Key').inputValue()).toBe('');
      });

      render('forgets the key when it is loaded again', async () => {
        await page.reload();
        await operation('Orders-createOrder').waitFor();
        await page.getByRole('button', { name: 'Authorize' }).first().click();

        expect(await page.locator('.auth-container input').inputValue()).toBe('');
        await page.getByRole('button', { name: 'Close' }).click();
      });
    }

    render('leads to the guide, whose texts have enough contrast, without horizontal scrolling', async () => {
      await page.getByRole('link', { name: 'Integration guide' }).first().click();

      expect(await page.locator('h1').innerText()).toBe('Integration guide');
      expect(await page.evaluate<string[]>(FAINT_TEXTS)).toEqual([]);
      expect(await backgroundOf(page)).toBe(background);
      expect(await overhangOf(page)).toBe(0);
    });
  });
});
