import 'reflect-metadata';

// Applications of other teams import this file as `store-commerce/worker`.
export { runWorker } from './run-worker.js';
