import { ACCESS_MUTANTS } from './access-mutants.js';
import { FEED_MUTANTS } from './feed-mutants.js';
import { LIFE_MUTANTS } from './life-mutants.js';
import type { Mutant } from './mutant.js';
import { ORDER_MUTANTS } from './order-mutants.js';
import { REQUEST_MUTANTS } from './request-mutants.js';
import { STOCK_MUTANTS } from './stock-mutants.js';
import { WEBHOOK_MUTANTS } from './webhook-mutants.js';

export const MUTANTS: readonly Mutant[] = [
  ...ORDER_MUTANTS,
  ...LIFE_MUTANTS,
  ...STOCK_MUTANTS,
  ...WEBHOOK_MUTANTS,
  ...REQUEST_MUTANTS,
  ...ACCESS_MUTANTS,
  ...FEED_MUTANTS,
];
