import { comparablePhone, COUNTED_EVENTS, isReceiptNumber } from '@app/domain';
import { loadModule } from 'libpg-query';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { trimmed } from '../../libs/infrastructure/src/postgres/trimmed.js';
import { schemaPicture } from '../../tools/schema-picture.mjs';
import { seededRandom } from '../support/seeded-random.js';
import { faultsOfFunction } from '../support/store-predicate/check-function.js';
import { EXCEPTIONS } from '../support/store-predicate/exceptions.js';
import { faultsOf, lacksName, storeColumns } from '../support/store-predicate/read-statements.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  await loadModule();
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const KEYS_OF_ALL_STORES: Readonly<Record<string, string>> = {
  api_keys_key_hash_key: 'The hash of a key identifies its store.',
};

const FUNCTIONS_OF_ALL_STORES: Readonly<Record<string, string>> = {
  begin_branch: 'A restore or a fail-over affects the positions of every store.',
  log_products_of_store: 'The changed row is the store itself.',
  pass_change_log: 'The worker moves one mark for all stores.',
  pass_list_tally_changes: 'The worker moves one mark for all stores.',
};

// Every key contains the store, so that tables can be distributed by store and rows refer only to their own store.
describe('the database schema', () => {
  const tablesOfStores = async () => {
    const rows = await database.query<{ name: string }>(`
      SELECT DISTINCT attrelid::regclass::text AS name FROM pg_attribute
      JOIN pg_class ON pg_class.oid = attrelid AND relkind IN ('r', 'p', 'v') AND relnamespace = 'public'::regnamespace
      WHERE attname = 'store_id'`);
    return rows.map(({ name }) => name);
  };

  const keysWithoutStore = async (
    query: (sql: string) => Promise<{ name: string }[]> = (sql) => database.query(sql),
  ) => {
    const rows = await query(`
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

  // If one were missing, PostgreSQL would not use the index, and each change of an order would read all events of the
  // store.
  it('has an index of the events whose number limits an order, and of those that its record shows', async () => {
    const [index] = await database.query<{ events: string[] }>(`
      SELECT substring(pg_get_expr(indpred, indrelid) FROM '{.*}')::text[] AS events
      FROM pg_index WHERE indexrelid = 'order_events_limited'::regclass`);

    expect(index?.events.toSorted()).toEqual([...COUNTED_EVENTS, 'shipment_created'].toSorted());
  });

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

  it('contains store_id in every table except stores, migrations, the marks, the branches and the sign-ins', async () => {
    const rows = await database.query<{ name: string }>(`
      SELECT oid::regclass::text AS name FROM pg_class
      WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'store_id') ORDER BY 1`);

    expect(rows.map(({ name }) => name)).toEqual([
      'change_branches',
      'change_log_mark',
      'list_tally_mark',
      'migrations',
      'sign_ins',
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
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`BEGIN; ${sql}`);

    const found = await keysWithoutStore(async (query) => (await client.query<{ name: string }>(query)).rows);

    await client.end();
    expect(found).toContain('without_store');
  });

  it('equals docs/schema.md (npm run generate writes it)', async () => {
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

const SYMBOLS = [...'0159+-()./ \t\n\u00a0٣xé😀', '00'];

describe('comparable_phone in SQL and comparablePhone in TypeScript', () => {
  const inSql = async (phones: readonly string[]) => {
    const rows = await database.query<{ comparable: string }>(
      `SELECT coalesce(comparable_phone(phone), '') AS comparable
       FROM unnest($1::text[]) WITH ORDINALITY AS given (phone, n) ORDER BY n`,
      [phones],
    );
    return rows.map(({ comparable }) => comparable);
  };

  it('reduce a phone number to its digits without the prefix 00', async () => {
    const phones = ['+1 (555) 010-0', '001-555-0100', 'call 1555 0100', '00', '0044', '000044', '', 'n/a', '٣٣'];
    const digits = ['15550100', '15550100', '15550100', '', '44', '0044', '', '', ''];

    expect(await inSql(phones)).toEqual(digits);
    expect(phones.map(comparablePhone)).toEqual(digits);
  });

  it('agree on a thousand random texts', async () => {
    const random = seededRandom(20261121);
    const phones = Array.from({ length: 1_000 }, () =>
      Array.from({ length: random(12) }, () => SYMBOLS[random(SYMBOLS.length)]).join(''),
    );

    expect(await inSql(phones)).toEqual(phones.map(comparablePhone));
  });
});

describe('trimmed in SQL', () => {
  it('removes the characters that trim() of JavaScript removes, and no other', async () => {
    // PostgreSQL stores neither U+0000 nor a lone surrogate.
    const characters = Array.from({ length: 0xffff }, (_, n) => String.fromCharCode(n + 1)).filter(
      (character) => !/\p{Surrogate}/u.test(character),
    );

    const rows = await database.query<{ character: string }>(
      `SELECT character FROM unnest($1::text[]) AS character WHERE ${trimmed('character')} = ''`,
      [characters],
    );

    const removed = characters.filter((character) => character.trim() === '');
    expect(rows.map(({ character }) => character).sort()).toEqual(removed.sort());
    expect(removed).toHaveLength(25);
  });
});

describe('the check of receipt numbers in SQL and isReceiptNumber in TypeScript', () => {
  async function inSql(texts: readonly string[]): Promise<boolean[]> {
    const [check] = await database.query<{ condition: string }>(
      `SELECT replace(pg_get_constraintdef(oid), 'CHECK', '') AS condition FROM pg_constraint
       WHERE contypid = 'receipt_number'::regtype`,
    );
    const rows = await database.query<{ valid: boolean }>(
      `SELECT ${check?.condition} AS valid FROM unnest($1::text[]) WITH ORDINALITY AS given (value, n) ORDER BY n`,
      [texts],
    );
    return rows.map(({ valid }) => valid);
  }

  it('agree on lengths, letters and line breaks', async () => {
    const accepted = ['1', 'POS-0000123', 'WEB-261120-7K3M9Q', 'az-AZ-09', '-', 'a'.repeat(64)];
    const refused = ['', 'a'.repeat(65), 'a b', 'a_b', 'a/b', 'a.b', 'a%', 'é', '٣', 'a\n', '\na', 'a\nb', '😀', ' '];

    expect(await inSql(accepted)).toEqual(accepted.map(() => true));
    expect(accepted.map(isReceiptNumber)).toEqual(accepted.map(() => true));
    expect(await inSql(refused)).toEqual(refused.map(() => false));
    expect(refused.map(isReceiptNumber)).toEqual(refused.map(() => false));
  });
});

const TABLES = storeColumns(['orders', 'order_lines', 'customers', 'products']);

// global-teardown.mjs checks every statement that the service has sent in the tests. This file tests the check.
describe('the check for the store predicate', () => {
  it.each([
    'SELECT * FROM orders WHERE store_id = $1 AND id = $2',
    'SELECT * FROM orders o JOIN order_lines l ON l.store_id = o.store_id AND l.order_id = o.id WHERE o.store_id = $1',
    'SELECT * FROM orders LEFT JOIN order_lines USING (store_id) WHERE orders.store_id = 7',
    'SELECT (SELECT count(*) FROM order_lines l WHERE l.store_id = o.store_id) FROM orders o WHERE store_id = $1',
    'WITH item AS (SELECT * FROM products WHERE store_id = $1) SELECT * FROM item JOIN orders o ON o.store_id = item.store_id',
    'SELECT * FROM orders WHERE (store_id, id) IN (SELECT store_id, order_id FROM order_lines WHERE store_id = $1)',
    'SELECT * FROM orders JOIN stores ON stores.id = orders.store_id WHERE stores.subdomain = $1',
    'INSERT INTO orders (store_id, id) VALUES ($1, $2), ($1, $3)',
    'INSERT INTO order_lines (store_id, order_id) SELECT o.store_id, o.id FROM orders o WHERE o.store_id = $1',
    'UPDATE orders SET status = $3 FROM unnest($1::int[], $2::uuid[]) AS used (store_id, id) WHERE orders.store_id = used.store_id',
    'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = 5',
    'DECLARE rows CURSOR FOR SELECT * FROM orders WHERE store_id = $1',
  ])('accepts: %s', (sql) => {
    expect(faultsOf(sql, TABLES)).toEqual([]);
  });

  it.each([
    ['orders', 'SELECT * FROM orders WHERE id = $1'],
    ['orders', 'SELECT * FROM orders WHERE store_id = $1 OR id = $2'],
    ['orders', 'SELECT * FROM orders WHERE $1::int IS NULL OR store_id = $1'],
    ['orders', 'SELECT * FROM orders WHERE store_id = ANY ($1)'],
    ['orders', 'SELECT * FROM orders WHERE store_id = store_id'],
    ['order_lines', 'SELECT * FROM orders o JOIN order_lines l ON l.order_id = o.id WHERE o.store_id = $1'],
    ['orders', 'SELECT * FROM orders o LEFT JOIN order_lines l ON o.store_id = $1 AND l.store_id = $1'],
    [
      'order_lines',
      'SELECT (SELECT count(*) FROM order_lines l WHERE l.order_id = o.id) FROM orders o WHERE store_id = $1',
    ],
    [
      'order_lines',
      'SELECT * FROM orders WHERE store_id = $1 AND EXISTS (SELECT FROM order_lines WHERE order_id = orders.id)',
    ],
    ['products', 'WITH item AS (SELECT * FROM products WHERE id = $2) SELECT * FROM item WHERE store_id = $1'],
    ['customers', 'SELECT id FROM orders WHERE store_id = $1 UNION SELECT id FROM customers'],
    ['orders', 'INSERT INTO orders SELECT $1, $2'],
    [
      'orders',
      'INSERT INTO orders (store_id, id) SELECT x.store_id, x.id FROM jsonb_to_recordset($1) AS x (store_id int, id uuid)',
    ],
    [
      'customers',
      'INSERT INTO orders (store_id, customer_id) VALUES ($1, (SELECT id FROM customers WHERE email = $2))',
    ],
    ['orders', 'UPDATE orders SET status = $2 WHERE id = $1'],
    ['orders (moved to another store)', 'UPDATE orders SET store_id = $3 WHERE store_id = $1 AND id = $2'],
    [
      'orders',
      'DELETE FROM orders USING customers WHERE customers.store_id = $1 AND orders.customer_id = customers.id',
    ],
    ['orders', 'WITH gone AS (DELETE FROM orders RETURNING id) SELECT count(*) FROM gone'],
    ['orders', 'DECLARE rows CURSOR FOR SELECT * FROM orders'],
    ['CopyStmt cannot be checked', 'COPY orders TO STDOUT'],
  ])('reports %s in: %s', (fault, sql) => {
    expect(faultsOf(sql, TABLES)).toEqual([fault]);
  });

  it.each(['SELECT 1 FROM orders WHERE store_id = $1', 'COPY orders TO STDOUT', 'BEGIN; DELETE FROM orders'])(
    'reports a statement without a name: %s',
    (sql) => {
      expect(lacksName(sql)).toBe(true);
      expect(lacksName(`/* orders.find */ ${sql}`)).toBe(false);
    },
  );

  it('applies an exception only to the statements that it names', () => {
    const sql = 'UPDATE api_keys SET status = $2 WHERE id = $1';
    const keys = storeColumns(['api_keys', 'orders']);

    expect(faultsOf(`/* keys.locate */ ${sql}`, keys)).toEqual([]);
    expect(faultsOf(`/* keys.other */ ${sql}`, keys)).toEqual(['api_keys']);
    expect(faultsOf(`/* keys.locate */ DELETE FROM orders`, keys)).toEqual(['orders']);
  });

  // Two statements with the same name would share an exception.
  it('finds the name of each exception in one place in the source', () => {
    const sources = ['libs', 'apps'].flatMap((directory) => sourcesIn(path.resolve(__dirname, '../..', directory)));
    const places = (name: string) => sources.filter((text) => text.split(`/* ${name} */`).length > 1);
    const written = EXCEPTIONS.flatMap(({ statements }) => statements).filter((name) => !BY_TABLE.test(name));

    expect(written.map((name) => [name, places(name).length + comments(sources, name)])).toEqual(
      written.map((name) => [name, 1]),
    );
  });
});

/** Matches names that end with the name of a table. */
const BY_TABLE = /^(import\.stores\.(find|lock|update|insert|free_ids|draw_ids)|retention\..*)$/;

function comments(sources: readonly string[], name: string): number {
  return sources.filter((text) => text.includes(`comment('${name}')`) || text.includes(`comment: '${name}'`)).length;
}

function sourcesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => readFileSync(path.join(directory, file), 'utf8'));
}
