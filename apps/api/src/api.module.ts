import { ApplicationModule } from '@app/application';
import { type Config, InfrastructureModule, JsonLogger, PipelineWorkerModule } from '@app/infrastructure';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { BrandsController } from './brands/brands.controller.js';
import { CategoriesController } from './categories/categories.controller.js';
import { CustomersController } from './customers/customers.controller.js';
import { ApiExceptionFilter } from './errors/api-exception.filter.js';
import { FailureCounters } from './errors/failure-counters.js';
import { FailureReports } from './errors/failure-reports.js';
import { OrdersController } from './orders/orders.controller.js';
import { ProductsController } from './products/products.controller.js';
import { Metrics } from './status/metrics.js';
import { StatusModule } from './status/status.module.js';
import { StoreController } from './store/store.controller.js';

@Module({})
export class ApiModule {
  static on(config: Config, databaseUrl: string, logger: JsonLogger, metrics: Metrics): DynamicModule {
    const application = ApplicationModule.on([InfrastructureModule.on(config, databaseUrl, metrics)]);
    const directUrl = config.databaseDirectUrl ?? databaseUrl;
    const worker = PipelineWorkerModule.on(application, directUrl, config, { logger, metrics });
    return {
      module: ApiModule,
      imports: [
        application,
        StatusModule.on(config, databaseUrl, metrics),
        ...(config.pipeline === 'inline' ? [worker] : []),
      ],
      controllers: [
        OrdersController,
        ProductsController,
        CustomersController,
        CategoriesController,
        BrandsController,
        StoreController,
      ],
      providers: [
        FailureReports,
        { provide: FailureCounters, useExisting: Metrics },
        { provide: JsonLogger, useValue: logger },
        { provide: APP_FILTER, useClass: ApiExceptionFilter },
      ],
    };
  }
}
