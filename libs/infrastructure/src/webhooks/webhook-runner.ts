import { MAX_WEBHOOKS_SERVED, type Attempt, type ClaimedWebhook, type DeliverWebhooks } from '@app/application';
import { Histogram } from 'prom-client';
import { ClaimLoop } from '../platform/claim-loop.js';
import type { ServiceMetrics } from '../platform/service-metrics.js';
import { countedBy } from './postgres-webhook-queue.js';

/** Serves the webhooks that have something to send. */
export class WebhookRunner extends ClaimLoop<ClaimedWebhook> {
  private readonly busy = new Map<string, number>();
  private readonly deliveries: Histogram;

  constructor(
    private readonly webhooks: Pick<DeliverWebhooks, 'claim' | 'execute'>,
    { registry }: ServiceMetrics,
  ) {
    super({ what: 'Webhooks', concurrency: MAX_WEBHOOKS_SERVED, pollMs: 500, shutdownMs: 25_000 });
    this.deliveries = new Histogram({
      name: 'webhook_delivery_duration_seconds',
      help: 'Duration of attempts at messages of webhooks, by outcome',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20],
      registers: [registry],
    });
    for (const outcome of ['delivered', 'failed']) this.deliveries.zero({ outcome });
  }

  override claim(most: number): Promise<ClaimedWebhook[]> {
    return this.webhooks.claim(most, this.busy);
  }

  override async execute(webhook: ClaimedWebhook): Promise<void> {
    const shared = countedBy(webhook.storeId, new URL(webhook.url).hostname);
    this.count(shared, 1);
    try {
      await this.webhooks.execute(webhook, this.stopping, (attempt) => this.observe(attempt));
    } finally {
      this.count(shared, -1);
    }
  }

  private observe({ status, durationMs }: Attempt): void {
    const outcome = status !== null && status >= 200 && status < 300 ? 'delivered' : 'failed';
    this.deliveries.observe({ outcome }, durationMs / 1_000);
  }

  private count(shared: readonly string[], difference: number): void {
    for (const name of shared) {
      const count = (this.busy.get(name) ?? 0) + difference;
      if (count > 0) this.busy.set(name, count);
      else this.busy.delete(name);
    }
  }
}
