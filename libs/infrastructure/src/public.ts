// What applications of other teams import as `store-commerce/infrastructure`: what an extension is, and what its tables and
// tests need.
export { LiveCatalogPricing } from './catalog/live-catalog-pricing.js';
export type { Extension } from './extension.js';
export { Config, ConfigError } from './platform/config.js';
export { JsonLogger } from './platform/json-logger.js';
export type { Provided } from './platform/provided.js';
export { Database, type PreparedOptions } from './postgres/database.js';
export { migrate, type MigrationReport } from './postgres/migrate.js';
export type { Migration, OwnMigrations } from './postgres/migrations.js';
export { IS_FOR_SALE } from './stock/available-stock.js';
