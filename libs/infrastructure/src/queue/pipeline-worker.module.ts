import { RescreenHeldOrders, RunPipelineStage } from '@app/application';
import { Module, type DynamicModule } from '@nestjs/common';
import { HeldOrderScreening } from './held-order-screening.js';
import { PipelineWorker, type WorkerSettings } from './pipeline-worker.js';
import type { Reports } from './reported-attempt.js';

/** Runs a pipeline worker in this process, from start to shutdown. */
@Module({})
export class PipelineWorkerModule {
  /**
   * @param application the application module of the process, which the worker shares.
   * @param databaseUrl a direct connection: the queue listens for new jobs.
   * @param reports receives the outcome of each attempt at a stage.
   */
  static on(
    application: DynamicModule,
    databaseUrl: string,
    settings: WorkerSettings,
    reports: Reports,
  ): DynamicModule {
    return {
      module: PipelineWorkerModule,
      imports: [application],
      providers: [
        {
          provide: PipelineWorker,
          inject: [RunPipelineStage],
          useFactory: (stages: RunPipelineStage) => new PipelineWorker(stages, databaseUrl, settings, reports),
        },
        {
          provide: HeldOrderScreening,
          inject: [RescreenHeldOrders],
          useFactory: (rescreen: RescreenHeldOrders) => new HeldOrderScreening(rescreen),
        },
      ],
    };
  }
}
