import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { restoreBackup, writeBackup } from '@app/operations';
import { startApi, type RunningApi } from '../support/start-api.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

describe('a restored database', () => {
  let api: RunningApi;
  let directory: string;
  let target: TestDatabase;

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'store-commerce-restored-'));
    const file = path.join(directory, 'all.gz');
    api = await startApi();
    const product = await api.store.product({ stock: 100 });
    const body = { items: [{ product_id: product, quantity: 1 }], customer: { name: 'Ada', email: 'ada@example.com' } };
    for (let n = 0; n < 2; n++) expect((await api.post('/v1/orders', body)).statusCode).toBe(201);
    await writeBackup(api.database.url, file);
    target = await createTestDatabase();
    await restoreBackup(target.url, file);
  });
  afterAll(async () => {
    await api.stop();
    await target.drop();
    rmSync(directory, { recursive: true });
  });

  it('has statistics for its tables and for the expressions of its indexes', async () => {
    const rows = await target.query<{ name: string }>(
      `SELECT DISTINCT tablename::text AS name FROM pg_stats WHERE tablename IN ('orders', 'order_lines', 'orders_by_email')
       ORDER BY name`,
    );

    expect(rows.map(({ name }) => name)).toEqual(['order_lines', 'orders', 'orders_by_email']);
  });

  it('has pages that are visible to all, so that index-only scans need no VACUUM first', async () => {
    const rows = await target.query<{ name: string }>(
      `SELECT relname::text AS name FROM pg_class WHERE relname IN ('orders', 'order_lines') AND relallvisible > 0
       ORDER BY name`,
    );

    expect(rows.map(({ name }) => name)).toEqual(['order_lines', 'orders']);
  });
});
