import { HealthReport, serveStatus } from '@app/health';
import { type Extension, reportUnknownKeys, ServiceMetrics, StageRunner, startTracing } from '@app/infrastructure';
import { onShutdownSignal, openDatabase, requireOneNest, runProcess, type ServiceProcess } from '@app/startup';
import { NestFactory } from '@nestjs/core';
import { WorkerModule } from './worker.module.js';

/**
 * Ends a shutdown that hangs. It is longer than any delivery, and shorter than the 45 s that the documentation
 * requires.
 */
const SHUTDOWN_TIMEOUT_MS = 42_000;

export function runWorker(extension?: Extension): void {
  runProcess((process) => main(process, extension));
}

async function main({ config, logger, die }: ServiceProcess, extension?: Extension): Promise<void> {
  if (extension) requireOneNest();
  let stop = (): void => process.exit(0);
  onShutdownSignal(() => stop(), {
    afterMs: SHUTDOWN_TIMEOUT_MS,
    end: () => die(new Error('Shutdown timed out')),
  });

  const stopTracing = config.tracing ? await startTracing('store-commerce-worker') : () => Promise.resolve();
  const metrics = new ServiceMetrics();
  metrics.observeProcess();
  metrics.observeLog(() => logger.droppedLines);
  let runner: StageRunner | null = null;
  let health: HealthReport | null = null;
  const state = () => ({ isLive: runner === null || runner.isAtWork, health });
  const status = config.workerPort === null ? null : await serveStatus(config.host, config.workerPort, metrics, state);
  const database = await openDatabase(config, logger, 'shared', extension?.migrations);
  const module = WorkerModule.on(config, database.url, logger, metrics, extension ?? {});
  const worker = await NestFactory.createApplicationContext(module, { logger });
  runner = worker.get(StageRunner);
  health = worker.get(HealthReport);
  logger.log('Processing the pipeline', 'Worker');
  void reportUnknownKeys(worker, logger);

  const shutDown = async (): Promise<void> => {
    logger.log('Shutting down', 'Process');
    // Running attempts end, and the other stages stay due.
    await worker.close();
    await database.stop();
    await status?.close();
    await stopTracing();
    await logger.flush();
    process.exit(0);
  };
  stop = () => void shutDown();
}
