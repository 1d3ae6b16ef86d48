import { ApiKeyRepository } from '@app/application';
import { Readiness } from '@app/health';
import type { Config, JsonLogger } from '@app/infrastructure';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiKeyGuard } from '../access/api-key.guard.js';
import { Throttle } from '../access/throttle.js';
import { authentication } from './plugins/authentication.js';
import { concurrencyLimit } from './plugins/concurrency-limit.js';
import { draining } from './plugins/draining.js';
import { entityTags } from './plugins/entity-tags.js';
import { feedSlots } from './plugins/feed-slots.js';
import { jsonBodies } from './plugins/json-bodies.js';
import { keylessRoutes } from './plugins/keyless-routes.js';
import { requestLog } from './plugins/request-log.js';
import { addSecurityHeaders } from './plugins/security-headers.js';
import { largeRequestSlots } from './plugins/large-request-slots.js';
import { tracing } from './plugins/tracing.js';
import { unknownRoutes } from './plugins/unknown-routes.js';
import type { ServerDependencies } from './server/create-server.js';

interface Dependencies extends ServerDependencies {
  readonly config: Config;
  readonly logger: JsonLogger;
}

/**
 * Registers the plugins that every request passes, in this sequence. Each plugin names those that must run before it.
 */
export async function registerPlugins(app: NestFastifyApplication, dependencies: Dependencies): Promise<void> {
  const { config, limits, logger, metrics } = dependencies;
  const fastify = app.getHttpAdapter().getInstance();
  const guard = app.get(ApiKeyGuard, { strict: false });
  const throttle = app.get(Throttle, { strict: false });
  const apiKeys = app.get(ApiKeyRepository);
  const readiness = app.get(Readiness, { strict: false });
  addSecurityHeaders(app);
  if (config.tracing) await fastify.register(tracing);
  await fastify.register(concurrencyLimit, { limits, metrics });
  await fastify.register(authentication, { guard });
  await fastify.register(keylessRoutes, { throttle });
  await fastify.register(unknownRoutes);
  await fastify.register(jsonBodies);
  await fastify.register(draining, { isDraining: () => !readiness.serving });
  await fastify.register(requestLog, { logger, metrics, apiKeys });
  await fastify.register(feedSlots, { limits, metrics });
  // This must precede the entity tags, which remove the body of a 304.
  await fastify.register(largeRequestSlots);
  await fastify.register(entityTags);
}
