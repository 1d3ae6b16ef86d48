import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveStatus } from '@app/infrastructure';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Metrics } from './metrics.js';

/** Serves `/metrics` at a separate port, from the start of the application until everything else is closed. */
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | null = null;

  constructor(
    private readonly host: string,
    private readonly wanted: number,
    private readonly metrics: Metrics,
  ) {}

  /** The port, once the application has started. */
  get port(): number {
    return (this.server?.address() as AddressInfo).port;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.server = await serveStatus(this.host, this.wanted, this.metrics);
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}
