import { Config, JsonLogger } from '@app/infrastructure';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ApiKeyGuard } from '../access/api-key.guard.js';
import { Throttle } from '../access/throttle.js';
import { ApiExceptionFilter } from './api-exception.filter.js';
import { FailureReports } from '../errors/failure-reports.js';
import { QueryGuard } from '../query/query.guard.js';
import { Tables } from '../query/tables.js';

/**
 * Provides what every request passes, including those to routes that other teams add. The guards run in this sequence.
 */
@Module({})
export class HttpModule {
  static on(logger: JsonLogger): DynamicModule {
    return {
      module: HttpModule,
      global: true,
      providers: [
        { provide: JsonLogger, useValue: logger },
        {
          provide: Throttle,
          useFactory: ({ throttlePer10s }: Config) => new Throttle(throttlePer10s),
          inject: [Config],
        },
        ApiKeyGuard,
        FailureReports,
        Tables,
        { provide: APP_GUARD, useExisting: ApiKeyGuard },
        { provide: APP_GUARD, useClass: QueryGuard },
        { provide: APP_FILTER, useClass: ApiExceptionFilter },
      ],
      exports: [JsonLogger, Tables],
    };
  }
}
