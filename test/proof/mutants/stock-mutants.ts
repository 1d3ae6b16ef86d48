import { mutant, type Mutant } from './mutant.js';

const STOCK_SPEC = 'test/e2e/stock.spec.ts';
const PRICES_SPEC = 'test/e2e/prices.spec.ts';
const LISTS_SPEC = 'test/e2e/price-lists.spec.ts';
const LOST_PRICE = /FAIL .*does not overwrite the price of a request that came first/;
const WRONG_COUNT = /after COUNT \S+ it holds \d+, the shelf gives \d+/;
const SHOWN_COLUMNS = 'test/e2e/feed-records.spec.ts';

export const STOCK_MUTANTS: readonly Mutant[] = [
  mutant('a count on hand keeps the units that are sold', 'stock', WRONG_COUNT, [
    'count-basis',
    `[{ index, ...row, ...place, basis: null }]`,
  ]),
  mutant(
    'a count in the bin contains the units that a picker has taken',
    'test/e2e/stock-model.spec.ts',
    /FAIL .*keeps in every bin the units that lie there and belong to no order/,
    ['picked-units', "...(await readUnshipped(sql, storeId, countsOf('in_bin'), ['shipped', 'delivered'])),"],
  ),
  mutant(
    'a count on hand expects units that were given up',
    'test/e2e/stock-model.spec.ts',
    /FAIL .*keeps in every bin the units that lie there and belong to no order/,
    ['cancelled-before', 'AND false'],
  ),
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
  mutant('a price is written whatever was expected', PRICES_SPEC, LOST_PRICE, [
    'expected-price',
    'if (expected !== null && Number(before?.minor) < 0) {',
  ]),
  mutant('prices are read without a lock', PRICES_SPEC, LOST_PRICE, ['price-lock', 'ORDER BY id`;']),
  mutant('a price list is written without a lock', LISTS_SPEC, /FAIL .*waits for the request before/, [
    'list-lock',
    '`;',
  ]),
  mutant('a store may have any number of price lists', LISTS_SPEC, /FAIL .*makes at most 1,000 lists/, [
    'price-list-limit',
    'await lockNewLists(sql, storeId);',
  ]),
  mutant('a list has any number of prices of a unit', LISTS_SPEC, /FAIL .*has at most 20 prices of a unit/, [
    'price-break-limit',
    'if (count < 0) {',
  ]),
  mutant('the list of a customer is deleted', LISTS_SPEC, /FAIL .*is refused while a customer has the list/, [
    'list-in-use',
  ]),
  // Counters of the proof count at the end of the feed, with histories that never end.
  mutant(
    'every place is accepted for a count',
    STOCK_SPEC,
    /FAIL .*is refused at every cursor that a page with more has/,
    ['count-place', 'const usable = lines.map(({ asOf }) => (asOf));'],
  ),
  mutant(
    'a place in an unfinished numbering is accepted for a count',
    STOCK_SPEC,
    /FAIL .*is refused where a numbering left committed changes to the next one/,
    ['numbered-place', 'WHERE asked.position <= coalesce(('],
  ),
  mutant(
    'a wait that ends without a change answers with the place before it',
    'test/e2e/feed.spec.ts',
    /FAIL .*has a cursor after changes of other kinds that were made before/,
    ['place-after-wait', 'if (changed) page = await this.read(storeId, { ...query, after: page.next }, gone);'],
  ),
  mutant(
    'a count is superseded by one of an older branch',
    STOCK_SPEC,
    /FAIL .*is not superseded by a count of a history that a restore has ended/,
    ['count-branch', `SELECT CASE WHEN kind = 'COUNT' THEN counted_at END AS last_count,`],
  ),
  mutant(
    'each line of a product has units of its own',
    'test/e2e/stock-model.spec.ts',
    /FAIL .*keeps in every bin the units that lie there and belong to no order/,
    ['line-units', 'given.quantity * 0 AS before'],
  ),
  // The proof needs many rounds until two processes number at the same moment.
  mutant(
    'changes are numbered in the statement that waits for the lock',
    'test/e2e/feed.spec.ts',
    /FAIL .*misses nothing that is committed while another transaction numbers/,
    ['numbering-lock', `IF current_setting('transaction_isolation') <> 'read committed' THEN`, 2],
    [
      'numbering-snapshot',
      `WITH locked AS MATERIALIZED (
  SELECT pg_advisory_xact_lock(hashtext('change_log'), of_store)
), waiting AS (
DELETE FROM change_log
WHERE store_id = of_store AND (SELECT count(*) FROM locked) = 1 AND id > mark AND id <= upto`,
      2,
    ],
  ),
  mutant(
    'a change gets its position when it is written',
    'changes',
    /the copy of reader \d+ (?:lacks|differs in|still has)/,
    [
      'position-at-commit',
      'SELECT of_store, kind, entity, last * 1000 + row_number() OVER (PARTITION BY last ORDER BY kind, entity), NOT shown,',
    ],
  ),
  mutant(
    'a unit that is no longer for sale has no deletion in the feed',
    'changes',
    /the copy of reader \d+ still has skus/,
    ['deleted-units', `WHERE false AND known.store_id = of_store AND known.kind = 'skus'`],
  ),
  mutant(
    'a change of a product is numbered at once, whatever units it had',
    'test/contracts/change-feed.spec.ts',
    /FAIL .*is numbered in batches when the units that a reader knows are gone/,
    [
      'gone-units-in-batch',
      `WHERE false AND known.store_id = of_store AND known.kind = 'skus' AND known.deleted AND unit IS NULL`,
    ],
  ),
  // Only the full form of the proof moves to a copy.
  mutant(
    'a store that a branch does not know has lost nothing',
    'test/e2e/feed.spec.ts',
    /FAIL .*rewinds a cursor of a store that a fork lost and that was imported again/,
    ['unknown-store', 'OR own.id <> current.id AND asked.position > fork.position) AS lost'],
  ),
  mutant(
    'a category that changes its place does not change its products',
    SHOWN_COLUMNS,
    /"categories.display_order",/,
    ['category-place', 'WHEN (OLD.name <> NEW.name OR OLD.slug <> NEW.slug)'],
  ),
  mutant(
    'a variant that orders its attributes anew does not change its SKU',
    SHOWN_COLUMNS,
    /"product_variants.attribute_names",/,
    [
      'attribute-order',
      `SELECT 'skus', product_id || '-' || id, NULL WHERE (changed.price, changed.attributes)
IS DISTINCT FROM (removed.price, removed.attributes)`,
      2,
    ],
  ),
];
