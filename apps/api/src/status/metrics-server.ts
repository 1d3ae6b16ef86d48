import { serveStatus, type ReadinessReport, type StatusServer } from '@app/infrastructure';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Metrics } from './metrics.js';
import type { Readiness } from './readiness.js';

/**
 * Serves `/metrics` and the probes at a separate port, from the start of the application until everything else is
 * closed.
 */
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: StatusServer | null = null;

  constructor(
    private readonly host: string,
    private readonly wanted: number,
    private readonly metrics: Metrics,
    private readonly readiness: Readiness,
  ) {}

  /** The port, once the application has started. */
  get port(): number {
    return (this.server as StatusServer).port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const state = () => ({ isLive: true, readiness: reportOf(this.readiness) });
    this.server = await serveStatus(this.host, this.wanted, this.metrics, state);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }
}

function reportOf({ databaseAnswers, schemaCurrent, draining }: Readiness): ReadinessReport {
  const checks = { database: databaseAnswers, schema: schemaCurrent, serving: !draining };
  const isReady = Object.values(checks).every((isUp) => isUp);
  const states = Object.entries(checks).map(([name, isUp]) => [name, { status: isUp ? 'up' : 'down' }] as const);
  return { status: isReady ? 'ok' : 'error', details: Object.fromEntries(states) };
}
