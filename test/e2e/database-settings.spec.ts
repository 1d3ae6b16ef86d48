import { HealthConnection, migrate, withConnection } from '@app/infrastructure';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { housekeepingPool } from '../../libs/infrastructure/src/postgres/housekeeping-pool.js';
import { startBuiltApi } from '../support/built-api.js';
import { commandLine } from '../support/command-line.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const ADVICE = `use a database made with CREATE DATABASE … ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0.`;
const LETTERS = `The locale of the database does not match Ä with ä and I with i: ${ADVICE}`;
const SQL_ASCII = `The encoding of the database is SQL_ASCII, not UTF8: ${ADVICE}`;

describe('a database with an unsuitable encoding or locale', () => {
  let database: TestDatabase;
  afterEach(() => database.drop());
  const create = async (options: string) => (database = await createTestDatabase(`TEMPLATE template0 ${options}`));
  const { cli } = commandLine(() => database);

  it.each([
    ['encoding SQL_ASCII', SQL_ASCII, `ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'`],
    ['encoding LATIN1', SQL_ASCII.replace('SQL_ASCII', 'LATIN1'), `ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'`],
    ['locale C', LETTERS, `ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C'`],
    ['a Turkish locale', LETTERS, `ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'tr' LOCALE 'C'`],
  ])('is refused by the migration, which changes nothing: %s', async (_name, message, options) => {
    await create(options);

    await expect(migrate(database.url)).rejects.toThrow(message);

    expect(await database.query(`SELECT to_regclass('migrations') AS found`)).toEqual([{ found: null }]);
  });

  it('is refused by commands and by the start of the API, each with one line', async () => {
    await create(`ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C'`);

    const [migration, stores] = [await cli(['migrate']), await cli(['stores', 'list'])];
    const api = startBuiltApi({ DATABASE_URL: database.url });

    expect([await api.ended(), api.errors()]).toEqual([1, `${LETTERS}\n`]);
    expect([migration.code, migration.stderr]).toEqual([1, `error: ${LETTERS}\n`]);
    expect([stores.code, stores.stderr]).toEqual([1, `error: Cannot use the database: ${LETTERS}\n`]);
  });
});

describe('a database with a locale of ICU and LC_CTYPE C', () => {
  let api: RunningApi;
  beforeAll(async () => {
    const database = await createTestDatabase(
      `TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'`,
    );
    await migrate(database.url);
    api = await startApi({}, undefined, database);
    const ids: number[] = [];
    for (const name of ['Zebra', 'Élan', 'acme', 'Über Öl', 'Bolt']) {
      await api.store.brand({ name });
      ids.push(await api.store.category({ name }));
    }
    await api.store.product({ name: 'Über Öl', sku: 'ÜX-1', categoryIds: ids });
    await api.store.customer({ name: 'Ada', email: 'Äda@x.example' });
  });
  afterAll(() => api.stop());

  const names = async (path: string) => {
    const response = await api.get(`/v1/${encodeURI(path)}`);
    return response.json<{ data: { name: string }[] }>().data.map(({ name }) => name);
  };

  it.each([
    ['products?search=über', 'Über Öl'],
    ['products?search=u\u0308ber', 'Über Öl'],
    ['brands?search=éLAN', 'Élan'],
    ['categories?search=ÖL', 'Über Öl'],
    ['customers?search=äDA@X', 'Ada'],
    ['customers?search=äda', 'Ada'],
    ['skus?sku=üx-1', 'Über Öl'],
    ['skus?search=üX', 'Über Öl'],
  ])('finds letters beyond ASCII in any letter case: %s', async (path, name) => {
    expect(await names(path)).toEqual([name]);
  });

  it('lists brands and categories by code points, as every other database does', async () => {
    const product = (await api.get('/v1/products')).json<{ data: { slug: string }[] }>().data[0]?.slug;
    const { data } = (await api.get(`/v1/products/${product}`)).json<{ data: { categories: { name: string }[] } }>();

    expect(await names('brands')).toEqual(['acme', 'Bolt', 'Zebra', 'Élan', 'Über Öl']);
    expect(await names('categories')).toEqual(['Bolt', 'Zebra', 'acme', 'Élan', 'Über Öl']);
    expect(data.categories.map(({ name }) => name)).toEqual(['Bolt', 'Zebra', 'acme', 'Élan', 'Über Öl']);
  });

  it('lists brands and categories in the order of an index', async () => {
    // With so few rows, PostgreSQL would sort.
    await api.database.query(`CREATE FUNCTION plan_of(list text) RETURNS SETOF text LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
      AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS off) ' || list; END $$`);

    const topOf = async (list: string) =>
      (await api.database.query<{ plan: string }>('SELECT plan_of($1) AS plan', [list]))[0]?.plan;

    expect(
      await topOf('SELECT * FROM brands WHERE store_id = 1 AND active ORDER BY lower(name) COLLATE "C", id'),
    ).toMatch('Index Scan using brands_by_name');
    expect(
      await topOf(
        'SELECT * FROM categories WHERE store_id = 1 AND active ORDER BY display_order, name COLLATE "C", id',
      ),
    ).toMatch('Index Scan using categories_by_display_order');
  });
});

