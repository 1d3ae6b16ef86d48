import {
  isSchemaCurrent,
  MaintenanceConnection,
  migrate,
  parseMigration,
  readMigrations,
  readOwnMigrations,
  type Migration,
  type SchemaMigrations,
} from '@app/infrastructure';
import { loadModule } from 'libpg-query';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { faultsOfMigration } from '../support/migration-rules.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const later = (sql: string): Migration => parseMigration('0002-later.sql', sql);
const DEFAULT_NAME = 'ADD COLUMN note text NOT NULL DEFAULT';
const CONCURRENTLY = `-- without transaction

DROP INDEX CONCURRENTLY IF EXISTS orders_by_notes;

CREATE INDEX CONCURRENTLY orders_by_notes ON orders (store_id, notes);
`;

describe('the rules of migrations', () => {
  beforeAll(() => loadModule());

  it('hold for every file after the first', () => {
    const [first, ...others] = readMigrations();

    expect(first?.name).toBe('0001-schema');
    expect(others.map((migration) => [migration.name, faultsOfMigration(migration)])).toEqual(
      others.map(({ name }) => [name, []]),
    );
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
    CONCURRENTLY,
  ])('accept: %s', (sql) => {
    expect(faultsOfMigration(later(sql))).toEqual([]);
  });

  it.each([
    ['CREATE INDEX CONCURRENTLY', 'CREATE INDEX orders_by_notes ON orders (notes)'],
    ['without a transaction', 'CREATE INDEX CONCURRENTLY orders_by_notes ON orders (notes)'],
    ['for a second attempt', '-- without transaction\n\nCREATE INDEX CONCURRENTLY orders_by_notes ON orders (notes);'],
    ['a blank line separates', CONCURRENTLY.replaceAll(';\n\n', ';\n')],
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
  ])('reject (%s): %s', (fault, sql) => {
    expect(faultsOfMigration(later(sql))).toEqual([expect.stringContaining(fault)]);
  });

  it.each(['public', 'pg_own', 'Loyalty', 'a; DROP TABLE orders', ''])(
    'refuse the schema %s of an extension',
    (schema) => {
      expect(() => readOwnMigrations({ schema, directory: '.' })).toThrow('is not a name for a schema of your own');
    },
  );
});

describe('the migration runner', () => {
  let database: TestDatabase;
  beforeEach(async () => (database = await createTestDatabase()));
  afterEach(() => database.drop());

  const withLater = (sql: string) => [...readMigrations(), later(sql)];
  const applied = async () =>
    (await database.query<{ name: string }>('SELECT name FROM migrations ORDER BY id')).map(({ name }) => name);

  it('rejects a database of an earlier state with one line and changes nothing', async () => {
    await database.query(`UPDATE migrations SET name = 'Schema1764000000001'`);

    await expect(migrate(database.url, withLater('CREATE TABLE notes ()'))).rejects.toThrow(
      'The database has a schema of an earlier development state (Schema1764000000001), which cannot be migrated: ' +
        'use an empty database or another DATA_DIR.',
    );
    expect(await applied()).toEqual(['Schema1764000000001']);
  });

  it('leaves a database that a later release has migrated unchanged', async () => {
    await migrate(database.url, withLater('CREATE TABLE notes ()'));

    expect(await migrate(database.url)).toEqual({ applied: [] });
    expect(await isSchemaCurrent((text, values) => database.query(text, values))).toBe(true);
  });

  it('rolls back a file when one of its statements fails', async () => {
    const broken = withLater('CREATE TABLE notes (); CREATE TABLE orders ()');

    await expect(migrate(database.url, broken)).rejects.toThrow('relation "orders" already exists');

    expect(await database.query(`SELECT to_regclass('notes') AS found`)).toEqual([{ found: null }]);
    expect(await applied()).toEqual(['0001-schema']);
  });

  it('builds an index CONCURRENTLY once while several processes migrate', async () => {
    const reports = await Promise.all([1, 2, 3].map(() => migrate(database.url, withLater(CONCURRENTLY))));

    expect(reports.flatMap((report) => report.applied)).toEqual(['0002-later']);
    expect(
      await database.query(`SELECT indisvalid FROM pg_index WHERE indexrelid = 'orders_by_notes'::regclass`),
    ).toEqual([{ indisvalid: true }]);
  });

  it('gives up a lock that is not free within a second, lets other statements run, and tries again', async () => {
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE customers IN ROW EXCLUSIVE MODE');
    const waits = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'customers'::regclass`;

    const migration = migrate(database.url, withLater('ALTER TABLE customers ADD COLUMN note text'));
    await eventually(async () => expect(await database.query(waits)).toHaveLength(1));
    await eventually(async () => expect(await database.query(waits)).toEqual([]));
    await holder.query('COMMIT');
    await holder.end();

    expect(await migration).toEqual({ applied: ['0002-later'] });
  });

  describe('for an extension', () => {
    const own = (schema: string, ...sql: string[]): SchemaMigrations => ({
      schema,
      migrations: sql.map((text, index) => parseMigration(`000${index + 1}-notes.sql`, text)),
    });
    const run = (...extensions: SchemaMigrations[]) => migrate(database.url, undefined, extensions);
    const tables = () =>
      database.query<{ name: string }>(
        `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
         WHERE table_name = 'notes' ORDER BY 1`,
      );
    const isCurrent = (...extensions: SchemaMigrations[]) =>
      isSchemaCurrent((text, values) => database.query(text, values), extensions);

    it('creates its tables in its own schema, and applies each file once', async () => {
      const [first, second] = [own('first', 'CREATE TABLE notes ()'), own('second', 'CREATE TABLE notes ()')];

      expect(await isCurrent(first)).toBe(false);
      expect(await run(first, second)).toEqual({ applied: ['first/0001-notes', 'second/0001-notes'] });
      expect(await run(first, second)).toEqual({ applied: [] });
      expect([await isCurrent(first, second), await tables(), await applied()]).toEqual([
        true,
        [{ name: 'first.notes' }, { name: 'second.notes' }],
        ['0001-schema'],
      ]);
    });

    it('rolls back a file that fails, and keeps those before it', async () => {
      const broken = own('first', 'CREATE TABLE notes ()', 'CREATE TABLE more (); CREATE TABLE notes ()');

      await expect(run(broken)).rejects.toThrow('relation "notes" already exists');

      expect(await database.query('SELECT name FROM first.migrations')).toEqual([{ name: '0001-notes' }]);
      expect(await database.query(`SELECT to_regclass('first.more') AS found`)).toEqual([{ found: null }]);
      expect(await isCurrent(broken)).toBe(false);
    });
  });
});

describe('a maintenance connection', () => {
  it('runs a statement for longer than the time limit of the database', async () => {
    const database = await createTestDatabase();
    await database.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET statement_timeout = '50ms'`);

    const rows = await new MaintenanceConnection(database.url).run((source) =>
      source.query<object[]>('/* test.sleep */ SELECT pg_sleep(0.1)'),
    );
    await database.drop();

    expect(rows).toHaveLength(1);
  });
});
