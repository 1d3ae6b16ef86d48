import { loadModule } from 'libpg-query';
import { faultsOfFunction } from '../support/store-predicate/check-function.js';
import { storeColumns } from '../support/store-predicate/read-statements.js';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { schemaPicture } from '../../tools/schema-picture.mjs';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** Keys that need no `store_id`, and why. */
const KEYS_OF_ALL_STORES: Readonly<Record<string, string>> = {
  api_keys_key_hash_key: 'a key is looked up by its hash, which is what tells the store',
};

/** Functions that may touch rows without saying whose they are, and why. */
const FUNCTIONS_OF_ALL_STORES: Readonly<Record<string, string>> = {
  fold_list_tally_changes_through: 'The worker folds the changes of every store, one store after the other.',
};

// Tables can be distributed by store, and a row can only refer to rows of its own store, if every key has the store in it.
describe('the schema', () => {
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

  /** Unique indexes, which are those of primary keys too, and foreign keys, that have no store in them. */
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

  it('has a store in every primary, unique and foreign key, but for one', async () => {
    expect(await keysWithoutStore()).toEqual(Object.keys(KEYS_OF_ALL_STORES));
  });

  it('has a foreign key to the store of the other row, and not to another column of it', async () => {
    const crossed = await database.query(`
      SELECT conname FROM pg_constraint
      CROSS JOIN LATERAL unnest(conkey, confkey) AS pair (own, other)
      JOIN pg_attribute AS own_column ON own_column.attrelid = conrelid AND own_column.attnum = pair.own
      JOIN pg_attribute AS other_column ON other_column.attrelid = confrelid AND other_column.attnum = pair.other
      WHERE contype = 'f' AND own_column.attname = 'store_id'
        AND other_column.attname <> CASE WHEN confrelid = 'stores'::regclass THEN 'id' ELSE 'store_id' END`);

    expect(crossed).toEqual([]);
  });

  it('has a store in every table except the stores, the list of migrations and the mark of folded changes', async () => {
    const rows = await database.query<{ name: string }>(`
      SELECT oid::regclass::text AS name FROM pg_class
      WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'store_id') ORDER BY 1`);

    expect(rows.map(({ name }) => name)).toEqual(['list_tally_mark', 'migrations', 'stores']);
  });

  it.each([
    ['a unique index', 'CREATE UNIQUE INDEX without_store ON orders (receipt_number)'],
    [
      'a foreign key',
      'ALTER TABLE stores ADD UNIQUE (currency, id); ALTER TABLE order_lines ADD other int CONSTRAINT without_store REFERENCES stores (id)',
    ],
  ])('would be noticed to have %s without a store', async (_what, sql) => {
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

  it('is the one that docs/schema.md draws (npm run schema)', async () => {
    const document = readFileSync(path.resolve(__dirname, '../../docs/schema.md'), 'utf8');

    expect(document).toBe(await schemaPicture((sql) => database.query(sql)));
  });

  it('has functions and triggers that stay in the store of the rows they are for', async () => {
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

  it('would be noticed to have a trigger that forgets the store', () => {
    const trigger = `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      DELETE FROM product_categories WHERE product_id = OLD.id; RETURN OLD; END $$`;

    expect(faultsOfFunction(trigger, storeColumns(['product_categories']))).toEqual(['product_categories']);
  });
});
