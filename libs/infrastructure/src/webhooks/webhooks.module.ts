import { WebhookQueue, WebhookRepository, WebhookSender } from '@app/application';
import { Module } from '@nestjs/common';
import { Config } from '../platform/config.js';
import { HttpsWebhookSender } from './https-webhook-sender.js';
import { PostgresWebhookQueue } from './postgres-webhook-queue.js';
import { PostgresWebhookRepository } from './postgres-webhook.repository.js';

@Module({
  providers: [
    { provide: WebhookQueue, useClass: PostgresWebhookQueue },
    { provide: WebhookRepository, useClass: PostgresWebhookRepository },
    {
      provide: WebhookSender,
      useFactory: ({ webhookAllow }: Config) => new HttpsWebhookSender(webhookAllow),
      inject: [Config],
    },
  ],
  exports: [WebhookQueue, WebhookRepository, WebhookSender],
})
export class WebhooksModule {}
