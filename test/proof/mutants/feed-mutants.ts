import { mutant, type Mutant } from './mutant.js';

const SHOWN_COLUMNS = 'test/e2e/feed-records.spec.ts';

/** Defects in the feed. */
export const FEED_MUTANTS: readonly Mutant[] = [
  // The proof needs many rounds until two processes number at the same moment.
  mutant(
    'changes are numbered in the statement that waits for the lock',
    'test/e2e/feed.spec.ts',
    /● .*misses nothing that is committed while another transaction numbers/,
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
  // Only the full form of the proof moves to a copy.
  mutant(
    'a store that a branch does not know has lost nothing',
    'test/e2e/feed.spec.ts',
    /● .*rewinds a cursor of a store that a fork lost and that was imported again/,
    ['unknown-store', 'WHERE later.number > own.number AND fork.position < asked.position)) AS lost'],
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
      `WHEN (changed.sku, changed.price, changed.attributes)
IS DISTINCT FROM (removed.sku, removed.price, removed.attributes) THEN id`,
      2,
    ],
  ),
];
