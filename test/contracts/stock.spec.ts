import {
  StockChanges,
  StockLedger,
  StockRepository,
  StockService,
  type StockChangeRequest,
  type StockLine,
} from '@app/application';
import { NotFound, ReferenceTaken } from '@app/domain';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Database } from '../../libs/infrastructure/src/postgres/database.js';
import { READ_INTEGERS } from '../../libs/infrastructure/src/postgres/integers.js';
import type { TransactionSql } from '../../libs/infrastructure/src/postgres/transaction-sql.js';
import { PostgresStockRepository } from '../../libs/infrastructure/src/stock/postgres-stock.repository.js';
import { availableByVariant } from '../../libs/infrastructure/src/stock/available-stock.js';
import { stockPreview } from '../../libs/infrastructure/src/stock/preview-stock.js';
import {
  readCountFacts,
  readUnshipped,
  type CountWithSnapshot,
} from '../../libs/infrastructure/src/stock/count-snapshots.js';
import { findBinsOfLines } from '../../libs/infrastructure/src/stock/limit-bins.js';
import { restockStatements, type LockedOrder } from '../../libs/infrastructure/src/stock/restock.js';
import { withdrawals } from '../../libs/infrastructure/src/stock/withdraw-stock.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { rowsReadBy, type RunPlan } from '../support/rows-read.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';
import type { TestDatabase } from '../support/test-database.js';

const BINS = 12_000;
const PRODUCTS = 1_500;
const LINES = 100;
const OPEN_ORDERS = 4_000;
const OPEN_ORDERS_OF_BIN = 50;
const PAGE = { page: 1, limit: 50 };
const LAST = `P-${PRODUCTS}`;
/** Allows a few rows of each table for each line. */
const FEW = 20 * LINES;

const A_LINE: StockLine = {
  ...{ sku: null, productId: null, variantId: null, warehouse: null, bin: null, asOf: null, invalid: null },
  write: { kind: 'adjust', by: 1 },
};
const A_REQUEST = {
  ...{ actor: { type: 'key', id: 'k', name: 'ERP' } as const, reference: null, reason: '' },
  ...{ isAtomic: false, createsBins: false, requestHash: Buffer.from('hash'), idempotency: null },
} as const;

let application: RunningApplication;
let database: TestDatabase;
let large: StoreFixture;
let client: pg.Client;
beforeAll(async () => {
  application = await startApplication();
  database = application.database;
  // Only the ANALYZE below gathers statistics, whatever the time.
  await database.query(
    `DO $$ DECLARE each regclass; BEGIN
       FOR each IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
         EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', each);
       END LOOP;
     END $$`,
  );
  large = await StoreFixture.create(database);
  await fill((await StoreFixture.create(database)).id);
  await fill(large.id);
  client = new pg.Client({ connectionString: database.url, types: READ_INTEGERS });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await application.stop();
});

