import { DeliverWebhooks, RescreenHeldOrders, RunPipelineStage } from '@app/application';
import { Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '../platform/config.js';
import type { JsonLogger } from '../platform/json-logger.js';
import { ServiceMetrics } from '../platform/service-metrics.js';
import { HeldOrderScreening } from '../orders/held-order-screening.js';
import { Housekeeping } from './housekeeping.js';
import { InvitationMails } from '../mail/invitation-mails.js';
import { MerchantNotices } from '../mail/merchant-notices.js';
import { SignInMails } from '../mail/sign-in-mails.js';
import { StageRunner } from '../orders/stage-runner.js';
import { WebhookRunner } from '../webhooks/webhook-runner.js';

/** Runs a worker in this process, from start to shutdown: the pipeline of orders, webhooks and housekeeping. */
@Module({})
export class PipelineWorkerModule {
  static on(
    application: DynamicModule,
    directUrl: string,
    { workerConcurrency, retention }: Pick<Config, 'workerConcurrency' | 'retention'>,
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
        MerchantNotices,
        SignInMails,
        InvitationMails,
        {
          provide: WebhookRunner,
          inject: [DeliverWebhooks, ServiceMetrics],
          useFactory: (webhooks: DeliverWebhooks, metrics: ServiceMetrics) => new WebhookRunner(webhooks, metrics),
        },
      ],
    };
  }
}
