import { ApplicationModule } from '@app/application';
import { BundlesModule } from '@app/bundles';
import { InfrastructureModule } from '@app/infrastructure';
import { RepresentationsModule } from '@app/representations';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { StoreFixture } from '../builders/store-fixture.js';
import { testConfig } from './test-config.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

export interface RunningApplication {
  readonly app: INestApplicationContext;
  readonly database: TestDatabase;
  readonly store: StoreFixture;
  stop(): Promise<void>;
}

export async function startApplication(): Promise<RunningApplication> {
  const database = await createTestDatabase();
  const config = testConfig({ DATABASE_URL: database.url, LOG_LEVEL: 'silent', DATABASE_POOL_SIZE: '5' });
  const modules = ApplicationModule.on([
    InfrastructureModule.on(config, database.url),
    RepresentationsModule,
    BundlesModule,
  ]);
  const app = await NestFactory.createApplicationContext(modules, { logger: false, abortOnError: false });
  return {
    app,
    database,
    store: await StoreFixture.create(database),
    stop: async () => {
      await app.close();
      await database.drop();
    },
  };
}
