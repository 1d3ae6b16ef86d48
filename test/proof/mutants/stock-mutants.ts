import { mutant, type Mutant } from './mutant.js';

const CHANGES = 'libs/infrastructure/src/stock/postgres-stock-changes.ts';
const DOMAIN = 'libs/domain/src/stock/stock-change.ts';
const PLACES = 'libs/infrastructure/src/stock/count-places.ts';
const STOCK_SPEC = 'test/e2e/stock.spec.ts';

const WRONG_COUNT = /after COUNT \S+ it holds \d+, the shelf gives \d+/;

/** Defects in reports of stock. */
export const STOCK_MUTANTS: readonly Mutant[] = [
  mutant('a count on hand keeps the units that are sold', 'stock', WRONG_COUNT, [
    CHANGES,
    `isOnHand: input.write.kind === 'count' && input.write.basis === 'on_hand'`,
    `isOnHand: input.write.kind === 'count' && input.write.basis === null`,
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
  // Counters of the proof count where they have read everything, of histories that nothing ends.
  mutant(
    'every place is accepted for a count',
    STOCK_SPEC,
    /● .*is refused at every cursor that a page with more has/,
    [PLACES, 'asOf?.hasMore ? undefined : asOf', 'asOf'],
  ),
  mutant(
    'a place in an unfinished numbering is accepted for a count',
    STOCK_SPEC,
    /● .*is refused where a numbering left committed changes to the next one/,
    [PLACES, 'place.snapshot IS NOT NULL AND asked', 'asked'],
  ),
  mutant(
    'a wait that ends without a change answers with the place before it',
    'test/e2e/changes-waits.spec.ts',
    /● .*has a cursor after changes of other kinds that were made before/,
    [
      'libs/application/src/changes/changes.service.ts',
      'page = await this.read(storeId, { ...query, after: page.next }, gone);',
      'if (changed) page = await this.read(storeId, { ...query, after: page.next }, gone);',
    ],
  ),
  mutant(
    'a count is superseded by one of an older branch',
    STOCK_SPEC,
    /● .*is not superseded by a count of a history that a restore has ended/,
    [PLACES, `kind = 'COUNT' AND moved.id > counted.last_movement THEN`, `kind = 'COUNT' THEN`],
  ),
  mutant(
    'the lines of a product ship from its bins in the order of their ids',
    'test/e2e/stock-model.spec.ts',
    /● keeps in every bin the units that lie there and belong to no order/,
    [
      'libs/infrastructure/src/stock/line-units.ts',
      'sum(quantity) OVER (PARTITION BY product_id, variant_id ORDER BY position) - quantity AS before',
      '0 AS before',
    ],
  ),
];
