import { ApiKeyRepository, AuthenticateApiKey } from '@app/application';
import { type Config, JsonLogger } from '@app/infrastructure';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiModule } from './api.module.js';
import { authenticateEarly } from './auth/early-authentication.js';
import { Throttle } from './auth/throttle.js';
import { limitConnections, limitRequestsAtWork, refuseEarly, ConcurrencyLimits } from './http/admission.js';
import { answerReadsInTime } from './http/answer-in-time.js';
import { shareConnections } from './http/connection-share.js';
import {
  addSecurityHeaders,
  answerEverySidePath,
  endConnectionsWhile,
  identifyRequests,
  refuseUnknownRoutes,
} from './http/harden.js';
import { continueAccepted, holdContinue } from './http/expect-continue.js';
import { acceptOnlyJson, timeBodies } from './http/json-bodies.js';
import { closeLingering } from './http/lingering-close.js';
import { serveInTurn } from './http/pipelining.js';
import { serverOptions } from './http/server-options.js';
import { hangUpOnSlowReaders } from './http/slow-readers.js';
import { limitUnreadAnswers } from './http/unread-answers.js';
import { keepSurplusHeaders } from './http/strict-requests.js';
import { serveWelcome } from './http/welcome.js';
import { logRequests } from './logging/request-log.js';
import { serveDocumentation } from './openapi.js';
import { Metrics } from './status/metrics.js';
import { Readiness } from './status/readiness.js';
import { traceRequests } from './tracing/trace-requests.js';

/** The application as users and tests run it, not yet listening. */
export async function createApp(
  config: Config,
  databaseUrl: string,
  logger = new JsonLogger(config.logLevel),
): Promise<NestFastifyApplication> {
  const metrics = new Metrics();
  metrics.observeLog(() => logger.droppedLines);
  const adapter = new FastifyAdapter(serverOptions(config, metrics));
  identifyRequests(adapter);
  const module = ApiModule.on(config, databaseUrl, logger, metrics);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    logger,
    abortOnError: false,
  });

  const fastify = app.getHttpAdapter().getInstance();
  const readiness = app.get(Readiness);
  addSecurityHeaders(app);
  const rooms = new ConcurrencyLimits();
  refuseEarly(fastify.server, rooms, metrics);
  answerEverySidePath(fastify.server);
  holdContinue(fastify.server);
  keepSurplusHeaders(fastify.server);
  limitConnections(fastify.server, metrics);
  shareConnections(fastify.server, config.trustProxy, metrics);
  closeLingering(fastify.server);
  hangUpOnSlowReaders(fastify.server);
  limitUnreadAnswers(fastify.server, metrics);
  serveInTurn(fastify.server, metrics); // after all others that listen to requests
  acceptOnlyJson(fastify, rooms, metrics);
  timeBodies(fastify);
  // The order of these is the order in which a request meets them.
  if (config.tracing) traceRequests(fastify);
  limitRequestsAtWork(fastify, rooms, metrics);
  answerReadsInTime(fastify);
  const throttle = new Throttle(config.throttlePer10s);
  authenticateEarly(fastify, app.get(AuthenticateApiKey), throttle, app.get(ApiKeyRepository));
  refuseUnknownRoutes(fastify);
  continueAccepted(fastify);
  endConnectionsWhile(() => readiness.draining, fastify);
  logRequests(fastify, logger, metrics);

  // Outside Nest: it answers while everything else starts, fails or closes.
  fastify.get('/health/live', () => ({ status: 'ok' }));
  serveWelcome(fastify);
  serveDocumentation(app);
  return app;
}
