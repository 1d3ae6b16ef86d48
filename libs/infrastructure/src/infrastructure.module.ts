import {
  ApiKeyRepository,
  BrandRepository,
  CatalogPricing,
  CategoryRepository,
  ChangeFeed,
  Clock,
  CustomerRepository,
  EncryptedSecrets,
  FraudScreening,
  HeldOrders,
  Notifier,
  OrderLifecycle,
  OrderPlacement,
  OrderRepository,
  PersonalData,
  PipelineStages,
  ProductRepository,
  SkuRepository,
  StageRetries,
  StockChanges,
  StockLedger,
  StockRepository,
  StoreRepository,
  WebhookQueue,
  WebhookRepository,
  WebhookSender,
} from '@app/application';
import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { withOwnRules } from '@app/domain';
import type { Extension } from './extension.js';
import { Config } from './platform/config.js';
import { DataCipher, dataCipher } from './platform/data-cipher.js';
import { OutageLog } from './platform/outage-log.js';
import { ServiceMetrics } from './platform/service-metrics.js';
import { StoreFraudScreening } from './fraud/store-fraud-screening.js';
import { MailNotifier } from './notifications/mail-notifier.js';
import { KeyUsage } from './access/key-usage.js';
import { PostgresApiKeyRepository } from './access/postgres-api-key.repository.js';
import { TypeOrmBrandRepository } from './catalog/typeorm-brand.repository.js';
import { TypeOrmCategoryRepository } from './catalog/typeorm-category.repository.js';
import { PostgresCustomerRepository } from './customers/postgres-customer.repository.js';
import { PostgresChangeFeed } from './changes/postgres-change-feed.js';
import { PostgresPersonalData } from './orders/postgres-personal-data.js';
import { optionsOn, requestPool } from './postgres/data-source.js';
import { Database } from './postgres/database.js';
import { DatabaseMetrics } from './postgres/database-metrics.js';
import { MaintenanceConnection } from './postgres/maintenance-connection.js';
import { ENTITIES } from './entities.js';
import { NotificationChannels } from './orders/notification-channels.js';
import { PostgresHeldOrders } from './orders/postgres-held-orders.js';
import { PostgresOrderLifecycle } from './orders/postgres-order-lifecycle.js';
import { PostgresOrderPlacement } from './orders/postgres-order-placement.js';
import { PostgresOrderRepository } from './orders/postgres-order.repository.js';
import { PostgresProductRepository } from './catalog/postgres-product.repository.js';
import { PostgresSkuRepository } from './catalog/postgres-sku.repository.js';
import { PostgresStageRetries } from './orders/postgres-stage-retries.js';
import { PostgresEncryptedSecrets } from './secrets/postgres-encrypted-secrets.js';
import { PostgresStockChanges } from './stock/postgres-stock-changes.js';
import { PostgresStockRepository } from './stock/postgres-stock.repository.js';
import { PostgresStockLedger } from './stock/postgres-stock-ledger.js';
import { PostgresStoreRepository } from './stores/postgres-store.repository.js';
import { PostgresClock } from './postgres/postgres-clock.js';
import { watchDataSource } from './postgres/watch-statements.js';
import { Transactions } from './postgres/transactions.js';
import { LiveCatalogPricing } from './catalog/live-catalog-pricing.js';
import { PostgresPipelineStages } from './orders/postgres-pipeline-stages.js';
import { HttpsWebhookSender } from './webhooks/https-webhook-sender.js';
import { PostgresWebhookQueue } from './webhooks/postgres-webhook-queue.js';
import { PostgresWebhookRepository } from './webhooks/postgres-webhook.repository.js';

