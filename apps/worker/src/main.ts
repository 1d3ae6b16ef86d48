import 'reflect-metadata';
import { runWorker } from './run-worker.js';

runWorker();
