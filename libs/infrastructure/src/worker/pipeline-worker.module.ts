import { DeliverWebhooks, RescreenHeldOrders, RunPipelineStage, StoreRepository } from '@app/application';
import { Module, type DynamicModule } from '@nestjs/common';
import { MailNotifier } from '../mail/mail-notifier.js';
import type { Retention } from '../platform/config.js';
import type { JsonLogger } from '../platform/json-logger.js';
import { ServiceMetrics } from '../platform/service-metrics.js';
import { Database } from '../postgres/database.js';
import { HeldOrderScreening } from '../orders/held-order-screening.js';
import { Housekeeping } from './housekeeping.js';
import { MerchantNotices } from '../mail/merchant-notices.js';
import { StageRunner } from '../orders/stage-runner.js';
import { WebhookRunner } from '../webhooks/webhook-runner.js';

export interface WorkerSettings {
  readonly workerConcurrency: number;
  readonly retention: Retention;
}

/** Runs a worker in this process, from start to shutdown: the pipeline of orders, webhooks and housekeeping. */
@Module({})
export class PipelineWorkerModule {
  static on(
    application: DynamicModule,
    directUrl: string,
    { workerConcurrency, retention }: WorkerSettings,
    logger: JsonLogger,
  ): DynamicModule {
    return {
      module: PipelineWorkerModule,
      imports: [application],
      providers: [
        {
          provide: StageRunner,
          inject: [RunPipelineStage, ServiceMetrics],
          useFactory: (stages: RunPipelineStage, metrics: ServiceMetrics) =>
            new StageRunner(stages, workerConcurrency, logger, metrics),
        },
        { provide: Housekeeping, useFactory: () => new Housekeeping(directUrl, retention) },
        {
          provide: HeldOrderScreening,
          inject: [RescreenHeldOrders],
          useFactory: (rescreen: RescreenHeldOrders) => new HeldOrderScreening(rescreen),
        },
        {
          provide: MerchantNotices,
          inject: [Database, StoreRepository, MailNotifier],
          useFactory: (database: Database, stores: StoreRepository, mails: MailNotifier) =>
            new MerchantNotices(database, stores, mails),
        },
        {
          provide: WebhookRunner,
          inject: [DeliverWebhooks, ServiceMetrics],
          useFactory: (webhooks: DeliverWebhooks, metrics: ServiceMetrics) => new WebhookRunner(webhooks, metrics),
        },
      ],
    };
  }
}
