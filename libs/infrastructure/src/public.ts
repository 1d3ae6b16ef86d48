// Applications of other teams import this file as `store-commerce/infrastructure`. It exports what defines an
// extension, and what its tables and tests need.
export { LiveCatalogPricing } from './catalog/live-catalog-pricing.js';
export type { Extension } from './extension.js';
export { Config, ConfigError } from './platform/config.js';
export { JsonLogger } from './platform/json-logger.js';
export type { Provided } from './platform/provided.js';
export { Database, type PreparedOptions } from './postgres/database.js';
export { migrate, type MigrationReport } from './postgres/migrate.js';
export type { Migration, OwnMigrations } from './postgres/migrations.js';
export { IS_FOR_SALE } from './stock/available-stock.js';
