import { RescreenHeldOrders, RunPipelineStage } from '@app/application';
import { Module, type DynamicModule } from '@nestjs/common';
import type { Retention } from '../platform/config.js';
import { HeldOrderScreening } from './held-order-screening.js';
import { Housekeeping } from './housekeeping.js';
import type { Reports } from './reported-attempt.js';
import { StageRunner } from './stage-runner.js';

/** The operator's settings, part of the configuration. */
export interface WorkerSettings {
  /** Stages that run at the same time. */
  readonly workerConcurrency: number;
  /** How long expiring rows are kept. */
  readonly retention: Retention;
}

/** Runs a pipeline worker in this process, from start to shutdown. */
@Module({})
export class PipelineWorkerModule {
  /**
   * @param application the application module of the process, which the worker shares.
   * @param directUrl for the housekeeping, which has no time limits of requests.
   * @param reports receives the outcome of each attempt at a stage.
   */
  static on(
    application: DynamicModule,
    directUrl: string,
    { workerConcurrency, retention }: WorkerSettings,
    reports: Reports,
  ): DynamicModule {
    return {
      module: PipelineWorkerModule,
      imports: [application],
      providers: [
        {
          provide: StageRunner,
          inject: [RunPipelineStage],
          useFactory: (stages: RunPipelineStage) => new StageRunner(stages, workerConcurrency, reports),
        },
        { provide: Housekeeping, useFactory: () => new Housekeeping(directUrl, retention) },
        {
          provide: HeldOrderScreening,
          inject: [RescreenHeldOrders],
          useFactory: (rescreen: RescreenHeldOrders) => new HeldOrderScreening(rescreen),
        },
      ],
    };
  }
}
