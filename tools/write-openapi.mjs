// This program writes docs/openapi.json from the build: the answer of GET /openapi.json, without a database or a port.
import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Config, JsonLogger } from '../dist/libs/infrastructure/src/index.js';
import { ApiModule } from '../dist/apps/api/src/api.module.js';
import { openApiDocument } from '../dist/apps/api/src/openapi/document.js';
import { Metrics } from '../dist/apps/api/src/status/metrics.js';

const nowhere = 'postgres://nobody@localhost/none';
const module = ApiModule.on({
  config: new Config({ DATABASE_URL: nowhere }),
  databaseUrl: nowhere,
  logger: new JsonLogger('silent'),
  metrics: new Metrics(),
});
// Preview mode reads the modules and instantiates nothing.
const app = await NestFactory.create(module, new FastifyAdapter(), { preview: true, logger: false });
const file = new URL('../docs/openapi.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(openApiDocument(app), null, 2)}\n`);
