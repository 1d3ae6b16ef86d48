import { Readiness } from '@app/health';
import { Config, JsonLogger } from '@app/infrastructure';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiKeyGuard } from '../auth/api-key.guard.js';
import { Metrics } from '../status/metrics.js';
import { addSecurityHeaders } from './plugins/security-headers.js';
import { tracing } from './plugins/tracing.js';
import { concurrencyLimit } from './plugins/concurrency-limit.js';
import { authentication } from './plugins/authentication.js';
import { unknownRoutes } from './plugins/unknown-routes.js';
import { jsonBodies } from './plugins/json-bodies.js';
import { draining } from './plugins/draining.js';
import { requestLog } from './plugins/request-log.js';
import { feedPlaces } from './plugins/feed-places.js';
import { entityTags } from './plugins/entity-tags.js';
import { ConcurrencyLimits } from './server/concurrency-limits.js';

@Injectable()
export class HttpPlugins {
  constructor(
    private readonly config: Config,
    private readonly limits: ConcurrencyLimits,
    private readonly logger: JsonLogger,
    private readonly metrics: Metrics,
    private readonly readiness: Readiness,
    private readonly guard: ApiKeyGuard,
  ) {}

  /** In the order in which a request meets them. */
  async register(app: NestFastifyApplication): Promise<void> {
    const { config, limits, logger, metrics, readiness, guard } = this;
    const fastify = app.getHttpAdapter().getInstance();
    addSecurityHeaders(app);
    if (config.tracing) await fastify.register(tracing);
    await fastify.register(concurrencyLimit, { limits, metrics });
    await fastify.register(authentication, { guard });
    await fastify.register(unknownRoutes);
    await fastify.register(jsonBodies);
    await fastify.register(draining, { isDraining: () => !readiness.serving });
    await fastify.register(requestLog, { logger, metrics });
    await fastify.register(feedPlaces, { limits, metrics });
    await fastify.register(entityTags);
  }
}
