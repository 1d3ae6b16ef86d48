import { HealthModule } from '@app/health';
import type { Config, OwnMigrations } from '@app/infrastructure';
import { Module, type DynamicModule } from '@nestjs/common';
import { FailureCounts } from '../errors/failure-reports.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsServer } from './metrics-server.js';
import { Metrics } from './metrics.js';

@Module({})
export class StatusModule {
  static on({ metricsPort }: Config, databaseUrl: string, metrics: Metrics, migrations?: OwnMigrations): DynamicModule {
    const isApart = metricsPort !== null;
    return {
      module: StatusModule,
      global: true,
      imports: [HealthModule.on(databaseUrl, migrations)],
      controllers: [HealthController, ...(isApart ? [] : [MetricsController])],
      providers: [
        { provide: Metrics, useValue: metrics },
        { provide: FailureCounts, useExisting: Metrics },
        ...(isApart ? [MetricsServer] : []),
      ],
      exports: [Metrics, FailureCounts, HealthModule],
    };
  }
}
