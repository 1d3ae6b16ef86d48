export * from './config.js';
export * from './data-cipher.js';
export * from './embedded-postgres/embedded-postgres.js';
export * from './infrastructure.module.js';
export * from './persistence/data-source.js';
export * from './persistence/database.js';
export * from './persistence/migrate.js';
export * from './persistence/postgres-errors.js';
