import { JsonLogger } from '@app/infrastructure';
import { Module, type DynamicModule } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { HttpPlugins } from './plugins.js';
import { ConcurrencyLimits } from './server/concurrency-limits.js';

@Module({})
export class HttpModule {
  static on({ logger, limits }: { logger: JsonLogger; limits: ConcurrencyLimits }): DynamicModule {
    return {
      module: HttpModule,
      global: true,
      imports: [AuthModule],
      providers: [
        HttpPlugins,
        { provide: JsonLogger, useValue: logger },
        { provide: ConcurrencyLimits, useValue: limits },
      ],
      exports: [JsonLogger],
    };
  }
}
