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
  StockLedger,
  StoreRepository,
} from '@app/application';
import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
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
import { PostgresPersonalData } from './customers/postgres-personal-data.js';
import { dataSourceOptions, poolOf } from './postgres/data-source.js';
import { Database } from './postgres/database.js';
import { MaintenanceConnection } from './postgres/maintenance-connection.js';
import { ENTITIES } from './entities.js';
import { PostgresHeldOrders } from './orders/postgres-held-orders.js';
import { PostgresOrderLifecycle } from './orders/postgres-order-lifecycle.js';
import { PostgresOrderPlacement } from './orders/postgres-order-placement.js';
import { PostgresOrderRepository } from './orders/postgres-order.repository.js';
import { PostgresProductRepository } from './catalog/postgres-product.repository.js';
import { PostgresSkuRepository } from './catalog/postgres-sku.repository.js';
import { PostgresStageRetries } from './orders/postgres-stage-retries.js';
import { PostgresEncryptedSecrets } from './secrets/postgres-encrypted-secrets.js';
import { PostgresStockLedger } from './stock/postgres-stock-ledger.js';
import { TypeOrmStoreRepository } from './stores/typeorm-store.repository.js';
import { ReadReplicas } from './postgres/read-replicas.js';
import { discardSilentConnections } from './postgres/silent-connections.js';
import { PostgresClock } from './postgres/postgres-clock.js';
import { watchDataSource } from './postgres/watch-statements.js';
import { Transactions } from './postgres/transactions.js';
import { LiveCatalogPricing } from './catalog/live-catalog-pricing.js';
import { PostgresPipelineStages } from './orders/postgres-pipeline-stages.js';

const ADAPTERS = [
  { provide: ApiKeyRepository, useClass: PostgresApiKeyRepository },
  { provide: BrandRepository, useClass: TypeOrmBrandRepository },
  { provide: CatalogPricing, useClass: LiveCatalogPricing },
  { provide: CategoryRepository, useClass: TypeOrmCategoryRepository },
  { provide: ChangeFeed, useClass: PostgresChangeFeed },
  { provide: Clock, useClass: PostgresClock },
  { provide: CustomerRepository, useClass: PostgresCustomerRepository },
  { provide: EncryptedSecrets, useClass: PostgresEncryptedSecrets },
  { provide: FraudScreening, useClass: StoreFraudScreening },
  { provide: HeldOrders, useClass: PostgresHeldOrders },
  { provide: Notifier, useClass: MailNotifier },
  { provide: OrderLifecycle, useClass: PostgresOrderLifecycle },
  { provide: OrderPlacement, useClass: PostgresOrderPlacement },
  { provide: OrderRepository, useClass: PostgresOrderRepository },
  { provide: PersonalData, useClass: PostgresPersonalData },
  { provide: PipelineStages, useClass: PostgresPipelineStages },
  { provide: ProductRepository, useClass: PostgresProductRepository },
  { provide: SkuRepository, useClass: PostgresSkuRepository },
  { provide: StageRetries, useClass: PostgresStageRetries },
  { provide: StockLedger, useClass: PostgresStockLedger },
  { provide: StoreRepository, useClass: TypeOrmStoreRepository },
];

/** Binds every port to its adapter. */
@Module({})
export class InfrastructureModule {
  /**
   * @param databaseUrl of the configured database, or of the embedded one once it runs.
   * @param metrics of the process, if it serves them.
   */
  static on(config: Config, databaseUrl: string, metrics = new ServiceMetrics()): DynamicModule {
    const logger = new Logger('Database');
    const brokenConnections = new OutageLog('Broken connections', (line) => logger.warn(line));
    const onPoolError = (error: Error) => brokenConnections.note(`An idle connection broke: ${error.message}`);
    return {
      module: InfrastructureModule,
      imports: [
        TypeOrmModule.forRoot({
          ...dataSourceOptions({ url: databaseUrl, poolSize: config.databasePoolSize, onPoolError }),
          entities: ENTITIES,
        }),
        TypeOrmModule.forFeature(ENTITIES),
      ],
      providers: [
        { provide: Config, useValue: config },
        { provide: ServiceMetrics, useValue: metrics },
        {
          provide: MaintenanceConnection,
          useFactory: () => new MaintenanceConnection(config.databaseDirectUrl ?? databaseUrl),
        },
        { provide: DataCipher, useFactory: () => dataCipher(config) },
        {
          provide: Database,
          useFactory: (dataSource: DataSource) => {
            watchDataSource(dataSource, metrics);
            discardSilentConnections(poolOf(dataSource));
            return new Database(() => poolOf(dataSource), metrics);
          },
          inject: [DataSource],
        },
        {
          provide: ReadReplicas,
          useFactory: (dataSource: DataSource, { searches }: Database) => {
            const { databaseReplicaUrls, databasePoolSize } = config;
            return new ReadReplicas(() => poolOf(dataSource), databaseReplicaUrls, databasePoolSize, metrics, searches);
          },
          inject: [DataSource, Database],
        },
        KeyUsage,
        Transactions,
        ...ADAPTERS,
      ],
      exports: [Config, DataCipher, Database, ...ADAPTERS.map(({ provide }) => provide)],
    };
  }
}
