import { ApplicationModule } from '@app/application';
import { HealthModule } from '@app/health';
import {
  type Config,
  type Extension,
  InfrastructureModule,
  type JsonLogger,
  PipelineWorkerModule,
  type ServiceMetrics,
} from '@app/infrastructure';
import { RepresentationsModule } from '@app/representations';
import { Module, type DynamicModule } from '@nestjs/common';

@Module({})
export class WorkerModule {
  static on(
    config: Config,
    databaseUrl: string,
    logger: JsonLogger,
    metrics: ServiceMetrics,
    extension: Extension,
  ): DynamicModule {
    const application = ApplicationModule.on([
      InfrastructureModule.on(config, databaseUrl, metrics, extension),
      RepresentationsModule,
    ]);
    const directUrl = config.databaseDirectUrl ?? databaseUrl;
    return {
      module: WorkerModule,
      imports: [
        PipelineWorkerModule.on(application, directUrl, config, logger),
        HealthModule.on(databaseUrl, extension.migrations),
      ],
    };
  }
}
