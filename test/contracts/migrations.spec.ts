import {
  assertIsOwn,
  isSchemaCurrent,
  migrate,
  MIGRATIONS,
  type Migration,
  type OwnMigrations,
} from '@app/infrastructure';
import { loadModule } from 'libpg-query';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { eventually } from '../support/eventually.js';
import { faultsOfMigration } from '../support/migration-rules.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

function migration(name: string, transaction: boolean | undefined, ...sql: string[]): Migration {
  class Written {
    name = name;
    transaction = transaction;
    async up(runner: QueryRunner): Promise<void> {
      for (const text of sql) await runner.query(text);
    }
    down = () => Promise.resolve();
  }
  Object.defineProperty(Written, 'name', { value: name });
  return Written;
}

const later = (sql: string) => migration('Later1900000000000', undefined, sql);
const NAMES = MIGRATIONS.map(({ name }) => name);
const DEFAULT_NAME = 'ADD COLUMN note text NOT NULL DEFAULT';
const BUILD = 'CREATE INDEX CONCURRENTLY orders_by_notes ON orders (store_id, notes)';
const DROP = 'DROP INDEX CONCURRENTLY IF EXISTS orders_by_notes';
const concurrently = (...sql: string[]) => migration('Later1900000000000', false, ...sql);

describe('the rules of migrations', () => {
  beforeAll(() => loadModule());

  it('hold for every migration after the first', async () => {
    const [first, ...others] = MIGRATIONS;

    expect(first?.name).toBe('Schema1795564800000');
    expect(await Promise.all(others.map(faultsOfMigration))).toEqual(others.map(() => []));
  });

  it.each([
    'CREATE TABLE notes (store_id int, id int); CREATE INDEX notes_by_id ON notes (id); ALTER TABLE notes ALTER id TYPE bigint',
    `ALTER TABLE orders ${DEFAULT_NAME} ''`,
    `ALTER TABLE orders ADD COLUMN tags text[] NOT NULL DEFAULT '{}'::text[], ADD COLUMN seen timestamptz`,
    'ALTER TABLE orders ADD CONSTRAINT positive CHECK (amount > 0) NOT VALID',
    'ALTER TABLE orders VALIDATE CONSTRAINT positive',
    'ALTER TABLE orders ADD CONSTRAINT orders_key UNIQUE USING INDEX orders_key',
    'ALTER TABLE orders DROP COLUMN notes',
    'CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1',
  ])('accept: %s', async (sql) => {
    expect(await faultsOfMigration(later(sql))).toEqual([]);
  });

  it.each([
    [[DROP, BUILD], []],
    [[BUILD], [expect.stringContaining('for a second attempt')]],
    [[`${DROP}; ${BUILD}`], [expect.stringContaining('one query for each statement')]],
  ])('judge without a transaction: %s', async (sql, faults) => {
    expect(await faultsOfMigration(concurrently(...sql))).toEqual(faults);
  });

  it.each([
    ['CREATE INDEX CONCURRENTLY', 'CREATE INDEX orders_by_notes ON orders (notes)'],
    ['transaction = false', 'CREATE INDEX CONCURRENTLY orders_by_notes ON orders (notes)'],
    ['DROP INDEX CONCURRENTLY', 'DROP INDEX orders_by_status'],
    ['rewrites the table', 'ALTER TABLE orders ALTER COLUMN amount TYPE numeric'],
    ['validate a CHECK', 'ALTER TABLE orders ALTER COLUMN customer_id SET NOT NULL'],
    ['constant DEFAULT', `ALTER TABLE orders ${DEFAULT_NAME} gen_random_uuid()::text`],
    ['constant DEFAULT', 'ALTER TABLE orders ADD COLUMN twice bigint GENERATED ALWAYS AS (amount * 2) STORED'],
    ['constant DEFAULT', 'ALTER TABLE orders ADD COLUMN note text CHECK (note <> $$$$)'],
    ['NOT VALID', 'ALTER TABLE orders ADD CONSTRAINT positive CHECK (amount > 0)'],
    ['NOT VALID', 'ALTER TABLE orders ADD FOREIGN KEY (store_id) REFERENCES stores'],
    ['USING INDEX', 'ALTER TABLE orders ADD UNIQUE (store_id, id, status)'],
    ['one existing table', 'ALTER TABLE orders ADD COLUMN a int; ALTER TABLE customers ADD COLUMN a int'],
    ['a rename', 'ALTER TABLE orders RENAME COLUMN amount TO subtotal'],
    ['in batches', `UPDATE orders SET notes = ''`],
    ['stops orders', 'LOCK TABLE orders'],
  ])('reject (%s): %s', async (fault, sql) => {
    expect(await faultsOfMigration(later(sql))).toEqual([expect.stringContaining(fault)]);
  });

  it.each(['public', 'pg_own', 'Loyalty', 'a; DROP TABLE orders', ''])(
    'refuse the schema %s of an extension',
    (schema) => {
      expect(() => assertIsOwn(schema)).toThrow('cannot be the schema of an extension');
    },
  );
});