describe.each(['has just been filled', 'has been analyzed'])('in a database that %s', (state) => {
  beforeAll(async () => {
    if (state === 'has been analyzed') await database.query('ANALYZE');
  });

  async function rowsRead(text: string, values: readonly unknown[]): Promise<Map<string, number>> {
    await client.query(`PREPARE statement AS ${text}`);
    const execute = `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE statement (${values.map(literal).join()})`;
    const { rows } = await client.query<RunPlan>(execute);
    await client.query('DEALLOCATE statement');
    return rowsReadBy(rows[0] as RunPlan);
  }

  async function expectToRead(most: number, statements: readonly (readonly [string, readonly unknown[]])[]) {
    for (const [text, values] of statements) {
      for (const [table, read] of await rowsRead(text, values))
        expect([table, read <= most, read]).toEqual([table, true, read]);
    }
  }

  function recording() {
    const statements: [string, readonly unknown[]][] = [];
    const sql = {
      query: async (text: string, values: readonly unknown[]) => {
        statements.push([text, values]);
        return (await client.query<pg.QueryResultRow>(text, [...values])).rows;
      },
    } as unknown as TransactionSql;
    return { sql, statements };
  }

  async function statementsOf(lines: readonly Partial<StockLine>[]): Promise<[string, readonly unknown[]][]> {
    const { sql, statements } = recording();
    const asked = lines.map((each): StockLine => ({ ...A_LINE, ...each }));
    const request: StockChangeRequest = { ...A_REQUEST, storeId: large.id, lines: asked, createsBins: true };
    await findBinsOfLines(
      sql,
      request,
      lines.map(() => null),
    );
    return statements;
  }

  it.each<[string, (n: number) => Partial<StockLine>]>([
    ['a SKU, a warehouse and a bin', (n) => ({ sku: `p-${n + 2}`, warehouse: 'MAIN', bin: `B-${n + 1}` })],
    [
      'a product that lies in many bins, a warehouse and a bin',
      (n) => ({ sku: LAST, warehouse: 'MAIN', bin: `B-${n + 1}` }),
    ],
    ['a bin that is to be made', (n) => ({ sku: `P-${n + 2}`, warehouse: 'MAIN', bin: `NEW-${n}` })],
    ['a bin', (n) => ({ sku: `P-${n + 2}`, bin: `B-${n + 1}` })],
    ['an unknown bin', (n) => ({ sku: `P-${n + 2}`, bin: `NONE-${n}` })],
    ['a warehouse', (n) => ({ sku: `P-${n + 2}`, warehouse: 'NEAR' })],
    ['an unknown warehouse', (n) => ({ sku: LAST, warehouse: `NONE-${n}` })],
    ['a SKU', (n) => ({ sku: n % 2 === 0 ? LAST : `P-${n + 2}` })],
    ['an unknown SKU', (n) => ({ sku: `NONE-${n}`, warehouse: 'MAIN', bin: `B-${n + 1}` })],
  ])('a change reads a few rows for each line that names %s', async (_, lineOf) => {
    // A transaction of a change has the same settings: one generic plan for all values.
    await client.query(`BEGIN; SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off`);
    const statements = await statementsOf(Array.from({ length: LINES }, (_line, n) => lineOf(n)));

    expect(statements.length).toBeGreaterThan(0);
    // New bins are counted up to the limit of a store.
    await expectToRead(
      FEW,
      statements.filter(([text]) => !/(create|count)_bins \*/.test(text)),
    );
    await client.query('ROLLBACK');
  });

  it.each([
    ['one bin at one place, which open orders took from', () => 0, OPEN_ORDERS_OF_BIN],
    ['bins of products without open orders', (n: number) => n + 1, undefined],
  ])('a count of what lies on the shelf reads a few rows: %s', async (_, binOf, units) => {
    const rows = await database.query<Pick<CountWithSnapshot, 'bin_id' | 'product_id' | 'variant_key'>>(
      'SELECT product_id, variant_key, bin_id FROM stock WHERE store_id = $1 ORDER BY product_id, bin_id LIMIT $2',
      [large.id, 2 * LINES],
    );
    const [now] = await database.query<{ snapshot: string }>('SELECT pg_current_snapshot()::text AS snapshot');
    const counts = Array.from({ length: LINES }, (_line, index) => {
      const place = { position: 1, snapshot: now?.snapshot ?? '', lastMovement: 0, lastEvent: 0 };
      return { index, ...place, ...rows[binOf(index)] } as CountWithSnapshot;
    });
    await client.query(`BEGIN; SET LOCAL plan_cache_mode = force_generic_plan`);
    const { sql, statements } = recording();

    const unshipped = await readUnshipped(sql, large.id, counts, ['shipped', 'delivered']);

    expect(new Set(counts.map(({ index }) => unshipped.get(index) || undefined))).toEqual(new Set([units]));
    expect(statements).toHaveLength(1);
    await expectToRead(FEW, statements);
    await client.query('ROLLBACK');
  });

  it('a count reads its bin once for all its lines, and of many sets the newest', async () => {
    const [row] = await database.query<Pick<CountWithSnapshot, 'bin_id' | 'product_id' | 'variant_key'>>(
      'SELECT product_id, variant_key, bin_id FROM stock WHERE store_id = $1 ORDER BY product_id DESC, bin_id DESC LIMIT 1',
      [large.id],
    );
    await database.query(
      `INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity)
       SELECT $1, $2, $3, $4, 'SET', 0 FROM generate_series(1, 3000)`,
      [large.id, row?.bin_id, row?.product_id, row?.variant_key],
    );
    // The oldest transaction of a snapshot is that of the cluster: another database may keep it before these movements.
    const [now] = await database.query<{ snapshot: string }>(
      `SELECT pg_snapshot_xmax(now)::text || ':' || pg_snapshot_xmax(now)::text || ':' AS snapshot FROM pg_current_snapshot() AS now`,
    );
    const place = { position: 1, snapshot: now?.snapshot ?? '', lastMovement: 0, lastEvent: 0 };
    const counts = Array.from({ length: LINES }, (_line, index) => ({ index, ...place, ...row }) as CountWithSnapshot);
    await client.query(`BEGIN; SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off`);
    const { sql, statements } = recording();

    const facts = await readCountFacts(sql, large.id, counts);

    expect(facts.size).toBe(LINES);
    expect(facts.get(LINES - 1)).toEqual({ movedSince: 0, isOverwritten: false, lastCount: null });
    expect(statements).toHaveLength(1);
    await expectToRead(LINES, statements);
    await client.query('ROLLBACK');
  });

  it('stock for sale reads few bins of a closed warehouse, however many it has', async () => {
    const products = await database.query<{ id: number }>(
      'SELECT id FROM products WHERE store_id = $1 ORDER BY id LIMIT 20',
      [large.id],
    );
    // The demand exceeds the stock, so nothing is taken.
    const demand = products.map(({ id }) => ({
      productId: id,
      variantId: null,
      quantity: 1_000_000,
      lines: [{ line: 0, quantity: 1_000_000 }],
    }));
    const quantities = {
      text: quantitiesOf('$2::int[]'),
      values: [large.id, products.map(({ id }) => id)],
    };
    const { first, fromAny } = withdrawals(large.id, randomUUID(), demand);
    await client.query(`BEGIN; SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off`);

    for (const { text, values } of [quantities, stockPreview(large.id, demand), first, fromAny]) {
      const read = await rowsRead(text, values ?? []);
      expect([text, (read.get('bins') ?? 0) <= FEW, read.get('bins')]).toEqual([text, true, read.get('bins')]);
    }
    await client.query('ROLLBACK');
  });

  it('the quantity of a product counts and lists an inactive variant once, in however many bins it lies', async () => {
    const [variant] = await database.query<{ id: number; product_id: number }>(
      'SELECT id, product_id FROM product_variants WHERE store_id = $1 ORDER BY id LIMIT 1',
      [large.id],
    );
    await client.query(`BEGIN; SET LOCAL plan_cache_mode = force_generic_plan`);
    await client.query(
      `INSERT INTO stock (store_id, bin_id, product_id, variant_id, quantity)
       SELECT $1, id, $2, $3, 1 FROM bins WHERE store_id = $1 ORDER BY id LIMIT 1000`,
      [large.id, variant?.product_id, variant?.id],
    );
    await client.query(`UPDATE product_variants SET status = 'INACTIVE' WHERE store_id = $1 AND id = $2`, [
      large.id,
      variant?.id,
    ]);

    const read = await rowsRead(quantitiesOf('$2::int[]'), [large.id, [variant?.product_id]]);

    expect(read.get('stock')).toBeGreaterThanOrEqual(1_000);
    expect(read.get('product_variants')).toBe(2);
    await client.query('ROLLBACK');
  });

  it.each([
    ['a warehouse with many bins', { warehouse: 'MAIN' }],
    ['a warehouse with few bins', { warehouse: 'NEAR' }],
    ['a bin', { bin: 'B-9' }],
    ['a bin of a warehouse', { warehouse: 'MAIN', bin: 'B-9' }],
    ['a SKU in a warehouse', { skus: ['P-3'], warehouse: 'MAIN' }],
  ])('the first page of the stock of %s reads a few rows', async (_, filter) => {
    const settings = { connectionString: database.url, max: 1, pipeline: true };
    const pool = new pg.Pool(settings);
    const sent = vi.spyOn(pg.Client.prototype, 'query');

    const { total } = await new PostgresStockRepository(new Database(pool)).list(large.id, filter, PAGE);

    const calls = sent.mock.calls as unknown as readonly [string | pg.QueryConfig<unknown[]>][];
    sent.mockRestore();
    await pool.end();
    const statements = calls.flatMap(([call]) =>
      typeof call === 'string' ? [] : [[call.text, call.values ?? []] as const],
    );
    expect(total).toBeGreaterThan(0);
    expect(statements.length).toBeGreaterThan(0);
    await expectToRead(FEW, statements);
  });
});

