import path from 'node:path';
import { writeBackup } from '@app/operations';
import { startApi, type RunningApi } from './start-api.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

/** A store with products, secrets and three orders, and a backup of it. */
export class BackupScene {
  private readonly targets: TestDatabase[] = [];

  private constructor(
    readonly api: RunningApi,
    /** The product with the highest id. */
    readonly product: number,
    /** The path of the backup. */
    readonly file: string,
  ) {}

  static async create(directory: string): Promise<BackupScene> {
    const api = await startApi();
    const category = await api.store.category();
    // COPY escapes line breaks and tabs, and ends the rows with `\.`.
    await api.store.product({ name: 'Line\nbreak\tand \\. more', stock: [20, 1], categoryIds: [category] });
    const product = await api.store.product({ name: '\\.', stock: 1_000, categoryIds: [category] });
    await api.store.row('gateway_credentials', { method_id: 'card', credentials: Buffer.from([0, 255, 10, 92]) });
    const scene = new BackupScene(api, product, path.join(directory, 'all.gz'));
    for (let n = 0; n < 3; n++) await scene.order();
    await api.database.query(`UPDATE order_stages SET locked_until = now() WHERE stage = 'notify-customer'`);
    await writeBackup(api.database.url, scene.file);
    return scene;
  }

  /** Places an order. Fails the test when the order is not created. */
  async order(): Promise<void> {
    const items = [{ product_id: this.product, quantity: 1 }];
    const response = await this.api.post('/v1/orders', { items, customer: { name: 'Ada' } });
    expect(response.statusCode).toBe(201);
  }

  /** A migrated database without rows, which `stop` drops. */
  async emptyDatabase(): Promise<TestDatabase> {
    const target = await createTestDatabase();
    this.targets.push(target);
    return target;
  }

  async stop(): Promise<void> {
    await this.api.stop();
    await Promise.all(this.targets.map((target) => target.drop()));
  }
}

/** Counts the rows of a table, or of a table with a WHERE clause. */
export async function count(database: TestDatabase, sql: string): Promise<number> {
  const [row] = await database.query<{ n: string }>(`SELECT count(*) AS n FROM ${sql}`);
  return Number(row?.n);
}

/** A digest of each table, without the locks of the stages, which a restore ends. */
export async function contents(database: TestDatabase): Promise<Record<string, string>> {
  const tables = await database.query<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
  );
  const digests: Record<string, string> = {};
  // A restore begins a branch of the feed.
  for (const { name } of tables.filter((table) => !['change_branches', 'change_forks'].includes(table.name))) {
    const [row] = await database.query<{ digest: string }>(
      `SELECT count(*) || ' ' || md5(coalesce(string_agg(t, '' ORDER BY t), '')) AS digest
       FROM (SELECT (to_jsonb(${name}) - 'locked_until')::text AS t FROM ${name}) AS rows`,
    );
    digests[name] = row?.digest ?? '';
  }
  return digests;
}