describe('migrate', () => {
  let database: TestDatabase;
  beforeEach(async () => (database = await createTestDatabase()));
  afterEach(() => database.drop());

  const withLater = (sql: string) => [...MIGRATIONS, later(sql)];
  const applied = async () =>
    (await database.query<{ name: string }>('SELECT name FROM migrations ORDER BY id')).map(({ name }) => name);

  it('rejects a database of an earlier state with one line and changes nothing', async () => {
    await database.query(
      `UPDATE migrations SET name = 'Schema1764000000001', timestamp = 1764000000001 WHERE name LIKE 'Schema%'`,
    );

    await expect(migrate(database.url, withLater('CREATE TABLE notes ()'))).rejects.toThrow(
      'The database has a schema of an earlier development state (Schema1764000000001), which cannot be migrated: ' +
        'use an empty database or another DATA_DIR.',
    );
    expect(await applied()).toEqual(['Schema1764000000001', ...NAMES.slice(1)]);
  });

  it('leaves a database that a later release has migrated unchanged', async () => {
    await migrate(database.url, withLater('CREATE TABLE notes ()'));

    expect(await migrate(database.url)).toEqual({ applied: [] });
    expect(await isSchemaCurrent((text, values) => database.query(text, values))).toBe(true);
  });

  it('rolls back a migration when one of its statements fails', async () => {
    const broken = withLater('CREATE TABLE notes (); CREATE TABLE orders ()');

    await expect(migrate(database.url, broken)).rejects.toThrow('relation "orders" already exists');

    expect(await database.query(`SELECT to_regclass('notes') AS found`)).toEqual([{ found: null }]);
    expect(await applied()).toEqual(NAMES);
  });

  it('builds an index CONCURRENTLY once while several processes migrate', async () => {
    const reports = await Promise.all(
      [1, 2, 3].map(() => migrate(database.url, [...MIGRATIONS, concurrently(DROP, BUILD)])),
    );

    expect(reports.flatMap((report) => report.applied)).toEqual(['Later1900000000000']);
    expect(
      await database.query(`SELECT indisvalid FROM pg_index WHERE indexrelid = 'orders_by_notes'::regclass`),
    ).toEqual([{ indisvalid: true }]);
  });

  it('gives up a lock that is not free within a second, lets other statements run, and tries again', async () => {
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE customers IN ROW EXCLUSIVE MODE');
    const waits = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'customers'::regclass`;

    const migrated = migrate(database.url, withLater('ALTER TABLE customers ADD COLUMN note text'));
    await eventually(async () => expect(await database.query(waits)).toHaveLength(1));
    await eventually(async () => expect(await database.query(waits)).toEqual([]));
    await holder.query('COMMIT');
    await holder.end();

    expect(await migrated).toEqual({ applied: ['Later1900000000000'] });
  });

  describe('for an extension', () => {
    const own = (schema: string, ...sql: string[]): OwnMigrations => ({
      schema,
      migrations: sql.map((text, index) => migration(`Notes180000000000${index}`, undefined, text)),
    });
    const run = (...extensions: OwnMigrations[]) => migrate(database.url, undefined, extensions);
    const tables = () =>
      database.query<{ name: string }>(
        `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
         WHERE table_name = 'notes' ORDER BY 1`,
      );
    const isCurrent = (...extensions: OwnMigrations[]) =>
      isSchemaCurrent((text, values) => database.query(text, values), extensions);

    it('creates its tables in its own schema, and applies each migration once', async () => {
      const [first, second] = [own('first', 'CREATE TABLE notes ()'), own('second', 'CREATE TABLE notes ()')];

      expect(await isCurrent(first)).toBe(false);
      expect(await run(first, second)).toEqual({ applied: ['first/Notes1800000000000', 'second/Notes1800000000000'] });
      expect(await run(first, second)).toEqual({ applied: [] });
      expect([await isCurrent(first, second), await tables(), await applied()]).toEqual([
        true,
        [{ name: 'first.notes' }, { name: 'second.notes' }],
        NAMES,
      ]);
    });

    it('names the schema and the migration that was renamed', async () => {
      await run(own('first', 'CREATE TABLE notes ()'));
      const renamed = { schema: 'first', migrations: [migration('Memos1800000000000', undefined, 'SELECT 1')] };

      await expect(run(renamed)).rejects.toThrow(
        'The schema first has the migration Notes1800000000000, which the extension does not contain: restore the name',
      );
    });

    it('rolls back a migration that fails, and keeps those before it', async () => {
      const broken = own('first', 'CREATE TABLE notes ()', 'CREATE TABLE more (); CREATE TABLE notes ()');

      await expect(run(broken)).rejects.toThrow('relation "notes" already exists');

      expect(await database.query('SELECT name FROM first.migrations')).toEqual([{ name: 'Notes1800000000000' }]);
      expect(await database.query(`SELECT to_regclass('first.more') AS found`)).toEqual([{ found: null }]);
      expect(await isCurrent(broken)).toBe(false);
    });
  });
});
