import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { VERSION } from './status/version.js';

/** Serves the API reference at `/docs`, with everything it needs, and its document at `/openapi.json`. */
export function serveDocumentation(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: '/openapi.json',
    raw: ['json'],
    customSiteTitle: 'Store Commerce API',
    swaggerOptions: { persistAuthorization: false, validatorUrl: null },
  });
}

export function openApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Store Commerce API')
    .setDescription("A store's orders, products, customers, categories, brands and profile, and creating an order.")
    .setVersion(VERSION)
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key: svc_live_… or svc_test_…' })
    .addSecurityRequirements('bearer')
    .build();
  return SwaggerModule.createDocument(app, config);
}
