import 'reflect-metadata';
import {
  attachOrStartEmbeddedPostgres,
  Config,
  ConfigError,
  JsonLogger,
  migrate,
  type EmbeddedPostgres,
} from '@app/infrastructure';
import { NestFactory } from '@nestjs/core';
import { WorkerModule } from './worker.module.js';

/** The embedded database, where none is configured: that of a running API process, or one of our own. */
async function openDatabase(config: Config): Promise<Pick<EmbeddedPostgres, 'url' | 'stop'>> {
  if (config.databaseUrl !== null) return { url: config.databaseUrl, stop: () => Promise.resolve() };
  const database = await attachOrStartEmbeddedPostgres({ dataDir: config.dataDir });
  await migrate(database.url);
  return database;
}

async function main(): Promise<void> {
  const config = new Config(process.env);
  const logger = new JsonLogger(config.logLevel);
  const database = await openDatabase(config);
  const worker = await NestFactory.createApplicationContext(WorkerModule.on(config, database.url), { logger });
  logger.log('Working the pipeline', 'Worker');

  const stop = async (): Promise<void> => {
    // Jobs that are running are finished; those that are not stay in the queue for others.
    await worker.close();
    await database.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
});