const ADAPTERS = [
  { provide: ApiKeyRepository, useClass: PostgresApiKeyRepository },
  { provide: BrandRepository, useClass: TypeOrmBrandRepository },
  { provide: CategoryRepository, useClass: TypeOrmCategoryRepository },
  { provide: ChangeFeed, useClass: PostgresChangeFeed },
  { provide: Clock, useClass: PostgresClock },
  { provide: CustomerRepository, useClass: PostgresCustomerRepository },
  { provide: EncryptedSecrets, useClass: PostgresEncryptedSecrets },
  { provide: HeldOrders, useClass: PostgresHeldOrders },
  { provide: OrderLifecycle, useClass: PostgresOrderLifecycle },
  { provide: OrderPlacement, useClass: PostgresOrderPlacement },
  { provide: OrderRepository, useClass: PostgresOrderRepository },
  { provide: PersonalData, useClass: PostgresPersonalData },
  { provide: PipelineStages, useClass: PostgresPipelineStages },
  { provide: ProductRepository, useClass: PostgresProductRepository },
  { provide: SkuRepository, useClass: PostgresSkuRepository },
  { provide: StageRetries, useClass: PostgresStageRetries },
  { provide: StockChanges, useClass: PostgresStockChanges },
  { provide: StockLedger, useClass: PostgresStockLedger },
  { provide: StockRepository, useClass: PostgresStockRepository },
  { provide: StoreRepository, useClass: PostgresStoreRepository },
  { provide: WebhookQueue, useClass: PostgresWebhookQueue },
  { provide: WebhookRepository, useClass: PostgresWebhookRepository },
  {
    provide: WebhookSender,
    useFactory: ({ webhookAllow }: Config) => new HttpsWebhookSender(webhookAllow),
    inject: [Config],
  },
];

function extensibleAdapters({ fraudRules = [], channels = {}, pricing }: Extension) {
  const rules = withOwnRules(fraudRules);
  if ('mail' in channels) throw new Error('Channel mail: the service has a channel of this name');
  const own = Object.entries(channels).map(([name, channel]) => ({ name, token: `channel ${name}`, channel }));
  const names = ['mail', ...own.map(({ name }) => name)];
  return [
    MailNotifier,
    LiveCatalogPricing,
    ...own.map(({ token, channel }) => ({ provide: token, ...channel })),
    { provide: CatalogPricing, ...(pricing ?? { useExisting: LiveCatalogPricing }) },
    {
      provide: FraudScreening,
      useFactory: (database: Database) => new StoreFraudScreening(database, rules),
      inject: [Database],
    },
    {
      provide: Notifier,
      useFactory: (database: Database, ...notifiers: [Notifier, ...Notifier[]]) =>
        own.length === 0
          ? notifiers[0]
          : new NotificationChannels(database, new Map(notifiers.map((each, index) => [names[index] ?? '', each]))),
      inject: [Database, MailNotifier, ...own.map(({ token }) => token)],
    },
  ];
}
const EXTENSIBLE = [CatalogPricing, FraudScreening, Notifier];

@Module({})
export class InfrastructureModule {
  static on(
    config: Config,
    databaseUrl: string,
    metrics = new ServiceMetrics(),
    extension: Extension = {},
  ): DynamicModule {
    const logger = new Logger('Database');
    const databaseMetrics = new DatabaseMetrics(metrics.registry);
    const brokenConnections = new OutageLog('Broken connections', (line) => logger.warn(line));
    const onPoolError = (error: Error) => brokenConnections.note(`An idle connection broke: ${error.message}`);
    const pool = requestPool({ url: databaseUrl, poolSize: config.databasePoolSize, onPoolError });
    databaseMetrics.observePool(() => pool);
    return {
      module: InfrastructureModule,
      imports: [TypeOrmModule.forRoot({ ...optionsOn(pool), entities: ENTITIES }), TypeOrmModule.forFeature(ENTITIES)],
      providers: [
        { provide: Config, useValue: config },
        { provide: pg.Pool, useValue: pool },
        { provide: ServiceMetrics, useValue: metrics },
        { provide: DatabaseMetrics, useValue: databaseMetrics },
        {
          provide: MaintenanceConnection,
          useFactory: () => new MaintenanceConnection(config.databaseDirectUrl ?? databaseUrl),
        },
        { provide: DataCipher, useFactory: () => dataCipher(config) },
        {
          provide: Database,
          useFactory: (dataSource: DataSource) => {
            watchDataSource(dataSource, databaseMetrics);
            return new Database(pool, databaseMetrics);
          },
          inject: [DataSource],
        },
        KeyUsage,
        Transactions,
        ...ADAPTERS,
        ...extensibleAdapters(extension),
      ],
      exports: [
        Config,
        DataCipher,
        Database,
        MailNotifier,
        ServiceMetrics,
        ...EXTENSIBLE,
        ...ADAPTERS.map(({ provide }) => provide),
      ],
    };
  }
}
