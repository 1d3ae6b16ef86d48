import { VERSION } from '@app/infrastructure';
import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { publicFile, serveFromMemory, type PublicFile } from './http/serve-from-memory.js';
import { COMPONENTS } from './openapi/components.js';
import { GUIDE } from './openapi/guide.js';
import { serveReferencePage } from './openapi/reference-page.js';

/** Serves the API reference at `/docs` and its document at `/openapi.json`. */
export function serveDocumentation(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  let document: PublicFile | null = null;
  const current = () =>
    (document ??= publicFile(JSON.stringify(openApiDocument(app)), 'application/json; charset=utf-8'));
  serveFromMemory(fastify, '/openapi.json', current);
  serveReferencePage(fastify);
}

/** The API as its controllers describe it, with the schemas they refer to. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Store Commerce API')
    .setDescription(GUIDE)
    .setVersion(VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This server')
    .addTag('Orders', 'Orders of points of sale and of the website, and placing one.')
    .addTag('Products', 'The active products, with their prices and the stock on hand.')
    .addTag('Customers', "The store's customers: operational fields only.")
    .addTag('Categories', 'How the products are grouped.')
    .addTag('Brands', 'Who makes the products.')
    .addTag('Store', 'The store itself.')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'svc_live_… or svc_test_…',
      description: 'An API key of the store.',
    })
    .addSecurityRequirements('bearer')
    .build();
  const document = SwaggerModule.createDocument(app, config);
  const { securitySchemes } = document.components ?? {};
  return { ...document, components: { ...COMPONENTS, ...(securitySchemes ? { securitySchemes } : {}) } };
}
