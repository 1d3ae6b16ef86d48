import { runWorker } from 'store-commerce/worker';
import { extension } from './extension.js';

runWorker(extension(process.env));
