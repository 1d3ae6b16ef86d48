import { ApplicationModule } from '@app/application';
import { type Config, InfrastructureModule, JsonLogger, PipelineWorkerModule } from '@app/infrastructure';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { BrandsController } from './brands/brands.controller.js';
import { BRANDS_DOCUMENTATION } from './brands/brands.openapi.js';
import { CategoriesController } from './categories/categories.controller.js';
import { CATEGORIES_DOCUMENTATION } from './categories/categories.openapi.js';
import { ChangesController } from './changes/changes.controller.js';
import { CHANGES_DOCUMENTATION } from './changes/changes.openapi.js';
import { CustomersController } from './customers/customers.controller.js';
import { CUSTOMERS_DOCUMENTATION } from './customers/customers.openapi.js';
import { ApiExceptionFilter } from './errors/api-exception.filter.js';
import { FailureCounts } from './errors/failure-counts.js';
import { FailureReports } from './errors/failure-reports.js';
import { OrdersController } from './orders/orders.controller.js';
import { ORDERS_DOCUMENTATION } from './orders/orders.openapi.js';
import { ProductsController } from './products/products.controller.js';
import { PRODUCTS_DOCUMENTATION } from './products/products.openapi.js';
import { SkusController } from './skus/skus.controller.js';
import { SKUS_DOCUMENTATION } from './skus/skus.openapi.js';
import { Metrics } from './status/metrics.js';
import { StatusModule } from './status/status.module.js';
import { StoreController } from './store/store.controller.js';
import { STORE_DOCUMENTATION } from './store/store.openapi.js';

/** The resources of the API, in the order of the OpenAPI document. */
const RESOURCES = [
  { controller: OrdersController, documentation: ORDERS_DOCUMENTATION },
  { controller: ProductsController, documentation: PRODUCTS_DOCUMENTATION },
  { controller: SkusController, documentation: SKUS_DOCUMENTATION },
  { controller: CustomersController, documentation: CUSTOMERS_DOCUMENTATION },
  { controller: CategoriesController, documentation: CATEGORIES_DOCUMENTATION },
  { controller: BrandsController, documentation: BRANDS_DOCUMENTATION },
  { controller: StoreController, documentation: STORE_DOCUMENTATION },
  { controller: ChangesController, documentation: CHANGES_DOCUMENTATION },
] as const;

export const DOCUMENTATION = RESOURCES.map(({ documentation }) => documentation);

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
      controllers: RESOURCES.map(({ controller }) => controller),
      providers: [
        FailureReports,
        { provide: FailureCounts, useExisting: Metrics },
        { provide: JsonLogger, useValue: logger },
        { provide: APP_FILTER, useClass: ApiExceptionFilter },
      ],
    };
  }
}
