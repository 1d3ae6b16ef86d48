import pg from 'pg';
import { demoStore } from '@app/demo-store';
import type { BundleLine, ImportReport } from '@app/bundles';
import { aStoreBundle } from '../builders/store-bundle.js';
import { bundleImports } from '../support/bundle-imports.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
let serial = 0;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
const { importLines, ledger } = bundleImports(() => database);

describe('stock import', () => {
  it('sets stock through the ledger: an opening, then the differences as adjustments', async () => {
    const store = 'ledger';
    await importLines(...aStoreBundle(store));
    const stock = (quantity: number): BundleLine => ({
      ...{ kind: 'stock', store, bin: 'MAIN/A-1', product: 'runner', variant: 'R-42', quantity },
    });

    const { counts } = await importLines(stock(3), stock(3), stock(12));

    expect(counts.stock).toEqual({ created: 0, updated: 2, unchanged: 1 });
    expect(await ledger(store)).toEqual([
      { kind: 'OPENING', quantity: 7 },
      { kind: 'ADJUSTMENT', quantity: -4 },
      { kind: 'ADJUSTMENT', quantity: 9 },
    ]);
  });

  it('analyzes products and stock after an import of new stock, so that no plan scans a whole bin per movement', async () => {
    const store = 'measured';
    const slugs = Array.from({ length: 500 }, (_, n) => `p-${n}`);

    await importLines(
      ...aStoreBundle(store),
      ...slugs.map((slug) => ({ kind: 'product', store, slug, name: slug, price: '1' }) as const),
      ...slugs.map((product) => ({ kind: 'stock', store, bin: 'MAIN/A-1', product, quantity: 1 }) as const),
    );

    const measured = `SELECT relname FROM pg_stat_user_tables WHERE last_analyze IS NOT NULL ORDER BY relname`;
    await eventually(async () =>
      expect(await database.query(measured)).toEqual([{ relname: 'products' }, { relname: 'stock' }]),
    );
  });

  it('imports the demo store with bins that equal the sums of the ledger', async () => {
    const { counts } = await importLines(...demoStore({ now: new Date('2026-11-20T12:00:00Z') }));

    expect(counts.order.created).toBe(400);
    expect(counts.customer.created).toBe(200);
    const wrong = `SELECT FROM stock s WHERE quantity <> (SELECT coalesce(sum(m.quantity), 0) FROM stock_movements m
      WHERE (m.store_id, m.product_id, m.variant_key, m.bin_id) = (s.store_id, s.product_id, s.variant_key, s.bin_id))`;
    expect(await database.query(wrong)).toHaveLength(0);
  });
});

describe('stock import while orders are placed', () => {
  const TAKE = `
    WITH taken AS (
      UPDATE stock SET quantity = quantity - 1 FROM stores, products
      WHERE stores.subdomain = $1 AND products.slug = $2 AND products.store_id = stores.id
        AND stock.store_id = stores.id AND stock.product_id = products.id
      RETURNING stock.*)
    INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity)
    SELECT store_id, bin_id, product_id, variant_key, 'ADJUSTMENT', -1 FROM taken`;
  const of = <Fields extends object>(store: string, fields: Fields) => ({ store, ...fields });
  const product = (slug: string, name = slug) => ({ kind: 'product' as const, slug, name, price: '5.00' });
  const stock = (slug: string) => ({ kind: 'stock' as const, bin: 'MAIN/A-1', product: slug, quantity: 9 });
  const closing = { kind: 'warehouse' as const, code: 'MAIN', name: 'Main', active: false };

  /** Imports a store with one lamp and two chairs in stock. */
  async function aStore(store: string): Promise<void> {
    await importLines(
      { kind: 'store', subdomain: store, name: 'Acme', currency: 'USD' },
      { kind: 'warehouse', store, code: 'MAIN', name: 'Main' },
      { kind: 'bin', store, warehouse: 'MAIN', code: 'A-1' },
      of(store, product('lamp')),
      of(store, product('chair')),
      { ...of(store, stock('lamp')), quantity: 1 },
      { ...of(store, stock('chair')), quantity: 2 },
    );
  }

  /** Withdraws one unit after the other in one transaction. Calls `begin`, which must wait, after the first unit. */
  async function order(store: string, [first, ...others]: readonly string[], begin: () => void): Promise<void> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      // On a deadlock, PostgreSQL aborts this transaction before the import.
      await client.query(`BEGIN; SET LOCAL deadlock_timeout = '20ms'`);
      await client.query(TAKE, [store, first]);
      begin();
      await eventually(async () => expect(await lockWaits(database)).toBe(1));
      for (const slug of others) await client.query(TAKE, [store, slug]);
      await client.query('COMMIT');
    } finally {
      await client.end();
    }
  }

  it.each([
    ['counts a product that is being sold out', ['chair', 'chair'], [product('chair', 'Seat'), stock('chair')]],
    [
      'names a product twice, and then another product of the order',
      ['lamp', 'chair', 'chair'],
      [product('chair', 'Seat'), product('chair', 'Stool'), product('lamp', 'Light')],
    ],
    ['closes the warehouse whose stock it counts', ['chair', 'chair'], [closing, stock('chair')]],
    [
      'closes the warehouse of the products of the order',
      ['lamp', 'chair', 'chair'],
      [product('chair', 'Seat'), { ...closing, active: true }, product('chair', 'Stool'), closing],
    ],
  ] as const)('waits for an order and does not deadlock with it when the import %s', async (_, units, lines) => {
    const store = `sold-${++serial}`;
    await aStore(store);
    let importing: Promise<ImportReport> | undefined;

    await order(store, units, () => {
      importing = importLines(...lines.map((line) => of(store, line)));
    });

    expect(await importing).toMatchObject({ lines: lines.length });
  });
});
