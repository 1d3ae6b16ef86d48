import { Injectable } from '@nestjs/common';
import { ServiceMetrics } from '@app/infrastructure';
import { Counter, Gauge, Histogram } from 'prom-client';
import { ERROR_CODES } from '../errors/request-errors.js';
import type { FailureCounts } from '../errors/failure-reports.js';

export interface RequestLabels {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly mode: 'live' | 'test' | '';
}

/** The methods that metrics name; a client can invent any number of others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

@Injectable()
export class Metrics extends ServiceMetrics implements FailureCounts {
  private readonly requestDuration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its response',
    labelNames: ['method', 'route', 'status', 'mode'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });

  private readonly ordersCreated = this.counter('orders_created_total', 'Placed orders', 'mode');

  private readonly ordersReplayed = this.counter(
    'orders_replayed_total',
    'Repeated requests that returned the first answer',
    'mode',
  );

  private readonly ordersRefused = this.counter(
    'orders_refused_total',
    'Order requests that placed no order, by error code',
    'reason',
  );

  readonly keyRequests = this.counter('api_key_requests_total', 'Requests by API key', 'key_id');

  private readonly unexpectedInput = this.counter(
    'database_unexpected_input_total',
    'Values that passed validation and that the database rejected; should be 0',
    'sqlstate',
  );

  readonly refusedRequests = this.counter(
    'http_refused_requests_total',
    'Requests answered 503 at once because the concurrency limit of their kind was reached',
    'kind',
  );

  readonly droppedConnections = new Counter({
    name: 'http_dropped_connections_total',
    help: 'Connections closed because the process had reached its connection limit',
    registers: [this.registry],
  });

  readonly unansweredRequests = this.counter(
    'http_unanswered_requests_total',
    'Requests whose connection closed before their answer was sent',
    'route',
  );

  readonly malformedRequests = this.counter(
    'http_malformed_requests_total',
    'Connections on which something other than an HTTP/1 request arrived',
    'code',
  );

  private counter<Label extends string>(name: string, help: string, label: Label): Counter<Label> {
    return new Counter({ name, help, labelNames: [label], registers: [this.registry] });
  }

  constructor() {
    super();
    this.observeProcess();
    for (const mode of ['live', 'test']) {
      this.ordersCreated.inc({ mode }, 0);
      this.ordersReplayed.inc({ mode }, 0);
    }
    for (const reason of ERROR_CODES) this.ordersRefused.inc({ reason }, 0);
  }

  observeRequest(labels: RequestLabels, seconds: number): void {
    const bounded = METHODS.has(labels.method) ? labels : { ...labels, method: 'other' };
    this.requestDuration.observe({ ...bounded }, seconds);
  }

  countOrder(mode: 'live' | 'test', replayed: boolean): void {
    (replayed ? this.ordersReplayed : this.ordersCreated).inc({ mode });
  }

  countRefusedOrder(code: string): void {
    this.ordersRefused.inc({ reason: code });
  }

  countUnusableValue(code: string): void {
    this.unexpectedInput.inc({ sqlstate: code });
  }

  observeSlots(limits: readonly { readonly kind: string; readonly taken: number }[]): void {
    new Gauge({
      name: 'http_places_taken',
      help: 'Requests in progress by the limit that they count against: orders, reads or waits (for a change)',
      labelNames: ['kind'],
      registers: [this.registry],
      collect() {
        for (const { kind, taken } of limits) this.set({ kind }, taken);
      },
    });
  }
}
