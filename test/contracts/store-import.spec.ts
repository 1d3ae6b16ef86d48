import { Deadline, StoreImport, type ImportedLine } from '@app/application';
import { ImportRefused } from '@app/domain';
import pg from 'pg';
import { StoreFixture } from '../builders/store-fixture.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

let application: RunningApplication;
let store: StoreFixture;
let client: pg.Client;
beforeAll(async () => {
  application = await startApplication();
  client = new pg.Client({ connectionString: application.database.url });
  await client.connect();
});
beforeEach(async () => {
  store = await StoreFixture.create(application.database);
});
afterAll(async () => {
  await client.end();
  await application.stop();
});

const brand = (slug: string, name = slug) => ({ kind: 'brand', slug, name });
const product = (slug: string, more: object = {}) => ({ kind: 'product', slug, name: slug, price: '1', ...more });

const write = (values: readonly object[], isAtomic = false): Promise<readonly ImportedLine[]> =>
  application.app.get(StoreImport).write({
    storeId: store.id,
    isTest: false,
    isAtomic,
    lines: values.map((value, index) => ({ line: index + 1, value, fault: null })),
    deadline: Deadline.in(8_000),
  });

const brands = async () =>
  (await application.database.query('SELECT slug FROM brands WHERE store_id = $1', [store.id])).length;

describe('StoreImport', () => {
  describe('of lines that only the database rejects', () => {
    beforeAll(() => application.database.query(`ALTER TABLE brands ADD CONSTRAINT no_seven CHECK (name <> 'seven')`));
    afterAll(() => application.database.query('ALTER TABLE brands DROP CONSTRAINT no_seven'));

    it('refuses them, and what refers to them, and writes the others', async () => {
      const lines = [brand('a'), brand('b', 'seven'), product('p', { brand: 'b' }), product('q', { brand: 'a' })];

      expect((await write(lines)).map(({ result, error }) => [result, error])).toEqual([
        ['created', ''],
        ['refused', 'the database rejects it (23514, no_seven)'],
        ['refused', 'brand "b" is not known'],
        ['created', ''],
      ]);
    });

    it.each<[string, (n: number) => object]>([
      ['that the database rejects', (n) => brand(`b-${n}`, 'seven')],
      ['without a name', (n) => ({ kind: 'brand', slug: `b-${n}` })],
      ['of unknown brands', (n) => product(`p-${n}`, { brand: 'none' })],
      ['of unknown categories', (n) => product(`p-${n}`, { categories: ['none', 'neither'] })],
      ['of unknown parents', (n) => ({ kind: 'category', slug: `c-${n}`, name: 'c', parent: 'none' })],
      ['that cost too much', (n) => product(`p-${n}`, { variants: [{ sku: 'a', name: 'a', price: '999999999999' }] })],
    ])('refuses 500 lines %s in time, and writes the last', async (_what, line) => {
      const lines = [...Array(499).keys()].map(line);

      const results = (await write([...lines, brand('last')])).map(({ result }) => result);

      expect(results).toEqual([...lines.map(() => 'refused'), 'created']);
    });

    it('writes nothing of an atomic request', async () => {
      await expect(write([brand('a'), brand('b', 'seven')], true)).rejects.toThrow(ImportRefused);

      expect(await brands()).toBe(0);
    });
  });

  it('makes no more bins than requests may', async () => {
    await application.database.query(
      `INSERT INTO bins (store_id, warehouse_id, code) SELECT $1, id, n FROM warehouses, generate_series(1, 99999) AS n
       WHERE store_id = $1`,
      [store.id],
    );
    const bin = (code: string) => ({ kind: 'bin', warehouse: 'MAIN', code });
    const few = [bin('A-1')];

    const many = await write([...few, bin('A-2'), brand('a')]);

    expect(many.map(({ result }) => result)).toEqual(['refused', 'refused', 'created']);
    expect(many[0]?.error).toBe('The store has 100000 bins: no request makes another');
    expect((await write(few)).map(({ result }) => result)).toEqual(['created']);
  });

  it('begins again when its connection is lost, and writes all or nothing', async () => {
    await write([product('p')]);
    await client.query('BEGIN');
    await client.query('SELECT FROM products WHERE store_id = $1 FOR UPDATE', [store.id]);
    const written = write([brand('a'), product('p', { brand: 'a' })]);
    await eventually(async () => expect(await lockWaits(application.database, '%import.products.lock%')).toBe(1));

    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE '%import.products.lock%'`);
    expect(await brands()).toBe(0);
    await client.query('COMMIT');

    expect((await written).map(({ result }) => result)).toEqual(['created', 'updated']);
  });

  it.each<[string, string, () => unknown[]]>([
    ['an import of the command', `hashtextextended('store-commerce bundle import', 0)`, () => []],
    ['another import of its store', `hashtext('import'), $1`, () => [store.id]],
  ])('waits for %s', async (_what, lock, values) => {
    await client.query('BEGIN');
    await client.query(`SELECT pg_advisory_xact_lock(${lock})`, values());

    const written = write([brand('a')]);

    await eventually(async () => expect(await lockWaits(application.database, '%take_turn_of_store%')).toBe(1));
    await client.query('COMMIT');
    expect((await written).map(({ result }) => result)).toEqual(['created']);
  });

  it('does not wait for an import of another store', async () => {
    await client.query('BEGIN');
    const others = `SELECT pg_advisory_xact_lock_shared(hashtextextended('store-commerce bundle import', 0)),
      pg_advisory_xact_lock(hashtext('import'), $1)`;
    await client.query(others, [store.id + 1]);

    expect((await write([brand('a')])).map(({ result }) => result)).toEqual(['created']);

    await client.query('COMMIT');
  });
});
