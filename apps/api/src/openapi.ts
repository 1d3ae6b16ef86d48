import { VERSION } from '@app/infrastructure';
import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { COMPONENTS } from './openapi/components.js';
import { GUIDE } from './openapi/guide.js';

/** All that the page needs comes from here. Its own style sheet and drawings have inline styles. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Without the maker's bar; on a phone, wide tables move inside their operation, and the page stays as wide as it is. */
const PAGE_STYLE = `
.swagger-ui .topbar { display: none }
.swagger-ui .info { margin: 24px 0 }
.swagger-ui .info .description { max-width: 75ch }
.swagger-ui .opblock, .swagger-ui .models { overflow-x: auto }
.swagger-ui input, .swagger-ui select, .swagger-ui textarea { max-width: 100% }
@media (max-width: 640px) {
  .swagger-ui .opblock-body pre.microlight { max-width: calc(100vw - 80px) }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; word-break: break-word }
  .swagger-ui .opblock-summary-description { display: none }
  .swagger-ui .dialog-ux .modal-ux { min-width: 0; width: calc(100vw - 20px) }
}`;

/** Serves the API reference at `/docs`, with everything it needs, and its document at `/openapi.json`. */
export function serveDocumentation(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    if (/^\/docs(?:[/?]|$)/.test(request.url)) reply.header('content-security-policy', PAGE_POLICY);
    done();
  });
  // Made once: nobody needs a key for it.
  let document: Buffer | null = null;
  fastify.get('/openapi.json', (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(openApiDocument(app)));
    return reply.type('application/json; charset=utf-8').send(document);
  });
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    raw: [],
    customSiteTitle: 'Store Commerce API',
    customCss: PAGE_STYLE,
    swaggerOptions: { persistAuthorization: false, validatorUrl: null },
  });
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
