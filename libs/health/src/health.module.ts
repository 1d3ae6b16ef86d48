import { HealthConnection, InstallationGauges, type OwnMigrations } from '@app/infrastructure';
import { Module, type DynamicModule } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthReport } from './health-report.js';
import { Indicators, Readiness } from './indicators.js';

@Module({})
export class HealthModule {
  static on(databaseUrl: string, migrations?: OwnMigrations): DynamicModule {
    return {
      module: HealthModule,
      // The answer contains the failing checks, and many probes must not fill the log.
      imports: [TerminusModule.forRoot({ logger: false })],
      providers: [
        { provide: HealthConnection, useFactory: () => new HealthConnection(databaseUrl, migrations && [migrations]) },
        InstallationGauges,
        Readiness,
        Indicators,
        HealthReport,
      ],
      exports: [Readiness, HealthReport],
    };
  }
}
