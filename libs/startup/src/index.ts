export * from './end-signals.js';
export * from './open-database.js';
export * from './require-one-nest.js';
export * from './run-process.js';
