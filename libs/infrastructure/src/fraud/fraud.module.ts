import { FraudScreening } from '@app/application';
import { withOwnRules, type FraudRule } from '@app/domain';
import { Module, type DynamicModule } from '@nestjs/common';
import { Database } from '../postgres/database.js';
import { StoreFraudScreening } from './store-fraud-screening.js';

@Module({ exports: [FraudScreening] })
export class FraudModule {
  /** @param ownRules these rules judge every order, after the rules of the service. */
  static on(ownRules: readonly FraudRule[]): DynamicModule {
    const rules = withOwnRules(ownRules);
    return {
      module: FraudModule,
      providers: [
        {
          provide: FraudScreening,
          useFactory: (database: Database) => new StoreFraudScreening(database, rules),
          inject: [Database],
        },
      ],
    };
  }
}
