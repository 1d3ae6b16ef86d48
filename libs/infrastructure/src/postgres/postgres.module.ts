import { Clock } from '@app/application';
import { Global, Logger, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { Config } from '../platform/config.js';
import { DataCipher, dataCipher } from '../platform/data-cipher.js';
import { OutageLog } from '../platform/outage-log.js';
import { ServiceMetrics } from '../platform/service-metrics.js';
import { BulkLimiter } from './bulk-limiter.js';
import { DirectDatabase } from './connection.js';
import { optionsOn, requestPool } from './data-source.js';
import { DatabaseMetrics } from './database-metrics.js';
import { Database } from './database.js';
import { PostgresClock } from './postgres-clock.js';
import { watchDataSource } from './watch-statements.js';

/** Provides the connections to the database and what every feature uses. */
@Global()
@Module({
  providers: [
    BulkLimiter,
    { provide: Clock, useClass: PostgresClock },
    { provide: DataCipher, useFactory: dataCipher, inject: [Config] },
  ],
  exports: [BulkLimiter, Clock, Config, DataCipher, Database, DirectDatabase, ServiceMetrics],
})
export class PostgresModule {
  static on(config: Config, databaseUrl: string, metrics: ServiceMetrics): DynamicModule {
    const logger = new Logger('Database');
    const databaseMetrics = new DatabaseMetrics(metrics.registry);
    const brokenConnections = new OutageLog('Broken connections', (line) => logger.warn(line));
    const onPoolError = (error: Error) => brokenConnections.note(`An idle connection broke: ${error.message}`);
    const pool = requestPool(databaseUrl, config.databasePoolSize, onPoolError);
    databaseMetrics.observePool(pool);
    return {
      module: PostgresModule,
      imports: [TypeOrmModule.forRoot({ ...optionsOn(pool), autoLoadEntities: true })],
      providers: [
        { provide: Config, useValue: config },
        { provide: pg.Pool, useValue: pool },
        { provide: ServiceMetrics, useValue: metrics },
        { provide: DatabaseMetrics, useValue: databaseMetrics },
        { provide: DirectDatabase, useValue: new DirectDatabase(config.databaseDirectUrl ?? databaseUrl) },
        {
          provide: Database,
          useFactory: (dataSource: DataSource) => {
            watchDataSource(dataSource, databaseMetrics);
            return new Database(pool, databaseMetrics);
          },
          inject: [DataSource],
        },
      ],
    };
  }
}
