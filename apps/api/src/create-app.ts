import { READ_ANSWER_MS } from '@app/application';
import { type Config, type Extension, JsonLogger, VERSION } from '@app/infrastructure';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import Fastify, { type RouteOptions } from 'fastify';
import { demandDeclaration, PUBLIC } from './route-access.js';
import { ApiModule } from './api.module.js';
import { limitBodies } from './body/body-limits.js';
import { serveDashboard } from './dashboard/serve-dashboard.js';
import { registerPlugins } from './http/plugins.js';
import { requestHead } from './http/plugins/request-head.js';
import { ConcurrencyLimits } from './http/server/concurrency-limits.js';
import { serverOptions } from './http/server-options.js';
import { weightsOf } from './headers.js';
import { serveDocumentation } from './openapi/document.js';
import { Metrics } from './status/metrics.js';

const ROOT = { name: 'Store Commerce API', version: VERSION, documentation: '/docs', openapi: '/openapi.json' };

/** Creates the application as users and tests run it, not yet listening. */
export async function createApp(
  config: Config,
  databaseUrl: string,
  logger = new JsonLogger(config.logLevel),
  extension: Extension = {},
): Promise<NestFastifyApplication> {
  const metrics = new Metrics();
  metrics.observeLog(() => logger.droppedLines);
  const limits = new ConcurrencyLimits();
  metrics.observeSlots(limits.all);
  const fastify = Fastify(serverOptions(config.trustProxy, { limits, metrics }));
  fastify.decorate('publicUrl', config.publicUrl);
  fastify.addHook('onRoute', demandDeclaration);
  fastify.addHook('onRoute', limitReads);
  fastify.addHook('onRoute', limitBodies);
  // This must run before Nest's own hooks, so that every answer has a request id.
  await fastify.register(requestHead);
  const module = ApiModule.on({ config, databaseUrl, logger, metrics, extension });
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(fastify), {
    bodyParser: false,
    logger,
    abortOnError: false,
  });
  await registerPlugins(app, { config, logger, metrics, limits });

  // This is not a Nest route, because it must answer during the start and the shutdown of everything else.
  fastify.get('/health/live', { config: PUBLIC }, () => ({ status: 'ok' }));
  fastify.get('/', { config: PUBLIC }, (request, reply) => {
    void reply.header('vary', 'Accept');
    const weights = weightsOf(request.headers.accept);
    const wantsPage = (weights.get('text/html') ?? 0) > (weights.get('application/json') ?? 0);
    return wantsPage ? reply.redirect(config.dashboard ? './dashboard/' : ROOT.documentation) : ROOT;
  });
  serveDocumentation(app);
  if (config.dashboard) serveDashboard(fastify);
  return app;
}

// This limit is needed because the limits of the key look-up, the wait for a connection and the statement together
// exceed a client's.
function limitReads(route: RouteOptions): void {
  const isRead = [route.method].flat().every((name) => name === 'GET' || name === 'HEAD');
  if (isRead && route.url.startsWith('/v1/') && route.url !== '/v1/changes') route.handlerTimeout = READ_ANSWER_MS;
}
