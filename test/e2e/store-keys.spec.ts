import { loadModule } from 'libpg-query';
import { faultsOfFunction } from '../support/store-predicate/check-function.js';
import { storeColumns } from '../support/store-predicate/read-statements.js';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { schemaPicture } from '../../tools/schema-picture.mjs';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** Keys without `store_id`, and the reason for each. */
const KEYS_OF_ALL_STORES: Readonly<Record<string, string>> = {
  api_keys_key_hash_key: 'The hash of a key identifies its store.',
};

/** Functions that may touch the rows of all stores, and the reason for each. */
const FUNCTIONS_OF_ALL_STORES: Readonly<Record<string, string>> = {
  fold_list_tally_changes_through: 'The worker folds the changes of every store, one store after the other.',
  begin_branch: 'A restore or a fail-over affects the positions of every store.',
  log_products_of_store: 'The changed row is the store itself.',
  pass_change_log: 'The worker moves one mark for all stores.',
};

// Every key contains the store, so that tables can be distributed by store and rows refer only to their own store.
describe('the database schema', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    await loadModule();
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const tablesOfStores = async () => {
    const rows = await database.query<{ name: string }>(`
      SELECT DISTINCT attrelid::regclass::text AS name FROM pg_attribute
      JOIN pg_class ON pg_class.oid = attrelid AND relkind IN ('r', 'p', 'v') AND relnamespace = 'public'::regnamespace
      WHERE attname = 'store_id'`);
    return rows.map(({ name }) => name);
  };

  /** Unique indexes, including those of primary keys, and foreign keys that do not contain `store_id`. */
  const keysWithoutStore = async () => {
    const rows = await database.query<{ name: string }>(`
      WITH keys AS (
        SELECT indexrelid::regclass::text AS name, indrelid AS held_by, indkey::int2[] AS columns
        FROM pg_index WHERE indisunique
        UNION ALL
        SELECT conname, conrelid, conkey FROM pg_constraint WHERE contype = 'f'
      )
      SELECT name FROM keys JOIN pg_attribute ON attrelid = held_by AND attname = 'store_id'
      JOIN pg_class ON pg_class.oid = held_by AND relnamespace = 'public'::regnamespace
      WHERE attnum <> ALL (columns)`);
    return rows.map(({ name }) => name);
  };

  it('contains store_id in every primary, unique and foreign key except one', async () => {
    expect(await keysWithoutStore()).toEqual(Object.keys(KEYS_OF_ALL_STORES));
  });

  it('pairs store_id with store_id in every foreign key', async () => {
    const crossed = await database.query(`
      SELECT conname FROM pg_constraint
      CROSS JOIN LATERAL unnest(conkey, confkey) AS pair (own, other)
      JOIN pg_attribute AS own_column ON own_column.attrelid = conrelid AND own_column.attnum = pair.own
      JOIN pg_attribute AS other_column ON other_column.attrelid = confrelid AND other_column.attnum = pair.other
      WHERE contype = 'f' AND own_column.attname = 'store_id'
        AND other_column.attname <> CASE WHEN confrelid = 'stores'::regclass THEN 'id' ELSE 'store_id' END`);

    expect(crossed).toEqual([]);
  });

  it('contains store_id in every table except stores, migrations, the marks and the branches', async () => {
    const rows = await database.query<{ name: string }>(`
      SELECT oid::regclass::text AS name FROM pg_class
      WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'store_id') ORDER BY 1`);

    expect(rows.map(({ name }) => name)).toEqual([
      'change_branches',
      'change_log_mark',
      'list_tally_mark',
      'migrations',
      'stores',
    ]);
  });

  it.each([
    ['a unique index', 'CREATE UNIQUE INDEX without_store ON orders (receipt_number)'],
    [
      'a foreign key',
      'ALTER TABLE stores ADD UNIQUE (currency, id); ALTER TABLE order_lines ADD other int CONSTRAINT without_store REFERENCES stores (id)',
    ],
  ])('fails the check with %s that lacks store_id', async (_what, sql) => {
    const own = await createTestDatabase();
    const before = database;
    try {
      await own.query(sql);
      database = own;

      expect(await keysWithoutStore()).toContain('without_store');
    } finally {
      database = before;
      await own.drop();
    }
  });

  it('equals docs/schema.md (npm run schema writes it)', async () => {
    const document = readFileSync(path.resolve(__dirname, '../../docs/schema.md'), 'utf8');

    expect(document).toBe(await schemaPicture((sql) => database.query(sql)));
  });

  it('contains only functions and triggers that stay in the store of their rows', async () => {
    const functions = await database.query<{ name: string; definition: string }>(`
      SELECT proname AS name, pg_get_functiondef(pg_proc.oid) AS definition
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e') ORDER BY 1`);
    const tables = storeColumns(await tablesOfStores());

    const faults = functions
      .filter(({ name }) => !(name in FUNCTIONS_OF_ALL_STORES))
      .map(({ name, definition }) => [name, faultsOfFunction(definition, tables)]);

    expect(functions.length).toBeGreaterThan(5);
    expect(faults.filter(([, found]) => found?.length)).toEqual([]);
  });

  it('fails the check with a trigger that ignores store_id', () => {
    const trigger = `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      DELETE FROM product_categories WHERE product_id = OLD.id; RETURN OLD; END $$`;

    expect(faultsOfFunction(trigger, storeColumns(['product_categories']))).toEqual(['product_categories']);
  });
});
