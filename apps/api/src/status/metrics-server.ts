import { HealthReport, serveStatus, type StatusServer } from '@app/health';
import { Config } from '@app/infrastructure';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics } from './metrics.js';

/** Stays open until everything else is closed. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: StatusServer | null = null;

  constructor(
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly health: HealthReport,
  ) {}

  get port(): number {
    return (this.server as StatusServer).port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { host, metricsPort } = this.config;
    const state = { isLive: true, health: this.health };
    this.server = await serveStatus(host, metricsPort ?? 0, this.metrics, () => state);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }
}
