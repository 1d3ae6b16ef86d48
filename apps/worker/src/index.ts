import 'reflect-metadata';

export { runWorker } from './run-worker.js';
