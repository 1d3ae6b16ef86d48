import { MAX_WEBHOOKS_SERVED, type Attempt, type ClaimedWebhook, type DeliverWebhooks } from '@app/application';
import { Logger } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { failureName } from '../platform/error-code.js';
import { OutageLog } from '../platform/outage-log.js';
import type { ServiceMetrics } from '../platform/service-metrics.js';
import { ProcessLoop } from '../platform/process-loop.js';
import { countedBy } from './postgres-webhook-queue.js';

const POLL_INTERVAL_MS = 500;
const RETRY_INTERVAL_MS = 1_000;
const SHUTDOWN_MS = 25_000;

/** Serves the webhooks that have something to send. Workers in several processes share them. */
export class WebhookRunner extends ProcessLoop {
  private readonly logger = new Logger('Webhooks');
  private readonly outage = new OutageLog('The webhooks', (line) => this.logger.warn(line));
  private readonly running = new Set<Promise<void>>();
  private readonly busy = new Map<string, number>();
  private readonly deliveries: Histogram;

  constructor(
    private readonly webhooks: Pick<DeliverWebhooks, 'claim' | 'execute'>,
    { registry }: ServiceMetrics,
  ) {
    super(SHUTDOWN_MS);
    this.deliveries = new Histogram({
      name: 'webhook_delivery_duration_seconds',
      help: 'Duration of attempts at messages of webhooks, by outcome',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20],
      registers: [registry],
    });
    for (const outcome of ['delivered', 'failed']) this.deliveries.zero({ outcome });
  }

  protected override async run(): Promise<void> {
    await this.repeat(async () => {
      const free = MAX_WEBHOOKS_SERVED - this.running.size;
      if (free === 0) return POLL_INTERVAL_MS;
      try {
        const claimed = await this.webhooks.claim(free, this.busy);
        for (const webhook of claimed) this.start(webhook);
        return POLL_INTERVAL_MS;
      } catch (error) {
        this.outage.note(`Webhooks cannot be claimed: ${failureName(error as Error)}`);
        return RETRY_INTERVAL_MS;
      }
    });
    await Promise.all(this.running);
  }

  private start(webhook: ClaimedWebhook): void {
    const shared = countedBy(webhook.storeId, new URL(webhook.url).hostname);
    this.count(shared, 1);
    const turn = this.webhooks
      .execute(webhook, this.stopping, (attempt) => this.observe(attempt))
      .catch((error: Error) => this.outage.note(`A webhook was not served: ${failureName(error)}`))
      .finally(() => {
        this.count(shared, -1);
        this.running.delete(turn);
      });
    this.running.add(turn);
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
