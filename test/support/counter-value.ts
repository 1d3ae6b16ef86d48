import type { INestApplication } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../apps/api/src/status/metrics.js';

/** The sum of a counter's series with these labels. GET /metrics may be a second old. */
export async function counterValue(
  app: INestApplication,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { values } = await (app.get(Metrics).registry.getSingleMetric(name) as Counter).get();
  return values
    .filter((series) => Object.entries(labels).every(([label, value]) => series.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
