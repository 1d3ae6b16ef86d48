import { Module, type DynamicModule } from '@nestjs/common';
import { AccessModule } from './access/access.module.js';
import { AuditModule } from './audit/audit.module.js';
import { CatalogModule } from './catalog/catalog.module.js';
import { CustomersModule } from './customers/customers.module.js';
import type { Extension } from './extension.js';
import { FeedModule } from './feed/feed.module.js';
import { FraudModule } from './fraud/fraud.module.js';
import { MailModule } from './mail/mail.module.js';
import { OrdersModule } from './orders/orders.module.js';
import type { Config } from './platform/config.js';
import { ServiceMetrics } from './platform/service-metrics.js';
import { PostgresModule } from './postgres/postgres.module.js';
import { SecretsModule } from './secrets/secrets.module.js';
import { StockModule } from './stock/stock.module.js';
import { StoresModule } from './stores/stores.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** Binds every port by the module of its feature. */
@Module({})
export class InfrastructureModule {
  static on(
    config: Config,
    databaseUrl: string,
    metrics = new ServiceMetrics(),
    { fraudRules = [], channels = {}, pricing, charges }: Extension = {},
  ): DynamicModule {
    const features = [
      AccessModule,
      AuditModule,
      CatalogModule.on(pricing, charges),
      CustomersModule,
      FeedModule,
      FraudModule.on(fraudRules),
      MailModule.on(channels),
      OrdersModule,
      SecretsModule,
      StockModule,
      StoresModule,
      WebhooksModule,
    ];
    return {
      module: InfrastructureModule,
      imports: [PostgresModule.on(config, databaseUrl, metrics), ...features],
      exports: features,
    };
  }
}
