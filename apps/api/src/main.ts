import 'reflect-metadata';
import { runApi } from './run-api.js';

runApi();
