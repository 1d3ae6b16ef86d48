import { type Config, JsonLogger } from '@app/infrastructure';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import Fastify from 'fastify';
import { ApiModule, DOCUMENTATION } from './api.module.js';
import { registerPlugins } from './http/plugins.js';
import { requestHead } from './http/plugins/01-request-head.js';
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
): Promise<NestFastifyApplication> {
  const metrics = new Metrics();
  metrics.observeLog(() => logger.droppedLines);
  const limits = new ConcurrencyLimits();
  const fastify = Fastify(serverOptions({ trustProxy: config.trustProxy, limits, metrics }));
  // Before Nest's own hooks, so that every answer has a request id.
  await fastify.register(requestHead);
  const module = ApiModule.on(config, databaseUrl, logger, metrics);
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(fastify), {
    bodyParser: false,
    logger,
    abortOnError: false,
  });
  await registerPlugins(app, { config, limits, logger, metrics });

  // Not a Nest route: it answers during the start and the shutdown of everything else.
  fastify.get('/health/live', () => ({ status: 'ok' }));
  serveRoot(fastify);
  serveDocumentation(app, DOCUMENTATION);
  return app;
}
