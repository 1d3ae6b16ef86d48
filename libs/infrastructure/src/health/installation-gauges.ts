import { Deadline } from '@app/application';
import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { FEED_GAUGE } from '../feed/feed-gauge.js';
import { STAGE_GAUGES } from '../orders/stage-gauges.js';
import { oncePerSecond } from '../platform/once-per-second.js';
import { ServiceMetrics } from '../platform/service-metrics.js';
import type { DatabaseGauge } from '../postgres/database-gauge.js';
import { SLOT_GAUGE } from '../postgres/slot-gauge.js';
import { WEBHOOK_GAUGES } from '../webhooks/webhook-gauges.js';
import { HEALTH_LIMIT_MS, HealthConnection } from './health-connection.js';

const GAUGES: readonly DatabaseGauge[] = [...STAGE_GAUGES, ...WEBHOOK_GAUGES, FEED_GAUGE, SLOT_GAUGE];

export type GaugeRow = Readonly<Record<string, string | number>> & { readonly value: number };

@Injectable()
export class InstallationGauges {
  /** Returns the rows of each gauge by name, at most a second old; null when the database did not answer in time. */
  readonly read = oncePerSecond(() => this.readAll());

  constructor(
    private readonly connection: HealthConnection,
    { registry }: ServiceMetrics,
  ) {
    const { read } = this;
    for (const { name, help, labelNames = [] } of GAUGES) {
      new Gauge({
        name,
        help,
        labelNames,
        registers: [registry],
        async collect() {
          const rows = (await read()).get(name) ?? null;
          this.reset();
          if (rows === null && labelNames.length === 0) this.set(NaN);
          for (const { value, ...labels } of rows ?? []) this.set(labels, value);
        },
      });
    }
  }

  /** Reads the gauges one after the other, so that a probe waits for at most one of them. */
  private async readAll(): Promise<ReadonlyMap<string, readonly GaugeRow[] | null>> {
    const deadline = Deadline.in(HEALTH_LIMIT_MS);
    const rows = new Map<string, readonly GaugeRow[] | null>();
    for (const { name, statement } of GAUGES) {
      const isLate = deadline.remainingMs === 0;
      rows.set(
        name,
        isLate ? null : await deadline.bound(this.connection.readGauge<GaugeRow>(statement)).catch(() => null),
      );
    }
    return rows;
  }
}
