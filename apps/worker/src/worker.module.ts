import { ApplicationModule } from '@app/application';
import {
  type Config,
  InfrastructureModule,
  type JsonLogger,
  PipelineWorkerModule,
  type ServiceMetrics,
} from '@app/infrastructure';
import { Module, type DynamicModule } from '@nestjs/common';

/** The pipeline worker as a separate process. */
@Module({})
export class WorkerModule {
  static on(config: Config, databaseUrl: string, logger: JsonLogger, metrics: ServiceMetrics): DynamicModule {
    const application = ApplicationModule.on([InfrastructureModule.on(config, databaseUrl, metrics)]);
    const directUrl = config.databaseDirectUrl ?? databaseUrl;
    return {
      module: WorkerModule,
      imports: [PipelineWorkerModule.on(application, directUrl, config, { logger, metrics })],
    };
  }
}
