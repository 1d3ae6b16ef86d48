import { HealthConnection, InstallationGauges, ServiceMetrics, type GaugeRow } from '@app/infrastructure';
import type { RunningApi } from './start-api.js';

/** Returns what the database says now. `/health` and `/metrics` may show what it said a second ago. */
export async function freshGauge({ app }: Pick<RunningApi, 'app'>, name: string): Promise<readonly GaugeRow[] | null> {
  const gauges = new InstallationGauges(app.get(HealthConnection, { strict: false }), new ServiceMetrics());
  return (await gauges.read()).get(name) ?? null;
}
