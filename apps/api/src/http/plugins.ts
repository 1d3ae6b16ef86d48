import { ApiKeyRepository, AuthenticateApiKey, FeedHeads } from '@app/application';
import type { Config, JsonLogger } from '@app/infrastructure';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Throttle } from '../auth/throttle.js';
import type { Metrics } from '../status/metrics.js';
import { Readiness } from '../status/readiness.js';
import { addSecurityHeaders } from './plugins/02-security-headers.js';
import { tracing } from './plugins/03-tracing.js';
import { concurrencyLimit } from './plugins/04-concurrency-limit.js';
import { readDeadline } from './plugins/05-read-deadline.js';
import { authentication } from './plugins/06-authentication.js';
import { unknownRoutes } from './plugins/07-unknown-routes.js';
import { bodyTiming } from './plugins/08-body-timing.js';
import { continueAccepted } from './plugins/09-continue.js';
import { jsonBodies } from './plugins/10-json-bodies.js';
import { draining } from './plugins/11-draining.js';
import { requestLog } from './plugins/12-request-log.js';
import { heldRequests } from './plugins/13-held-requests.js';
import { conditionalReads } from './plugins/14-conditional-reads.js';
import type { ConcurrencyLimits } from './server/concurrency-limits.js';

interface PluginDependencies {
  readonly config: Config;
  readonly limits: ConcurrencyLimits;
  readonly logger: JsonLogger;
  readonly metrics: Metrics;
}

/**
 * Registers the plugins in the order in which a request meets them, which the numbers of their files give. Each plugin
 * names those that must run before it, and Fastify refuses to start when one of them is missing.
 */
export async function registerPlugins(
  app: NestFastifyApplication,
  { config, limits, logger, metrics }: PluginDependencies,
): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  const readiness = app.get(Readiness);
  const authenticate = app.get(AuthenticateApiKey);
  const apiKeys = app.get(ApiKeyRepository);
  const throttle = new Throttle(config.throttlePer10s);

  addSecurityHeaders(app);
  if (config.tracing) await fastify.register(tracing);
  await fastify.register(concurrencyLimit, { limits, metrics });
  await fastify.register(readDeadline);
  await fastify.register(authentication, { authenticate, apiKeys, throttle });
  await fastify.register(unknownRoutes);
  await fastify.register(bodyTiming);
  await fastify.register(continueAccepted);
  await fastify.register(jsonBodies, { limits, metrics });
  await fastify.register(draining, { isDraining: () => readiness.draining });
  await fastify.register(requestLog, { logger, metrics });
  await fastify.register(heldRequests, { limits, metrics });
  const hasReplicas = config.databaseReplicaUrls.length > 0;
  await fastify.register(conditionalReads, { heads: app.get<FeedHeads>(FeedHeads, { strict: false }), hasReplicas });
}