describe('StockRepository, StockChanges and StockLedger', () => {
  let store: StoreFixture;
  let other: StoreFixture;
  let mug: number;
  let stock: StockRepository;
  beforeAll(() => (stock = application.app.get(StockRepository, { strict: false })));
  beforeEach(async () => {
    [store, other] = [await StoreFixture.create(database), await StoreFixture.create(database)];
    mug = await store.product({ sku: 'MUG', slug: 'mug', stock: [3, 4] });
    await other.product({ sku: 'MUG', slug: 'mug', stock: 9 });
  });

  it('lists the bins of a store only, by product, variant and bin, with an exact total', async () => {
    const variant = await store.variant(mug, { sku: 'MUG-RED', stock: 5 });

    const { rows, total } = await stock.list(store.id, {}, { page: 1, limit: 2 });
    const rest = await stock.list(store.id, {}, { page: 2, limit: 2 });

    expect([total, rest.total]).toEqual([3, 3]);
    expect([...rows, ...rest.rows].map(({ sku, variantId, quantity }) => [sku, variantId, quantity])).toEqual([
      ['MUG', null, 3],
      ['MUG', null, 4],
      ['MUG-RED', variant, 5],
    ]);
  });

  it('lists the stock of a warehouse and of a bin page by page, with the total of what is there', async () => {
    const insert = `
      WITH places AS (
        INSERT INTO warehouses (store_id, code, name) VALUES ($1, 'FAR', 'Far'), ($1, 'NEAR', 'Near') RETURNING id
      ), made AS (
        INSERT INTO bins (store_id, warehouse_id, code) SELECT $1, id, code FROM places, unnest('{A,B}'::text[]) AS code
        RETURNING id, code
      ), sold AS (
        INSERT INTO products (store_id, name, slug, price, status)
        SELECT $1, 'P', 'p-' || n, 1, 'ACTIVE' FROM generate_series(1, 900) AS n RETURNING id
      )
      INSERT INTO stock (store_id, bin_id, product_id, quantity)
      SELECT $1, made.id, sold.id, 1 FROM made, sold WHERE code = 'A' AND sold.id % 3 = 0 OR code = 'B' AND sold.id % 97 = 0`;
    await database.query(insert, [store.id]);
    await database.query('DELETE FROM stock WHERE store_id = $1 AND product_id % 7 = 0 AND product_id <> $2', [
      store.id,
      mug,
    ]);
    const places = async (filter: string, values: unknown[]) => {
      const sql = `
        SELECT product_id || ' ' || bin_id AS place FROM stock JOIN bins ON bins.store_id = $1 AND bins.id = bin_id
        JOIN warehouses ON warehouses.store_id = $1 AND warehouses.id = warehouse_id
        WHERE stock.store_id = $1 AND ${filter} ORDER BY product_id, bin_id`;
      const rows = await database.query<{ place: string }>(sql, [store.id, ...values]);
      return rows.map(({ place }) => place);
    };

    for (const [filter, expected] of [
      [{ warehouse: 'FAR' }, await places('warehouses.code = $2', ['FAR'])],
      [{ bin: 'B' }, await places('bins.code = $2', ['B'])],
      [{ warehouse: 'NEAR', bin: 'A' }, await places('warehouses.code = $2 AND bins.code = $3', ['NEAR', 'A'])],
    ] as const) {
      const pages: string[] = [];
      for (let page = 1; pages.length < expected.length; page++) {
        const { rows, total } = await stock.list(store.id, filter, { page, limit: 7 });
        expect([total, rows.length]).toEqual([expected.length, Math.min(7, expected.length - pages.length)]);
        pages.push(...rows.map(({ productId, binId }) => `${productId} ${binId}`));
      }
      expect(pages).toEqual(expected);
      expect(await stock.list(store.id, filter, { page: 1_000, limit: 7 })).toEqual({
        rows: [],
        total: expected.length,
      });
      expect(await stock.list(other.id, filter, { page: 1, limit: 7 })).toEqual({ rows: [], total: 0 });
    }
  });

  it('lists the warehouses of a store only, page by page, by code points, each with its bins', async () => {
    await database.query(
      `WITH made AS (
         INSERT INTO warehouses (store_id, code, name, active) VALUES ($1, 'a', '', true), ($1, 'É', 'É', false)
         RETURNING id, code
       )
       INSERT INTO bins (store_id, warehouse_id, code)
         SELECT $1, id, bin FROM made, unnest('{b,É,B-9,B-10,C}'::text[]) AS bin WHERE code = 'a'`,
      [store.id],
    );
    const of = (page: number, limit = 2) => stock.warehouses(store.id, { page, limit });

    const [first, second] = [await of(1), await of(2)];

    expect([...first.rows, ...second.rows]).toMatchObject([
      { code: 'MAIN', name: 'Main', active: true, bins: expect.any(Array) as string[] },
      { code: 'a', name: '', active: true, bins: ['B-10', 'B-9', 'C', 'b', 'É'] },
      { code: 'É', name: 'É', active: false, bins: [] },
    ]);
    expect(first.rows[0]?.bins).toHaveLength(2);
    expect([first.total, second.total, (await of(9)).total]).toEqual([3, 3, 3]);
  });

  it('counts the stock of a bin that moves in its new warehouse', async () => {
    const far = await store.warehouse();
    const totals = async () => {
      const rows = await database.query<{ code: string }>(
        'SELECT code FROM warehouses WHERE store_id = $1 ORDER BY id',
        [store.id],
      );
      const lists = rows.map(({ code }) => stock.list(store.id, { warehouse: code }, { page: 1, limit: 1 }));
      return (await Promise.all(lists)).map(({ total }) => total);
    };
    expect(await totals()).toEqual([2, 0]);

    await database.query(
      `UPDATE bins SET warehouse_id = $2 WHERE store_id = $1 AND id = (SELECT min(bin_id) FROM stock WHERE store_id = $1)`,
      [store.id, far],
    );

    expect(await totals()).toEqual([1, 1]);
  });

  it('applies each line or refuses it, and a repeated reference gets the same answer', async () => {
    const changes = application.app.get(StockChanges, { strict: false });
    const [bin] = await database.query<{ code: string }>(
      'SELECT code FROM bins JOIN stock ON stock.store_id = bins.store_id AND bin_id = bins.id WHERE quantity = 3 AND bins.store_id = $1',
      [store.id],
    );
    const [known, several] = [{ bin: bin?.code ?? '', productId: mug }, { productId: mug }];
    const lines = [known, several, { productId: 0 }].map((line): StockLine => ({ ...A_LINE, ...line }));
    const apply = (more: Partial<StockChangeRequest> = {}) =>
      changes.apply({ ...A_REQUEST, storeId: store.id, lines, reference: 'R', ...more });

    const [first, second] = [await apply(), await apply()];

    expect(first.lines.map(({ code, after }) => code ?? after)).toEqual([4, 'unknown_bin', 'unknown_sku']);
    expect([first.isReplay, second]).toEqual([false, { ...first, isReplay: true }]);
    expect(await store.onHand(mug)).toBe(8);
    await expect(apply({ requestHash: Buffer.from('another') })).rejects.toThrow(ReferenceTaken);
  });

  it('lists the movements of a store only, the last one first where times are equal', async () => {
    const ledger = application.app.get(StockLedger, { strict: false });
    const variant = await store.variant(mug, { sku: 'MUG-RED', stock: 5 });
    await database.query(
      `INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity)
       SELECT store_id, bin_id, product_id, variant_key, 'ADJUSTMENT', n FROM stock, generate_series(1, 3) AS n
       WHERE store_id = $1 AND variant_id = $2 ORDER BY n`,
      [store.id, variant],
    );

    const [first, second] = await Promise.all([1, 2].map((page) => ledger.list(store.id, {}, { page, limit: 4 })));

    expect([first?.total, second?.total]).toEqual([6, 6]);
    const rows = [...(first?.rows ?? []), ...(second?.rows ?? [])];
    expect(rows.map(({ variantId, kind, quantity }) => [variantId, kind, quantity])).toEqual([
      ...[3, 2, 1].map((n) => [variant, 'ADJUSTMENT', n]),
      ...[
        [variant, 'OPENING', 5],
        [null, 'OPENING', 4],
        [null, 'OPENING', 3],
      ],
    ]);
  });

  it('finds the bins that differ from the ledger, in one store or in all', async () => {
    const ledger = application.app.get(StockLedger, { strict: false });
    const service = application.app.get(StockService, { strict: false });
    const variant = await store.variant(mug, { sku: 'mug-red', stock: 2 });
    expect(await ledger.verify(store.id)).toEqual({ checked: 3, differences: [] });

    await database.query('UPDATE stock SET quantity = 9 WHERE variant_id = $1 AND store_id = $2', [variant, store.id]);
    await database.query('UPDATE stock SET quantity = 0 WHERE store_id = $1', [other.id]);

    const bin = expect.stringMatching(/^MAIN\/BIN-/) as string;
    const red = { store: store.subdomain, product: 'mug', variant: 'mug-red', bin, quantity: 9, ledger: 2 };
    const theirs = { store: other.subdomain, product: 'mug', variant: null, bin, quantity: 0, ledger: 9 };
    expect(await ledger.verify(store.id)).toEqual({ checked: 3, differences: [red] });
    expect(await service.verify(other.subdomain)).toEqual({ checked: 1, differences: [theirs] });
    const { differences } = await service.verify(null);
    expect(differences.filter((each) => [red.store, theirs.store].includes(each.store))).toEqual([red, theirs]);
    await expect(service.verify('third')).rejects.toThrow(new NotFound('Store third'));
  });
});

