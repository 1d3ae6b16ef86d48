import { runApi } from 'store-commerce/api';
import { extension } from './extension.js';

runApi(extension(process.env));
