import { ApplicationModule } from '@app/application';
import {
  type Config,
  type Extension,
  InfrastructureModule,
  type JsonLogger,
  PipelineWorkerModule,
} from '@app/infrastructure';
import { RepresentationsModule } from '@app/representations';
import { Module, type DynamicModule } from '@nestjs/common';
import { AuthModule } from './auth/auth.module.js';
import { CatalogModule } from './catalog/catalog.module.js';
import { ChangesModule } from './changes/changes.module.js';
import { CustomersModule } from './customers/customers.module.js';
import { ErrorsModule } from './errors/errors.module.js';
import { HttpModule } from './http/http.module.js';
import type { ConcurrencyLimits } from './http/server/concurrency-limits.js';
import { OrdersModule } from './orders/orders.module.js';
import { QueryModule } from './query/query.module.js';
import type { Metrics } from './status/metrics.js';
import { StatusModule } from './status/status.module.js';
import { StockModule } from './stock/stock.module.js';
import { StoreModule } from './store/store.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

export interface Process {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly logger: JsonLogger;
  readonly metrics: Metrics;
  readonly limits: ConcurrencyLimits;
  readonly extension?: Extension;
}

/** In the order of the OpenAPI document. */
@Module({})
export class ApiModule {
  static on({ config, databaseUrl, logger, metrics, limits, extension = {} }: Process): DynamicModule {
    const application = ApplicationModule.on([
      InfrastructureModule.on(config, databaseUrl, metrics, extension),
      RepresentationsModule,
    ]);
    const directUrl = config.databaseDirectUrl ?? databaseUrl;
    const worker = PipelineWorkerModule.on(application, directUrl, config, logger);
    return {
      module: ApiModule,
      imports: [
        application,
        StatusModule.on(config, databaseUrl, metrics, extension.migrations),
        HttpModule.on({ logger, limits }),
        AuthModule,
        QueryModule,
        ErrorsModule,
        OrdersModule,
        CatalogModule,
        StockModule,
        CustomersModule,
        StoreModule,
        ChangesModule,
        WebhooksModule,
        ...(extension.modules ?? []),
        ...(config.pipeline === 'inline' ? [worker] : []),
      ],
    };
  }
}