it('returns the units of an order to its bins, and compares few rows for each', async () => {
  const bins = 1_000;
  const productId = await large.product();
  const orderId = await large.order({ fulfillment_status: 'CONFIRMED' });
  await large.orderLine(orderId, { product_id: productId, quantity: bins });
  await database.query(
    `WITH stocked AS (
       INSERT INTO stock (store_id, bin_id, product_id, variant_key, quantity)
       SELECT $1, id, $2, 0, 0 FROM (SELECT id FROM bins WHERE store_id = $1 ORDER BY id LIMIT $4) AS first RETURNING *
     )
     INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity, position)
     SELECT store_id, bin_id, product_id, variant_key, $3, 'ORDER', -1, 0 FROM stocked`,
    [large.id, productId, orderId, bins],
  );
  const order = { key: { storeId: large.id, orderId }, state: { lines: [] } } as unknown as LockedOrder;
  const lines = [{ line: 1, quantity: bins }];
  const statements = await restockStatements({} as TransactionSql, order, { movement: 'CANCELLATION', lines });
  const back = statements.at(-1);

  await client.query('BEGIN; SET LOCAL plan_cache_mode = force_generic_plan');
  await client.query(`PREPARE back AS ${back?.text}`);
  const values = back?.values.map(literal).join();
  const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE back (${values})`);
  await client.query('ROLLBACK; DEALLOCATE back');

  const plan = JSON.stringify(rows);
  const compared = [...plan.matchAll(/"Rows Removed by Join Filter":(\d+)/g)].map(([, count]) => Number(count));
  expect(plan).toContain('"Actual Rows":1000');
  expect(compared.reduce((sum, count) => sum + count, 0)).toBeLessThan(10 * bins);
});

function quantitiesOf(products: string): string {
  return `SELECT (SELECT coalesce(sum(quantity), 0) FROM ${availableByVariant('product')} AS unit)
    FROM products AS product WHERE store_id = $1 AND id = ANY (${products})`;
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) {
    const entries = value.map((entry) => (entry === null ? 'NULL' : JSON.stringify(String(entry))));
    return pg.escapeLiteral(`{${entries.join()}}`);
  }
  return pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value));
}

// The last product lies in a quarter of the bins, the others in a few each. The warehouse CLOSED has empty bins.
async function fill(storeId: number): Promise<void> {
  await database.query(`INSERT INTO warehouses (store_id, code, name) VALUES ($1, 'NEAR', 'Near')`, [storeId]);
  await database.query(
    `INSERT INTO bins (store_id, warehouse_id, code) SELECT $1, id, 'B-' || n FROM warehouses
       CROSS JOIN LATERAL generate_series(1, CASE code WHEN 'MAIN' THEN $2::int ELSE 100 END) AS n WHERE store_id = $1`,
    [storeId, BINS],
  );
  await database.query(
    `INSERT INTO products (store_id, slug, name, price, sku)
       SELECT $1, 'p-' || n, '', 1, 'P-' || n FROM generate_series(1, $2::int) AS n`,
    [storeId, PRODUCTS],
  );
  await database.query(
    `INSERT INTO product_variants (store_id, product_id, sku, name, price)
       SELECT store_id, id, 'V-' || id, '', 1 FROM products WHERE store_id = $1`,
    [storeId],
  );
  await database.query(
    `INSERT INTO stock (store_id, bin_id, product_id, quantity)
       SELECT $1, bins.id, (SELECT min(id) FROM products WHERE store_id = $1) + CASE WHEN bins.id % 4 = 0 THEN ${PRODUCTS - 1} ELSE bins.id % ${PRODUCTS} END, 1
       FROM bins WHERE store_id = $1`,
    [storeId],
  );
  await database.query(
    `WITH closed AS (
       INSERT INTO warehouses (store_id, code, name, active) VALUES ($1, 'CLOSED', '', false) RETURNING id
     )
     INSERT INTO bins (store_id, warehouse_id, code) SELECT $1, id, 'C-' || n FROM closed, generate_series(1, $2::int) AS n`,
    [storeId, BINS],
  );
  // Each order has a unit. The first bin has supplied a few of them, the bins of the last product the others.
  await database.query(
    `BEGIN; SET LOCAL session_replication_role = replica;
     INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
         amount, total_amount, customer_name, email_key, search_text, created_at)
       SELECT ${storeId}, gen_random_uuid(), n, 'WEBSITE', 'PENDING', 'PENDING', 'COD', 'USD', 1, 1, '', '', '', now()
       FROM generate_series(1, ${OPEN_ORDERS}) AS n;
     WITH places AS (
       SELECT product_id, bin_id, row_number() OVER (ORDER BY product_id, bin_id) AS number,
         row_number() OVER (ORDER BY product_id DESC, bin_id) AS from_last
       FROM stock WHERE store_id = ${storeId}
     )
     INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity, position)
       SELECT store_id, bin_id, product_id, 0, id, 'ORDER', -1, 0
       FROM (SELECT store_id, id, receipt_number::int AS number FROM orders WHERE store_id = ${storeId}) AS placed
       JOIN places ON CASE WHEN placed.number <= ${OPEN_ORDERS_OF_BIN} THEN places.number = 1
         ELSE places.from_last = placed.number % 1000 + 1 END;
     COMMIT`,
  );
}
