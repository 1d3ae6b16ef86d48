import { mutant, type Mutant } from './mutant.js';

const SCHEMA = 'libs/infrastructure/src/postgres/migrations/schema/08-feed.sql';
const FEED = 'libs/infrastructure/src/changes/postgres-change-feed.ts';
const SHOWN_COLUMNS = 'test/e2e/shown-columns.spec.ts';

/** Defects in the feed. */
export const FEED_MUTANTS: readonly Mutant[] = [
  // The proof needs many rounds until two processes number at the same moment.
  mutant(
    'changes are numbered in the statement that waits for the lock',
    'test/e2e/changes.spec.ts',
    /● .*misses nothing that is committed while another transaction numbers/,
    [
      SCHEMA,
      `
    OR NOT pg_try_advisory_xact_lock(hashtext('change_log'), of_store) THEN`,
      ' THEN',
    ],
    [
      SCHEMA,
      '    WITH waiting AS (',
      `    WITH locked AS MATERIALIZED (
      SELECT pg_advisory_xact_lock(hashtext('change_log'), of_store)
    ), waiting AS (`,
    ],
    [
      SCHEMA,
      '      DELETE FROM change_log WHERE store_id = of_store AND id > mark AND id <= upto',
      `      DELETE FROM change_log
      WHERE store_id = of_store AND (SELECT count(*) FROM locked) = 1 AND id > mark AND id <= upto`,
    ],
  ),
  mutant(
    'a change gets its position when it is written',
    'changes',
    /the copy of reader \d+ (?:lacks|differs in|still has)/,
    [
      SCHEMA,
      'newest + row_number() OVER (ORDER BY last), NOT shown',
      // A product and its units share a row of the log.
      'last * 1000 + row_number() OVER (PARTITION BY last ORDER BY kind, entity), NOT shown',
    ],
  ),
  mutant(
    'a unit that is no longer for sale has no deletion in the feed',
    'changes',
    /the copy of reader \d+ still has skus/,
    [
      SCHEMA,
      `WHERE known.store_id = of_store AND known.kind = 'skus'`,
      `WHERE false AND known.store_id = of_store AND known.kind = 'skus'`,
    ],
  ),
  // Only the full form of the proof moves to a copy.
  mutant(
    'a store that a branch does not know has lost nothing',
    'test/e2e/changes.spec.ts',
    /● .*rewinds a cursor of a store that a fork lost and that was imported again/,
    [FEED, 'coalesce(fork.position, 0) < asked.position', 'fork.position < asked.position'],
  ),
  mutant(
    'a category that changes its place does not change its products',
    SHOWN_COLUMNS,
    /"categories.display_order",/,
    [SCHEMA, ' OR OLD.display_order <> NEW.display_order', ''],
  ),
  mutant(
    'a variant that orders its attributes anew does not change its SKU',
    SHOWN_COLUMNS,
    /"product_variants.attribute_names",/,
    [
      SCHEMA,
      '(added.sku, added.price, added.attributes, added.attribute_names)',
      '(added.sku, added.price, added.attributes)',
    ],
    [
      SCHEMA,
      '(removed.sku, removed.price, removed.attributes, removed.attribute_names)',
      '(removed.sku, removed.price, removed.attributes)',
    ],
  ),
];
