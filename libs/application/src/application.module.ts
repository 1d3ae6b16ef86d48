import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { ApiKeysService } from './access/api-keys.service.js';
import { AuthenticateApiKey } from './access/authenticate-api-key.js';
import { SignInService } from './access/sign-in.service.js';
import { PeopleService } from './access/people.service.js';
import { BrandsService, CategoriesService, ProductsService, SkusService } from './catalog/catalog.service.js';
import { ChangePrices } from './catalog/change-prices.js';
import { CustomerPrices } from './catalog/customer-prices.js';
import { PriceListsService } from './catalog/price-lists.service.js';
import { ChangedRecords } from './feed/changed-records.js';
import { FeedService } from './feed/feed.service.js';
import { FeedWatch } from './feed/feed-watch.js';
import { CustomersService } from './customers/customers.service.js';
import { ChangeOrder } from './orders/change-order.js';
import { CreateOrder } from './orders/create-order.js';
import { OrderQuotes } from './orders/order-quotes.js';
import { OrdersService } from './orders/orders.service.js';
import { PreviewOrder } from './orders/preview-order.js';
import { RescreenHeldOrders } from './orders/rescreen-held-orders.js';
import { RunPipelineStage } from './orders/run-pipeline-stage.js';
import { RotateSecrets } from './secrets/rotate-secrets.js';
import { StockService } from './stock/stock.service.js';
import { StoreProfileService } from './stores/store-profile.service.js';
import { DeliverWebhooks } from './webhooks/deliver-webhooks.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

const USE_CASES = [
  AuthenticateApiKey,
  ApiKeysService,
  SignInService,
  PeopleService,
  ChangeOrder,
  CreateOrder,
  PreviewOrder,
  RunPipelineStage,
  RescreenHeldOrders,
  RotateSecrets,
  OrderQuotes,
  OrdersService,
  ProductsService,
  SkusService,
  ChangePrices,
  CustomerPrices,
  PriceListsService,
  StockService,
  CustomersService,
  CategoriesService,
  BrandsService,
  StoreProfileService,
  ChangedRecords,
  FeedService,
  FeedWatch,
  WebhooksService,
  DeliverWebhooks,
];

/**
 * Provides the use cases, and what the adapters export, to all modules. `adapters` are modules that together bind every
 * port.
 */
@Module({})
export class ApplicationModule {
  static on(adapters: readonly (DynamicModule | Type)[]): DynamicModule {
    return {
      module: ApplicationModule,
      global: true,
      imports: [...adapters],
      providers: USE_CASES,
      // The adapters are re-exported instead of being global themselves: Nest would shut them down after the database
      // that their last writes need.
      exports: [...USE_CASES, ...adapters],
    };
  }
}