const ODD_SETTINGS = {
  DateStyle: 'German, DMY',
  IntervalStyle: 'iso_8601',
  TimeZone: 'Asia/Kathmandu',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  default_transaction_isolation: 'serializable',
  standard_conforming_strings: 'off',
  jit: 'on',
};

async function oddDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  for (const [setting, value] of Object.entries(ODD_SETTINGS)) {
    await database.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
  }
  // The sessions of the database keep the settings of the template.
  return database;
}

describe('a session on a database with other formats', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi({}, undefined, await oddDatabase());
  });
  afterAll(() => api.stop());

  const SHOW = `/* test.settings */ SELECT concat_ws('; ', current_setting('DateStyle'), current_setting('IntervalStyle'),
    current_setting('TimeZone'), current_setting('extra_float_digits'), current_setting('bytea_output'),
    current_setting('default_transaction_isolation'), 'jit ' || current_setting('jit')) AS settings`;
  const onPool = async (pool: pg.Pool) => {
    const { rows } = await pool.query<{ settings: string }>(SHOW);
    await pool.end();
    return rows;
  };

  const onHealth = async (connection: HealthConnection) => {
    const rows = await connection.readGauge(SHOW);
    connection.onApplicationShutdown();
    return rows;
  };

  it.each<[string, (url: string) => Promise<unknown>]>([
    ['for requests', () => api.app.get(DataSource).query(SHOW)],
    ['for the housekeeping', (url) => onPool(housekeepingPool(url, () => undefined))],
    ['for commands', (url) => withConnection(url, 'test', (connection) => connection.query(SHOW))],
    ['for probes', (url) => onHealth(new HealthConnection(url))],
  ])('has the formats of the service: %s', async (_name, settingsOn) => {
    expect(await settingsOn(api.database.url)).toEqual([
      { settings: 'ISO, YMD; postgres; UTC; 1; hex; read committed; jit off' },
    ]);
  });

  it('ends a statement of the housekeeping in the server before its connection is dropped', async () => {
    const pool = housekeepingPool(api.database.url, () => undefined);
    const { rows } = await pool.query<{ statement_timeout: number }>(
      "/* test.timeout */ SELECT setting::int AS statement_timeout FROM pg_settings WHERE name = 'statement_timeout'",
    );
    await pool.end();

    expect(rows[0]?.statement_timeout).toBeGreaterThan(0);
    expect(rows[0]?.statement_timeout).toBeLessThan(pool.options.query_timeout ?? 0);
  });

  it('plans no parallel workers for requests', async () => {
    const [shown] = await api.app
      .get(DataSource)
      .query<object[]>('/* test.workers */ SHOW max_parallel_workers_per_gather');

    expect(shown).toEqual({ max_parallel_workers_per_gather: '0' });
  });
});
