import { AuthenticateApiKey } from '@app/application';
import type { Config } from '@app/infrastructure';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiModule } from './api.module.js';
import { authenticateEarly } from './auth/early-authentication.js';

/** The application as users and tests run it, not yet listening. */
export async function createApp(config: Config, databaseUrl: string): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({ trustProxy: config.trustProxy as boolean });
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule.on(config, databaseUrl), adapter, {
    bodyParser: false,
    logger: ['error', 'warn'],
  });
  authenticateEarly(app.getHttpAdapter().getInstance(), app.get(AuthenticateApiKey));
  return app;
}
