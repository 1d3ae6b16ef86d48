import { ApplicationModule } from '@app/application';
import { BundlesModule } from '@app/bundles';
import {
  type Config,
  type Extension,
  InfrastructureModule,
  type JsonLogger,
  PipelineWorkerModule,
} from '@app/infrastructure';
import { RepresentationsModule } from '@app/representations';
import { Module, type DynamicModule } from '@nestjs/common';
import { PeopleController } from './people/people.controller.js';
import { AuditController } from './audit/audit.controller.js';
import { BrandsController } from './catalog/brands.controller.js';
import { CategoriesController } from './catalog/categories.controller.js';
import { FeedController } from './feed/feed.controller.js';
import { CustomersController } from './customers/customers.controller.js';
import { DashboardModule } from './dashboard/dashboard.module.js';
import { HttpModule } from './http/http.module.js';
import { ImportController } from './import/import.controller.js';
import { KeysController } from './keys/keys.controller.js';
import { JournalController } from './orders/journal.controller.js';
import { OrderChangesController } from './orders/order-changes.controller.js';
import { OrdersController } from './orders/orders.controller.js';
import { StatisticsController } from './orders/statistics.controller.js';
import { PriceListsController } from './catalog/price-lists.controller.js';
import { PricesController } from './catalog/prices.controller.js';
import { ProductsController } from './catalog/products.controller.js';
import { SkusController } from './catalog/skus.controller.js';
import type { Metrics } from './status/metrics.js';
import { StatusModule } from './status/status.module.js';
import { StockController } from './stock/stock.controller.js';
import { WarehousesController } from './stock/warehouses.controller.js';
import { AttentionController } from './stores/attention.controller.js';
import { KeyController } from './stores/key.controller.js';
import { SearchController } from './stores/search.controller.js';
import { SettingsController } from './stores/settings.controller.js';
import { StoreController } from './stores/store.controller.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

/** What the process creates before its modules. */
export interface Process {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly logger: JsonLogger;
  readonly metrics: Metrics;
  readonly extension?: Extension;
}

@Module({
  // The OpenAPI document lists the controllers in this sequence.
  controllers: [
    OrdersController,
    OrderChangesController,
    JournalController,
    StatisticsController,
    ProductsController,
    SkusController,
    PricesController,
    PriceListsController,
    CategoriesController,
    BrandsController,
    StockController,
    WarehousesController,
    ImportController,
    CustomersController,
    StoreController,
    SettingsController,
    KeyController,
    KeysController,
    PeopleController,
    AttentionController,
    AuditController,
    SearchController,
    FeedController,
    WebhooksController,
  ],
})
export class ApiModule {
  static on({ config, databaseUrl, logger, metrics, extension = {} }: Process): DynamicModule {
    const application = ApplicationModule.on([
      InfrastructureModule.on(config, databaseUrl, metrics, extension),
      RepresentationsModule,
      BundlesModule,
    ]);
    const directUrl = config.databaseDirectUrl ?? databaseUrl;
    const worker = PipelineWorkerModule.on(application, directUrl, config, logger);
    return {
      module: ApiModule,
      imports: [
        application,
        StatusModule.on(config, databaseUrl, metrics, extension.migrations),
        HttpModule.on(logger),
        ...(config.dashboard ? [DashboardModule.on(config)] : []),
        ...(extension.modules ?? []),
        ...(config.pipeline === 'inline' ? [worker] : []),
      ],
    };
  }
}
