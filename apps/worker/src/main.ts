import 'reflect-metadata';
import { Config, ConfigError, JsonLogger, PipelineWorker, ServiceMetrics, logProcessOutput, migrate, serveStatus, startTracing, untilDatabaseAnswers } from '@app/infrastructure';
import { type EmbeddedPostgres, attachOrStartEmbeddedPostgres } from '@app/embedded-postgres';
import { reportUnknownKeys } from '@app/operations';
import { NestFactory } from '@nestjs/core';
import { WorkerModule } from './worker.module.js';

/** When something hangs all the same: longer than any delivery, and less than orchestrators are asked to wait, 45 s. */
const GIVE_UP_MS = 42_000;

/** The configured database, once it answers, or the embedded one: that of a running API process, or one of our own. */
async function openDatabase(config: Config, logger: JsonLogger): Promise<Pick<EmbeddedPostgres, 'url' | 'stop'>> {
  if (config.databaseUrl !== null) {
    await untilDatabaseAnswers(config.databaseUrl, logger);
    return { url: config.databaseUrl, stop: () => Promise.resolve() };
  }
  const database = await attachOrStartEmbeddedPostgres({ dataDir: config.dataDir });
  await migrate(database.url);
  return database;
}

async function main(): Promise<void> {
  const config = new Config(process.env);
  const logger = new JsonLogger(config.logLevel);
  logProcessOutput(logger);
  // The state of the process is unknown from here on. Whoever started it starts a new one.
  const die = (error: unknown) => {
    logger.fatal('An error was not caught anywhere', error, 'Process');
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
  const stopTracing = config.tracing ? await startTracing('store-commerce-worker') : () => Promise.resolve();
  const metrics = new ServiceMetrics();
  metrics.observeProcess();
  metrics.observeLog(() => logger.droppedLines);
  let pipeline: PipelineWorker | null = null;
  const isLive = () => pipeline === null || pipeline.isAtWork;
  const status = config.workerPort === null ? null : await serveStatus(config.host, config.workerPort, metrics, isLive);
  const database = await openDatabase(config, logger);
  const module = WorkerModule.on(config, database.url, logger, metrics);
  const worker = await NestFactory.createApplicationContext(module, { logger });
  pipeline = worker.get(PipelineWorker);
  logger.log('Working the pipeline', 'Worker');
  void reportUnknownKeys(worker, logger);

  const stop = async (): Promise<void> => {
    logger.log('Shutting down', 'Process');
    setTimeout(() => die(new Error('The shutdown took too long')), GIVE_UP_MS).unref();
    // Jobs that are running are finished; those that are not stay in the queue for others.
    await worker.close();
    await database.stop();
    status?.close();
    await stopTracing();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
});
