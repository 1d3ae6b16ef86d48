import { Injectable } from '@nestjs/common';
import type { PipelineState } from '@app/infrastructure';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The figures of one application instance. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  readonly requestDuration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its response',
    labelNames: ['method', 'route', 'status', 'mode'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });

  /** For fair-use monitoring. As many series as keys were used in the life of the process. */
  readonly keyRequests = new Counter({
    name: 'api_key_requests_total',
    help: 'Requests by API key',
    labelNames: ['key_id'],
    registers: [this.registry],
  });

  readonly unexpectedInput = new Counter({
    name: 'database_unexpected_input_total',
    help: 'Values that validation let pass and the database refused; should be 0',
    labelNames: ['sqlstate'],
    registers: [this.registry],
  });

  readonly refusedRequests = new Counter({
    name: 'http_refused_requests_total',
    help: 'Requests answered 503 at once because as many of their kind were at work as can be',
    labelNames: ['kind'],
    registers: [this.registry],
  });

  readonly droppedConnections = new Counter({
    name: 'http_dropped_connections_total',
    help: 'Connections closed at once because as many were open as can be',
    registers: [this.registry],
  });

  readonly malformedRequests = new Counter({
    name: 'http_malformed_requests_total',
    help: 'Connections on which something other than an HTTP/1 request arrived',
    labelNames: ['code'],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Shows the pipeline as `state` knows it when the figures are asked for; unknown is NaN. */
  observePipeline(state: () => PipelineState | null): void {
    const gauge = (name: string, help: string, value: (pipeline: PipelineState) => number) =>
      new Gauge({
        name,
        help,
        registers: [this.registry],
        collect() {
          const pipeline = state();
          this.set(pipeline ? value(pipeline) : NaN);
        },
      });
    gauge('pipeline_lag_seconds', 'Age of the oldest due job', ({ lagSeconds }) => lagSeconds);
    gauge('pipeline_dead_letters', 'Stages given up after their last attempt', ({ deadLetters }) => deadLetters);
  }
}
