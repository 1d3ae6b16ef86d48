import 'reflect-metadata';

// What applications of other teams import as `store-commerce/worker`.
export { runWorker } from './run-worker.js';
