import type { Mutant } from './mutant.js';

const SCHEMA = 'libs/infrastructure/src/postgres/migrations/0001-schema.sql';

/** Defects in the feed and in the answers that it makes unnecessary. */
export const FEED_MUTANTS: readonly Mutant[] = [
  {
    name: 'changes are numbered in the statement that waits for the lock',
    edits: [
      {
        file: SCHEMA,
        find: `
    OR NOT pg_try_advisory_xact_lock(hashtext('change_log'), of_store) THEN`,
        replace: ' THEN',
      },
      {
        file: SCHEMA,
        find: `    WITH waiting AS (`,
        replace: `    WITH locked AS MATERIALIZED (
      SELECT pg_advisory_xact_lock(hashtext('change_log'), of_store)
    ), waiting AS (`,
      },
      {
        file: SCHEMA,
        find: `      DELETE FROM change_log WHERE store_id = of_store AND id > mark AND id <= upto`,
        replace: `      DELETE FROM change_log
      WHERE store_id = of_store AND (SELECT count(*) FROM locked) = 1 AND id > mark AND id <= upto`,
      },
    ],
    // The proof needs many rounds until two processes number at the same moment.
    proof: 'test/e2e/changes.spec.ts',
    args: [],
    noticedAs: /● .*misses nothing that is committed while another transaction numbers/,
  },
  {
    name: 'a change gets its position when it is written',
    edits: [
      {
        file: SCHEMA,
        find: `newest + row_number() OVER (ORDER BY last), NOT shown`,
        // A product and its units share a row of the log.
        replace: `last * 1000 + row_number() OVER (PARTITION BY last ORDER BY kind, entity), NOT shown`,
      },
    ],
    proof: 'changes',
    args: ['--quick', '--seed', '1'],
    noticedAs: /the copy of reader \d+ (?:lacks|differs in|still has)/,
  },
  {
    name: 'no position for what was created and deleted between two numberings',
    edits: [
      {
        file: SCHEMA,
        find: ` OR (kind, last) IN (SELECT kind, max(last) FROM news GROUP BY kind HAVING NOT bool_or(matters))`,
        replace: '',
      },
    ],
    proof: 'test/e2e/conditional-reads.spec.ts',
    args: [],
    noticedAs: /● .*returns 200 for the tag of an answer that shows what was created and deleted/,
  },
  {
    name: 'a unit that is no longer for sale has no deletion in the feed',
    edits: [
      {
        file: SCHEMA,
        find: `WHERE known.store_id = of_store AND known.kind = 'skus'`,
        replace: `WHERE false AND known.store_id = of_store AND known.kind = 'skus'`,
      },
    ],
    proof: 'changes',
    args: ['--quick', '--seed', '1'],
    noticedAs: /the copy of reader \d+ still has skus/,
  },
  {
    name: 'a 304 while a change waits for its position',
    edits: [
      {
        file: 'libs/infrastructure/src/changes/postgres-change-feed.ts',
        find: `return row?.settled ?`,
        replace: `return row ?`,
      },
    ],
    // In the proof, readers of the feed number each change within milliseconds.
    proof: 'test/e2e/conditional-reads.spec.ts',
    args: [],
    noticedAs: /● .*returns 200 with another tag after a change of what it shows/,
  },
  {
    name: 'a 304 by the newest updated_at',
    edits: [
      {
        file: 'libs/infrastructure/src/changes/postgres-change-feed.ts',
        find: `(SELECT position FROM changes WHERE store_id = $1 AND kind = $2 ORDER BY position DESC LIMIT 1)`,
        replace: `(SELECT extract(epoch FROM max(updated_at))::bigint FROM products WHERE store_id = $1 AND $2::change_kind IS NOT NULL)`,
      },
    ],
    proof: 'changes',
    args: ['--quick', '--seed', '1'],
    noticedAs: /a 304 hides/,
  },
  {
    name: 'a store that a branch does not know has lost nothing',
    edits: [
      {
        file: 'libs/infrastructure/src/changes/postgres-change-feed.ts',
        find: `coalesce(fork.position, 0) < asked.position`,
        replace: `fork.position < asked.position`,
      },
    ],
    // Only the full form of the proof restores a backup.
    proof: 'test/e2e/changes.spec.ts',
    args: [],
    noticedAs: /● .*rewinds a cursor of a store that a fork lost and that was imported again/,
  },
  {
    name: 'a category that changes its place does not change its products',
    edits: ['added', 'removed'].map((rows) => ({
      file: SCHEMA,
      find: `SELECT store_id, id, name, slug, display_order FROM ${rows}`,
      replace: `SELECT store_id, id, name, slug FROM ${rows}`,
    })),
    proof: 'test/e2e/conditional-reads.spec.ts',
    args: [],
    noticedAs: /"categories.display_order": Array/,
  },
  {
    name: 'a variant that orders its attributes anew does not change its SKU',
    edits: ['added', 'removed'].map((rows) => ({
      file: SCHEMA,
      find: `(${rows}.sku, ${rows}.price, ${rows}.attributes, ${rows}.attribute_names)`,
      replace: `(${rows}.sku, ${rows}.price, ${rows}.attributes)`,
    })),
    proof: 'test/e2e/conditional-reads.spec.ts',
    args: [],
    noticedAs: /"product_variants.attribute_names": Array/,
  },
];
