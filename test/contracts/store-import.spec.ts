import { Deadline, DeadlineExceeded, StoreImport, type ImportedLine } from '@app/application';
import { ImportRefused } from '@app/domain';
import pg from 'pg';
import { BY_OPERATOR } from '../builders/change-origin.js';
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

const write = (
  values: readonly object[],
  isAtomic = false,
  deadline = Deadline.in(8_000),
  storeId = store.id,
): Promise<readonly ImportedLine[]> =>
  application.app.get(StoreImport).write({
    storeId,
    isTest: false,
    isAtomic,
    lines: values.map((value, index) => ({ line: index + 1, value, fault: null })),
    deadline,
    origin: BY_OPERATOR,
  });

const brands = async () =>
  (await application.database.query('SELECT slug FROM brands WHERE store_id = $1', [store.id])).length;

const categories = () => application.database.query('SELECT slug FROM categories WHERE store_id = $1', [store.id]);

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const asked = vi.spyOn(pg.Client.prototype, 'query');
  await work();
  const { length } = asked.mock.calls;
  asked.mockRestore();
  return length;
}

const sequences = () =>
  application.database.query(`SELECT sequencename, last_value FROM pg_sequences
    WHERE sequencename ~ '^(brands|categories|products|product_variants|warehouses|bins)_id_seq$' ORDER BY 1`);

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

    it('refuses 500 of them in time, most of them together', async () => {
      const lines = [...Array(499).keys()].map((n) => brand(`b-${n}`, 'seven'));

      const refused = await write([...lines, brand('last')]);

      expect(refused.map(({ result }) => result)).toEqual([...lines, 'last'].map(() => 'refused'));
      expect([refused[0]?.error, refused[499]?.error]).toEqual([
        'the database rejects it (23514, no_seven)',
        'the database rejects lines 251 to 500 together (23514, no_seven)',
      ]);
    });

    it('writes nothing of an atomic request', async () => {
      await expect(write([brand('a'), brand('b', 'seven')], true)).rejects.toThrow(ImportRefused);

      expect(await brands()).toBe(0);
    });
  });

  it('refuses a chain of categories in few statements, and keeps the parents of the others', async () => {
    const chain = [...Array(480).keys()].map((n) => ({
      kind: 'category',
      slug: `c-${n}`,
      name: 'c',
      parent: `c-${n - 1}`,
    }));

    const statements = await statementsOf(() => write(chain));

    expect(statements).toBeLessThan(40);
    expect(await categories()).toEqual([]);
    await write([{ kind: 'category', slug: 'c-0', name: 'c' }, ...chain.slice(1)]);
    expect(await categories()).toHaveLength(480);
    const circle = [
      { kind: 'category', slug: 'c-1', parent: 'c-479' },
      { kind: 'category', slug: 'c-479', parent: 'c-0' },
    ];
    expect((await write(circle)).map(({ result }) => result)).toEqual(['refused', 'updated']);
  });

  it.each(['import.brands.insert', 'SAVEPOINT'])('commits nothing when its time ends with %s', async (last) => {
    const deadline = Deadline.in(8_000);
    const asked = vi.spyOn(pg.Client.prototype, 'query');
    const isOver = () => asked.mock.calls.some(([statement]: unknown[]) => JSON.stringify(statement).includes(last));
    vi.spyOn(deadline, 'remainingMs', 'get').mockImplementation(() => (isOver() ? 0 : 8_000));

    await expect(write([brand('a')], false, deadline)).rejects.toThrow(DeadlineExceeded);
    asked.mockRestore();

    expect(await brands()).toBe(0);
  });

  describe('of lines with ids', () => {
    it.each<[string, (id: number) => object]>([
      ['product.id', (id) => product('p', { id })],
      ['product.variants[0].id', (id) => product('p', { variants: [{ id, sku: 'a', name: 'a' }] })],
      ['brand.id', (id) => ({ ...brand('b'), id })],
      ['category.id', (id) => ({ kind: 'category', slug: 'c', name: 'c', id })],
    ])(
      'refuses a %s that no row can have, also when the request is refused, and moves no sequence',
      async (path, line) => {
        await write([
          product('first', { variants: [{ sku: 'a', name: 'a' }] }),
          brand('b0'),
          { kind: 'category', slug: 'c0', name: 'c' },
        ]);
        const before = await sequences();

        const [refused] = await write([line(1_000_000_000)]);
        await expect(write([line(1_000_000_000)], true)).rejects.toThrow(ImportRefused);

        expect(refused).toMatchObject({
          result: 'refused',
          error: `${path} must be an id that the service has already assigned`,
        });
        expect(await sequences()).toEqual(before);
      },
    );

    it('keeps the id of a row that another store has', async () => {
      const [first] = await write([product('p')]);
      const other = await StoreFixture.create(application.database);

      const [copy] = await write([product('p', { id: Number(first?.id) })], false, Deadline.in(8_000), other.id);

      expect(copy).toMatchObject({ result: 'created', id: first?.id });
    });

    it('gives the ids of refused requests to later rows', async () => {
      const lines = [
        product('p', { variants: [{ sku: 'a', name: 'a' }] }),
        { kind: 'warehouse', code: 'W', name: 'W' },
        { kind: 'bin', warehouse: 'W', code: 'B' },
        { kind: 'order', receipt_number: 'x' },
      ];
      await expect(write(lines, true)).rejects.toThrow(ImportRefused);
      const before = await sequences();

      for (let n = 0; n < 3; n++) await expect(write(lines, true)).rejects.toThrow(ImportRefused);
      const written = await write(lines.slice(0, 3));

      expect(written.map(({ result }) => result)).toEqual(['created', 'created', 'created']);
      expect(await sequences()).toEqual(before);
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
    expect(many[0]?.error).toBe('The store has 100000 bins, the maximum for requests');
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

  it('waits for another import of its store', async () => {
    await client.query('BEGIN');
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('import'), $1)`, [store.id]);

    const written = write([brand('a')]);

    await eventually(async () => expect(await lockWaits(application.database, '%import.lock_store%')).toBe(1));
    await client.query('COMMIT');
    expect((await written).map(({ result }) => result)).toEqual(['created']);
  });

  it('does not wait for an import of another store, even by the command', async () => {
    await client.query('BEGIN');
    const others = `SELECT pg_advisory_xact_lock(hashtextextended('store-commerce bundle import', 0)),
      pg_advisory_xact_lock(hashtext('import'), $1)`;
    await client.query(others, [store.id + 1]);

    expect((await write([brand('a')])).map(({ result }) => result)).toEqual(['created']);

    await client.query('COMMIT');
  });

  it('checks its lines when the imports of its store before it are done', async () => {
    await client.query('BEGIN');
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('import'), $1)`, [store.id]);
    const first = write([brand('a')]);
    await eventually(async () => expect(await lockWaits(application.database, '%import.lock_store%')).toBe(1));
    let checks = 0;
    const line = {
      slug: 'b',
      get kind() {
        checks++;
        return 'brand';
      },
    };

    const second = write([line]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(checks).toBe(0);

    await client.query('COMMIT');
    await Promise.all([first, second]);
    expect(checks).toBeGreaterThan(0);
  });

  it('lets the process do other work while it checks its lines', async () => {
    const checkedAt: number[] = [];
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns++) await new Promise((resolve) => setImmediate(resolve));
    })();
    const lines = Array.from({ length: 500 }, (_, n) => ({
      slug: `brand-${n}`,
      name: 'A',
      get kind() {
        checkedAt[n] ??= turns;
        return 'brand';
      },
    }));

    await write(lines);
    isOver = true;
    await others;

    expect(new Set(checkedAt).size).toBeGreaterThan(40);
  });

  it('leaves a product at most 1,000 variants, with those that it had', async () => {
    const withVariants = (from: number, count: number) => {
      const variants = Array.from({ length: count }, (_, n) => ({ sku: `V-${from + n}`, name: 'A' }));
      return { ...product('shirt'), name: `From ${from}`, variants };
    };
    const problem = 'product.variants must have at most 1000 variants, including stored ones';

    const results = [];
    for (const line of [withVariants(0, 600), withVariants(200, 800), withVariants(1, 1_000), withVariants(0, 1_000)])
      results.push(...(await write([line])).map(({ result, error }) => [result, error]));

    expect(results).toEqual([
      ['created', ''],
      ['updated', ''],
      ['refused', problem],
      ['updated', ''],
    ]);
    const [row] = await application.database.query(
      `SELECT name, (SELECT count(*)::int FROM product_variants WHERE store_id = $1) AS variants FROM products WHERE store_id = $1`,
      [store.id],
    );
    expect(row).toEqual({ name: 'From 0', variants: 1_000 });
  });

  it('leaves a product at most 1 MB of variants, with those that it had, and takes smaller ones', async () => {
    const withVariants = (from: number, length: number, metadata?: object) => {
      const text = 'x'.repeat(length / 4);
      const attributes = { a: text, b: text, c: text, d: text };
      const variants = Array.from({ length: 300 }, (_, n) => ({
        sku: `V-${from + n}`,
        name: 'A',
        attributes,
        metadata,
      }));
      return { ...product('shirt'), variants };
    };
    const problem = 'product.variants must have at most 1 MB of variants, including stored ones';

    const results = [];
    for (const line of [
      withVariants(0, 3_400),
      withVariants(300, 200),
      withVariants(0, 3_400, { text: 'y'.repeat(100) }),
      withVariants(0, 3_000, { text: 'y'.repeat(100) }),
      withVariants(0, 3_000),
      withVariants(0, 3_388),
    ])
      results.push(...(await write([line])).map(({ result, error }) => [result, error]));

    expect(results).toEqual([
      ['created', ''],
      ['refused', problem],
      ['refused', problem],
      ['updated', ''],
      ['unchanged', ''],
      ['refused', problem],
    ]);
  });
});
