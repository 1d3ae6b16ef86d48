import 'reflect-metadata';
import { PipelineWorker, ServiceMetrics, serveStatus, startTracing } from '@app/infrastructure';
import { reportUnknownKeys } from '@app/operations';
import { onShutdownSignal, openDatabase, runProcess, type ServiceProcess } from '@app/startup';
import { NestFactory } from '@nestjs/core';
import { WorkerModule } from './worker.module.js';

/** Ends a shutdown that hangs. Longer than any delivery, and shorter than the 45 s that the documentation requires. */
const GIVE_UP_MS = 42_000;

async function main({ config, logger, die }: ServiceProcess): Promise<void> {
  let stop = (): void => process.exit(0);
  onShutdownSignal(() => stop(), {
    afterMs: GIVE_UP_MS,
    end: () => die(new Error('The shutdown took too long')),
  });

  const stopTracing = config.tracing ? await startTracing('store-commerce-worker') : () => Promise.resolve();
  const metrics = new ServiceMetrics();
  metrics.observeProcess();
  metrics.observeLog(() => logger.droppedLines);
  let pipeline: PipelineWorker | null = null;
  const state = () => ({ isLive: pipeline === null || pipeline.isAtWork, readiness: null });
  const status = config.workerPort === null ? null : await serveStatus(config.host, config.workerPort, metrics, state);
  const database = await openDatabase(config, logger, 'shared');
  const module = WorkerModule.on(config, database.url, logger, metrics);
  const worker = await NestFactory.createApplicationContext(module, { logger });
  pipeline = worker.get(PipelineWorker);
  logger.log('Working the pipeline', 'Worker');
  void reportUnknownKeys(worker, logger);

  const shutDown = async (): Promise<void> => {
    logger.log('Shutting down', 'Process');
    // Running jobs finish. The others stay in the queue.
    await worker.close();
    await database.stop();
    await status?.close();
    await stopTracing();
    process.exit(0);
  };
  stop = () => void shutDown();
}

runProcess(main);
