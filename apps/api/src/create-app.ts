import { type Config, type Extension, JsonLogger } from '@app/infrastructure';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import Fastify from 'fastify';
import { PUBLIC } from './auth/route-access.js';
import { ApiModule } from './api.module.js';
import { HttpPlugins } from './http/plugins.js';
import { requestHead } from './http/plugins/request-head.js';
import { ConcurrencyLimits } from './http/server/concurrency-limits.js';
import { serverOptions } from './http/server-options.js';
import { serveRoot } from './http/serve-root.js';
import { serveDocumentation } from './openapi/document.js';
import { Metrics } from './status/metrics.js';

/** The application as users and tests run it, not yet listening. */
export async function createApp(
  config: Config,
  databaseUrl: string,
  logger = new JsonLogger(config.logLevel),
  extension: Extension = {},
): Promise<NestFastifyApplication> {
  const metrics = new Metrics();
  metrics.observeLog(() => logger.droppedLines);
  const limits = new ConcurrencyLimits();
  metrics.observePlaces(limits.all);
  const fastify = Fastify(serverOptions(config.trustProxy, { limits, metrics }));
  // Before Nest's own hooks, so that every answer has a request id.
  await fastify.register(requestHead);
  const module = ApiModule.on({ config, databaseUrl, logger, metrics, limits, extension });
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(fastify), {
    bodyParser: false,
    logger,
    abortOnError: false,
  });
  await app.get(HttpPlugins, { strict: false }).register(app);

  // Not a Nest route: it answers during the start and the shutdown of everything else.
  fastify.get('/health/live', { config: PUBLIC }, () => ({ status: 'ok' }));
  serveRoot(fastify);
  serveDocumentation(app);
  return app;
}
