import type { CatalogPricing, Notifier, OrderCharges } from '@app/application';
import type { FraudRule } from '@app/domain';
import type { ModuleMetadata } from '@nestjs/common';
import type { Provided } from './platform/provided.js';
import type { OwnMigrations } from './postgres/migrations.js';

export interface Extension {
  /** Judge every order, after the rules of the service. */
  readonly fraudRules?: readonly FraudRule[];
  /**
   * Notified of every order, in addition to mail. The key is the channel's name, which is stored with each delivery: a renamed channel
   * is notified again.
   */
  readonly channels?: Readonly<Record<string, Provided<Notifier>>>;
  /** Prices every order. It may inject `LiveCatalogPricing`, the catalog. */
  readonly pricing?: Provided<CatalogPricing>;
  /** Adds tax, shipping and discount to every order. */
  readonly charges?: Provided<OrderCharges>;
  /** Served by the API, under its guard, limits, error codes, request log and documentation. */
  readonly modules?: NonNullable<ModuleMetadata['imports']>;
  /** Run after those of the service. The API is ready when they have been applied. */
  readonly migrations?: OwnMigrations;
}
