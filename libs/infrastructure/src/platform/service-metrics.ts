import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import { oncePerSecond } from './once-per-second.js';

export class ServiceMetrics {
  readonly registry = new Registry();

  /** The text is cached: rendering blocks the event loop for milliseconds, and the endpoint needs no API key. */
  readonly text = oncePerSecond(async () => Buffer.from(await this.registry.metrics()));

  observeProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  observeLog(droppedLines: () => number): void {
    new Counter({
      name: 'log_lines_dropped_total',
      help: 'Log lines lost because standard output was not read',
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(droppedLines());
      },
    });
  }
}
