import { VERSION } from '@app/infrastructure';
import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { publicFile, serveFromMemory, type PublicFile } from '../http/serve-from-memory.js';
import { COMMON_SCHEMAS, HEADERS } from './components.js';
import { GUIDE } from './guide.js';
import { serveReferencePage } from './reference-page.js';
import type { ResourceDocumentation } from './resource.js';

/** Serves the API reference at `/docs` and its document at `/openapi.json`. */
export function serveDocumentation(app: NestFastifyApplication, resources: readonly ResourceDocumentation[]): void {
  const fastify = app.getHttpAdapter().getInstance();
  let document: PublicFile | null = null;
  const current = () =>
    (document ??= publicFile(JSON.stringify(openApiDocument(app, resources)), 'application/json; charset=utf-8'));
  serveFromMemory(fastify, '/openapi.json', current);
  serveReferencePage(fastify);
}

/**
 * Builds the document from the controllers' decorators and the resources' schemas.
 *
 * @param resources in the order of the document.
 */
export function openApiDocument(app: INestApplication, resources: readonly ResourceDocumentation[]): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Store Commerce API')
    .setDescription(GUIDE)
    .setVersion(VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This server')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'svc_live_… or svc_test_…',
      description: 'An API key of the store.',
    })
    .addSecurityRequirements('bearer');
  for (const { tag, description } of resources) builder.addTag(tag, description);
  const document = SwaggerModule.createDocument(app, builder.build());
  const { securitySchemes } = document.components ?? {};
  const named = resources.flatMap(({ schemas }) => schemas).map(({ name, schema }) => [name, schema] as const);
  const components = { schemas: { ...Object.fromEntries(named), ...COMMON_SCHEMAS }, headers: HEADERS };
  return { ...document, components: { ...components, ...(securitySchemes ? { securitySchemes } : {}) } };
}
