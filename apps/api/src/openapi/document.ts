import { Config, VERSION } from '@app/infrastructure';
import type { DocumentedWebhooks } from '@app/representations';
import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { PublicFile, serveFromMemory } from '../serve-from-memory.js';
import { COMMON_SCHEMAS, HEADERS } from './components.js';
import { documentationOf } from './documented.js';
import { nameAnswers } from './named-answers.js';
import { servePages } from './serve-pages.js';
import { addTables } from './tables.js';
import { shareResponses } from './shared-responses.js';
import { inVersion30 } from './version-3-0.js';

/** The description is short, so that the page shows the first operation without scrolling. */
const DESCRIPTION =
  "Read a store's orders, products, customers and stock. Place, ship, pay and refund orders. Change stock, prices and " +
  'the catalog. Send `Authorization: Bearer <API key>` with every request.';

export function serveDocumentation(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const document = once(() => openApiDocument(app));
  serveFromMemory(fastify, '/openapi.json', document);
  serveFromMemory(
    fastify,
    '/openapi-3.0.json',
    once(() => inVersion30(String(document().content))),
  );
  servePages(fastify);
}

/** Makes the file at the first request, so that a start does not wait for it. */
function once(make: () => object): () => PublicFile {
  let file: PublicFile | undefined;
  return () => (file ??= new PublicFile(JSON.stringify(make()), 'application/json; charset=utf-8'));
}

export function openApiDocument(app: INestApplication): OpenAPIObject {
  const resources = documentationOf(app);
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Store Commerce API')
    .setDescription(DESCRIPTION)
    .setExternalDoc('Get a key and place a first order', 'docs/start')
    .setVersion(VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'svc_live_… or svc_test_…',
      description:
        'An API key of the store. The first `npm start` prints one; `npx store-commerce keys create --store shop --mode test` ' +
        'and the page Keys of the dashboard make one. Orders of a test key are marked as tests.',
    })
    .addSecurityRequirements('bearer');
  // A generated client uses the first server. The path alone is not a complete address, but is correct behind any host.
  const { publicUrl } = app.get(Config, { strict: false });
  if (publicUrl !== null) builder.addServer(publicUrl, 'The public address');
  builder.addServer('/', 'This server');
  for (const { tag, description } of resources) builder.addTag(tag, description);
  const document = SwaggerModule.createDocument(app, builder.build());
  const named = resources.flatMap(({ schemas }) => schemas).map(({ name, schema }) => [name, schema] as const);
  const answers = nameAnswers(document);
  addTables(document);
  const schemas = { ...document.components?.schemas, ...Object.fromEntries(named), ...answers, ...COMMON_SCHEMAS };
  const webhooks = Object.assign({}, ...resources.map((resource) => resource.webhooks)) as DocumentedWebhooks;
  repeatExamples(document);
  const components = { ...document.components, schemas, headers: HEADERS, responses: shareResponses(document) };
  return { ...document, webhooks, components };
}

/** Tools that send requests look for the example of a path next to its schema, where Nest drops it. */
function repeatExamples({ paths }: OpenAPIObject): void {
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path as Record<string, object>))) {
    const { parameters = [] } = operation as { parameters?: { in: string; schema: object; example?: unknown }[] };
    for (const parameter of parameters.filter((each) => each.in === 'path'))
      parameter.example = (parameter.schema as { examples?: unknown[] }).examples?.[0];
  }
}
