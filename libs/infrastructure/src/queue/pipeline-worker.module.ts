import { RescreenHeldOrders, RunPipelineStage } from '@app/application';
import { Module, type DynamicModule } from '@nestjs/common';
import { HeldOrderScreening } from './held-order-screening.js';
import { PipelineWorker, type WorkerSettings } from './pipeline-worker.js';
import type { Reports } from './reported-attempt.js';

/** Works the pipeline in this process, from its start until it shuts down. */
@Module({})
export class PipelineWorkerModule {
  /**
   * @param application the application module of the process, shared and not made anew.
   * @param databaseUrl a direct connection: the queue listens for new jobs.
   * @param reports where it is told what becomes of the stages.
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
