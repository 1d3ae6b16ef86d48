import { type Config, DatabaseProbe } from '@app/infrastructure';
import { Module, type DynamicModule } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsServer } from './metrics-server.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

function observed(readiness: Readiness, metrics: Metrics): Readiness {
  metrics.observePipeline(() => readiness.pipeline);
  return readiness;
}

/** The routes for operators and load balancers. */
@Module({})
export class StatusModule {
  static on({ host, metricsPort }: Config, databaseUrl: string, metrics: Metrics): DynamicModule {
    const readiness = observed(new Readiness(new DatabaseProbe(databaseUrl)), metrics);
    const server = metricsPort === null ? null : new MetricsServer(host, metricsPort, metrics, readiness);
    return {
      module: StatusModule,
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [HealthController, ...(server ? [] : [MetricsController])],
      providers: [
        { provide: Metrics, useValue: metrics },
        ...(server ? [{ provide: MetricsServer, useValue: server }] : []),
        { provide: Readiness, useFactory: () => readiness },
      ],
      exports: [Metrics, Readiness],
    };
  }
}
