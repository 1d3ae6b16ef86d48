import { mutant, type Mutant } from './mutant.js';

const STOCK_SPEC = 'test/e2e/stock.spec.ts';

const WRONG_COUNT = /after COUNT \S+ it holds \d+, the shelf gives \d+/;

/** Defects in reports of stock. */
export const STOCK_MUTANTS: readonly Mutant[] = [
  mutant('a count on hand keeps the units that are sold', 'stock', WRONG_COUNT, [
    'count-basis',
    `[{ index, ...row, ...place, isOnHand: input.write.kind === 'count' && input.write.basis === null }]`,
  ]),
  mutant('a count forgets what moved after its cursor', 'stock', WRONG_COUNT, [
    'moved-since',
    'const after = counted - facts.unshipped + this.adjusted;',
  ]),
  mutant('a quantity is written whatever was expected', 'stock', /a quantity of an old reading overwrites a sale/, [
    'expected-quantity',
    'if (expected !== null && expected < 0) {',
  ]),
  mutant('reports lock bins in another order than orders', 'stock', /PostgreSQL counted \d+ deadlocks/, [
    'report-lock-order',
    'ORDER BY stock.product_id DESC, stock.variant_key, stock.bin_id',
  ]),
  // Counters of the proof count where they have read everything, of histories that nothing ends.
  mutant(
    'every place is accepted for a count',
    STOCK_SPEC,
    /● .*is refused at every cursor that a page with more has/,
    ['count-place', 'const usable = lines.map(({ asOf }) => (asOf));'],
  ),
  mutant(
    'a place in an unfinished numbering is accepted for a count',
    STOCK_SPEC,
    /● .*is refused where a numbering left committed changes to the next one/,
    ['numbered-place', 'WHERE asked.position <= coalesce(('],
  ),
  mutant(
    'a wait that ends without a change answers with the place before it',
    'test/e2e/feed.spec.ts',
    /● .*has a cursor after changes of other kinds that were made before/,
    ['place-after-wait', 'if (changed) page = await this.read(storeId, { ...query, after: page.next }, gone);'],
  ),
  mutant(
    'a count is superseded by one of an older branch',
    STOCK_SPEC,
    /● .*is not superseded by a count of a history that a restore has ended/,
    ['count-branch', `SELECT CASE WHEN kind = 'COUNT' THEN counted_at END AS last_count,`],
  ),
  mutant(
    'the lines of a product ship from its bins in the order of their ids',
    'test/e2e/stock-model.spec.ts',
    /● keeps in every bin the units that lie there and belong to no order/,
    ['line-units', '0 AS before'],
  ),
];
