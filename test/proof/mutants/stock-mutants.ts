import { mutant, type Mutant } from './mutant.js';

const CHANGES = 'libs/infrastructure/src/stock/postgres-stock-changes.ts';
const DOMAIN = 'libs/domain/src/stock/stock-change.ts';

const WRONG_COUNT = /after COUNT \S+ it holds \d+, the shelf gives \d+/;

/** Defects in reports of stock. */
export const STOCK_MUTANTS: readonly Mutant[] = [
  mutant('a count on hand keeps the units that are sold', 'stock', WRONG_COUNT, [
    CHANGES,
    `isOnHand: asked.write.kind === 'count' && asked.write.basis === 'on_hand'`,
    `isOnHand: asked.write.kind === 'count' && asked.write.basis === null`,
  ]),
  mutant('a count forgets what moved after its cursor', 'stock', WRONG_COUNT, [
    DOMAIN,
    'counted - facts.unshipped + facts.movedSince + this.adjusted',
    'counted - facts.unshipped + this.adjusted',
  ]),
  mutant('a quantity is written whatever was expected', 'stock', /a quantity of an old reading overwrites a sale/, [
    DOMAIN,
    'if (expected !== null && expected !== this.quantity) {',
    'if (expected !== null && expected < 0) {',
  ]),
  mutant('reports lock bins in another order than orders', 'stock', /PostgreSQL counted \d+ deadlocks/, [
    'libs/infrastructure/src/stock/stock-quantities.ts',
    `  ORDER BY stock.product_id, stock.variant_key, stock.bin_id
  FOR NO KEY UPDATE OF stock\`;`,
    `  ORDER BY stock.product_id DESC, stock.variant_key, stock.bin_id
  FOR NO KEY UPDATE OF stock\`;`,
  ]),
];
