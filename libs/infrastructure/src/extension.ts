import type { CatalogPricing, Notifier, OrderCharges } from '@app/application';
import type { FraudRule } from '@app/domain';
import type { ModuleMetadata } from '@nestjs/common';
import type { Provided } from './platform/provided.js';
import type { OwnMigrations } from './postgres/migrations.js';

export interface Extension {
  /** These rules judge every order, after the rules of the service. */
  readonly fraudRules?: readonly FraudRule[];
  /**
   * These channels are notified of every order, in addition to mail. The key is the channel's name, which is stored
   * with each delivery: a renamed channel is notified again.
   */
  readonly channels?: Readonly<Record<string, Provided<Notifier>>>;
  /** Prices every order. It may inject `LiveCatalogPricing`, which reads the catalog. */
  readonly pricing?: Provided<CatalogPricing>;
  /** Adds tax, shipping and discount to every order. */
  readonly charges?: Provided<OrderCharges>;
  /** The API serves these modules under its guard, limits, error codes, request log and documentation. */
  readonly modules?: NonNullable<ModuleMetadata['imports']>;
  /** These migrations run after those of the service. The API is ready when they have been applied. */
  readonly migrations?: OwnMigrations;
}
