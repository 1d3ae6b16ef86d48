import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { restoreBackup, writeBackup } from '@app/operations';
import pg from 'pg';
import { commandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** A store with products, secrets and three orders. */
let api: RunningApi;
let product: number;
/** A backup of it. */
let file: string;
let saved: Record<string, string>;
const targets: TestDatabase[] = [];
const { cli, directory } = commandLine(() => api.database);

beforeAll(async () => {
  api = await startApi();
  const category = await api.store.category();
  // COPY escapes line breaks and tabs, and ends the rows with `\.`.
  await api.store.product({ name: 'Line\nbreak\tand \\. more', stock: [20, 1], categoryIds: [category] });
  product = await api.store.product({ name: '\\.', stock: 1_000, categoryIds: [category] });
  await api.store.row('gateway_credentials', { method_id: 'card', credentials: Buffer.from([0, 255, 10, 92]) });
  for (let n = 0; n < 3; n++) await order();
  await api.database.query(`UPDATE order_stages SET locked_until = now() WHERE stage = 'notify-customer'`);
  file = path.join(directory, 'all.gz');
  await writeBackup(api.database.url, file);
  saved = await contents(api.database);
});
afterAll(async () => {
  await api.stop();
  await Promise.all(targets.map((target) => target.drop()));
});

/** Places an order. Fails the test when the order is not created. */
async function order(): Promise<void> {
  const items = [{ product_id: product, quantity: 1 }];
  const response = await api.post('/v1/orders', { items, customer: { name: 'Ada', email: 'ada@example.com' } });
  expect(response.statusCode).toBe(201);
}

/** A migrated database without rows. */
async function emptyDatabase(): Promise<TestDatabase> {
  const target = await createTestDatabase();
  targets.push(target);
  return target;
}

/** Counts the rows of a table, or of a table with a WHERE clause. */
async function count(database: TestDatabase, sql: string): Promise<number> {
  const [row] = await database.query<{ n: string }>(`SELECT count(*) AS n FROM ${sql}`);
  return Number(row?.n);
}

/** A digest of each table, without the locks of the stages, which a restore ends. */
async function contents(database: TestDatabase): Promise<Record<string, string>> {
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

describe('a restored database', () => {
  let target: TestDatabase;
  let report: Awaited<ReturnType<typeof restoreBackup>>;
  let before: string[];
  const progress: number[] = [];
  beforeAll(async () => {
    target = await emptyDatabase();
    before = await schema();
    report = await restoreBackup(target.url, file, (done) => progress.push(done));
  });

  /** The definitions of all indexes, constraints and triggers. */
  const schema = async () =>
    (
      await target.query<{ item: string }>(
        `SELECT pg_get_indexdef(indexrelid) || indisvalid AS item FROM pg_index
           JOIN pg_class ON pg_class.oid = indexrelid AND relnamespace = 'public'::regnamespace
         UNION ALL SELECT conrelid::regclass || conname || pg_get_constraintdef(oid) || convalidated FROM pg_constraint
           WHERE connamespace = 'public'::regnamespace
         UNION ALL SELECT pg_get_triggerdef(oid) || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
         ORDER BY item`,
      )
    ).map(({ item }) => item);

  it('has every row of every table', async () => {
    expect(await contents(target)).toEqual(saved);
    expect(report).toMatchObject({ tables: { orders: 3, products: 2 }, stockChecked: 3, pendingStages: 6 });
  });

  it('has the stages that a worker held as stages that no worker holds', async () => {
    expect(await count(target, `order_stages WHERE state = 'pending' AND locked_until IS NULL`)).toBe(6);
  });

  it('has the indexes, keys and triggers that it had before', async () => {
    expect(before.length).toBeGreaterThan(80);
    expect(await schema()).toEqual(before);
  });

  it('was reported with the progress from the rows to the last key', () => {
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.filter((done) => done > 0.5 && done < 1).length).toBeGreaterThan(20);
    expect(progress.at(-1)).toBe(1);
  });

  it('has statistics for its tables and for the expressions of its indexes', async () => {
    const rows = await target.query<{ name: string }>(
      `SELECT DISTINCT tablename::text AS name FROM pg_stats WHERE tablename IN ('orders', 'order_lines', 'orders_by_receipt')
       ORDER BY name`,
    );

    expect(rows.map(({ name }) => name)).toEqual(['order_lines', 'orders', 'orders_by_receipt']);
  });

  it('has pages that are visible to all, so that index-only scans need no VACUUM first', async () => {
    expect(await count(target, `pg_class WHERE relname IN ('orders', 'order_lines') AND relallvisible > 0`)).toBe(2);
  });

  it('accepts new rows: the next ids, the totals of lists, an append-only ledger', async () => {
    const [inserted] = await target.query<{ id: number }>(
      `INSERT INTO products (store_id, slug, name, price) VALUES ($1, 'new', 'New', 1) RETURNING id`,
      [api.store.id],
    );

    expect(inserted?.id).toBeGreaterThan(product);
    const [total] = await target.query(
      `SELECT sum(rows)::int AS total FROM list_counts WHERE list = 'products' AND grain = 'all'`,
    );
    expect(total).toEqual({ total: 3 });
    await expect(target.query('UPDATE stock_movements SET quantity = 1')).rejects.toThrow('append-only');
  });
});

describe('backup', () => {
  it('writes one snapshot of a store that receives orders during the backup', async () => {
    const busy = path.join(directory, 'busy.gz');
    let isOver = false;
    const buying = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isOver) await order();
      }),
    );
    const before = await count(api.database, 'orders');
    const { tables } = await writeBackup(api.database.url, busy).finally(() => (isOver = true));
    await buying;
    const target = await emptyDatabase();

    await restoreBackup(target.url, busy);

    expect(tables['orders']).toBeGreaterThanOrEqual(before);
    expect(await count(target, 'orders')).toBe(tables['orders']);
    expect(await count(target, 'order_lines')).toBe(tables['orders']);
    expect(await count(target, `stock_movements WHERE kind = 'ORDER'`)).toBe(tables['orders']);
    const [totals] = await target.query(
      `SELECT sum(rows)::int AS orders FROM list_counts WHERE list = 'orders' AND grain = 'all'`,
    );
    expect(totals).toEqual({ orders: tables['orders'] });
  });

  it('writes a file that only its owner can read, and overwrites no file', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await expect(writeBackup(api.database.url, file)).rejects.toThrow(`The file ${file} already exists.`);
  });

  it('removes the file of an interrupted backup', async () => {
    const before = readdirSync(directory);
    const signal = AbortSignal.abort();

    await expect(writeBackup(api.database.url, path.join(directory, 'cut.gz'), { signal })).rejects.toThrow();

    expect(readdirSync(directory)).toEqual(before);
  });

  it('writes the columns of a table as they are after a migration that the backup waited for', async () => {
    const source = await emptyDatabase();
    const changed = path.join(directory, 'changed.gz');
    const migration = new pg.Client({ connectionString: source.url });
    await migration.connect();
    try {
      await migration.query('BEGIN; ALTER TABLE stock_movements ADD COLUMN remark text');
      const backup = writeBackup(source.url, changed);
      await eventually(async () => {
        expect(await count(source, `pg_locks WHERE NOT granted AND relation = 'stock_movements'::regclass`)).toBe(1);
      });
      await migration.query('COMMIT');
      await backup;
    } finally {
      await migration.end();
    }

    expect(gunzipSync(readFileSync(changed)).toString()).toMatch(/\{"table":"stock_movements",.*"remark"\]\}/);
  });
});

describe('restore', () => {
  const DAMAGED = 'The file is damaged, cut off or not a backup of this service.';
  /** Without rows, as each refusal leaves it. */
  let target: TestDatabase;
  beforeAll(async () => (target = await emptyDatabase()));
  afterEach(async () => expect(await count(target, 'stores')).toBe(0));
  // Refusals leave a database into which a restore succeeds.
  afterAll(() => restoreBackup(target.url, file));

  it('rejects a database that is not empty, and changes nothing', async () => {
    const before = await contents(api.database);

    await expect(restoreBackup(api.database.url, file)).rejects.toThrow(
      'The database is not empty: it has rows in the table stores. Restore into a new one',
    );

    expect(await contents(api.database)).toEqual(before);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['that was truncated', (bytes) => bytes.subarray(0, bytes.length >> 1)],
    ['without its checksum', (bytes) => bytes.subarray(0, bytes.length - 4)],
    [
      'with a changed byte',
      (bytes) => Buffer.from(bytes.map((byte, n) => (n === bytes.length >> 1 ? byte ^ 1 : byte))),
    ],
    ['without a manifest', edited(/\{"tables".*\n$/, '')],
    ['whose manifest has null for tables', edited(/\{"tables":.*\n$/, '{"tables":null,"sequences":{}}\n')],
    ['whose manifest has an array for tables', edited(/\{"tables":.*\n$/, '{"tables":[],"sequences":{}}\n')],
    ['whose manifest has null for a table', edited(/("tables":\{"\w+":)\{.*?\}/, '$1null')],
    ['whose manifest has null for sequences', edited(/"sequences":.*\n$/, '"sequences":null}\n')],
    ['with a sequence that is not a number', edited(/(_seq":)"\d+"/, '$1"one"')],
    ['with an unknown sequence', edited(/"\w+_seq":/, '"another_seq":')],
    ['with a number column that is not a number', edited(/\n\d+\t/, '\nprivate\t')],
    ['with a missing row', edited(/\n[^\n]*\tOPENING[^\n]*/, '')],
    ['with a changed value', edited(/Ada/g, 'Eve')],
    ['with a table twice', edited(/(\{"table":"stores"[^]*?\\\.\n)/, '$1$1')],
    ['of other text', () => Buffer.from('no backup\n')],
    ['of other text, compressed', () => gzipSync('no backup\n')],
  ])('rejects a file %s, and keeps nothing of it', async (name, damage) => {
    const damaged = path.join(directory, `${name.replaceAll(' ', '-')}.gz`);
    const whole = readFileSync(file);
    writeFileSync(damaged, damage(whole));
    expect(readFileSync(damaged).equals(whole)).toBe(false);

    await expect(restoreBackup(target.url, damaged)).rejects.toThrow(DAMAGED);
  });

  it('rejects a file with a row of 100 MB in one line of output, and keeps nothing of it', async () => {
    const long = path.join(directory, 'long-row.gz');
    const [before = '', after = ''] = gunzipSync(readFileSync(file))
      .toString('latin1')
      .split(/(?<=\{"table":"stores".*\n)/);
    const row = Buffer.alloc(100 << 20, 'a');
    writeFileSync(long, gzipSync(Buffer.concat([Buffer.from(before), row, Buffer.from(`\n${after}`)]), { level: 1 }));

    const restored = await cli(['restore', long], { DATABASE_URL: target.url });

    expect(restored).toMatchObject({
      code: 1,
      stderr: 'error: The file has a row of more than 64 MB, which no backup of this service contains.\n',
    });
  });

  it('rejects rows that violate a foreign key, and keeps nothing of them', async () => {
    const source = await emptyDatabase();
    await source.query('ALTER TABLE stock DISABLE TRIGGER ALL');
    await source.query('INSERT INTO stock (store_id, bin_id, product_id, quantity) VALUES (1, 1, 1, 0)');
    const broken = path.join(directory, 'stray.gz');
    await writeBackup(source.url, broken);

    await expect(restoreBackup(target.url, broken)).rejects.toThrow(/violates foreign key constraint/);

    expect(await count(target, 'stock')).toBe(0);
  });

  it('rejects a second restore while the first waits, and the first after 5 s when a table is in use', async () => {
    const user = new pg.Client({ connectionString: target.url });
    await user.connect();
    try {
      await user.query('BEGIN; LOCK TABLE products IN ACCESS SHARE MODE');
      const first = restoreBackup(target.url, file);
      const refused = expect(first).rejects.toThrow('Another process uses the tables of this database: stop it,');
      const waiting = () => count(target, `pg_locks WHERE NOT granted AND relation = 'products'::regclass`);
      await eventually(async () => expect(await waiting()).toBe(1));

      await expect(restoreBackup(target.url, file)).rejects.toThrow('Another restore into this database is running.');
      expect(await waiting()).toBe(1);

      await refused;
    } finally {
      await user.end();
    }
  });

  it('rejects a backup of a different schema version', async () => {
    await target.query(`INSERT INTO migrations (id, name) VALUES (9, '0009-later')`);

    await expect(restoreBackup(target.url, file)).rejects.toThrow(
      /this version of the service has 0009-later: restore it/,
    );

    await target.query('DELETE FROM migrations WHERE id = 9');
  });
});

describe('the commands backup and restore', () => {
  it('copy all rows to another database, and print the path of the encryption key', async () => {
    const target = await emptyDatabase();
    const taken = path.join(directory, 'cli.gz');

    const backup = await cli(['backup', taken]);
    const restored = await cli(['restore', taken], { DATABASE_URL: target.url });

    expect(backup.json).toMatchObject({ file: taken, bytes: statSync(taken).size, tables: { stores: 1 } });
    expect(backup.stderr).toContain(
      `The encryption key is not: keep ${path.join(directory, 'encryption.key')} as well`,
    );
    expect(restored.json).toMatchObject({ tables: { stores: 1 }, stock_checked: 3 });
    expect(await contents(target)).toEqual(await contents(api.database));
  });

  it('name a file that is missing', async () => {
    const missing = path.join(directory, 'nothing');

    expect(await cli(['restore', missing])).toMatchObject({
      code: 1,
      stderr: `error: Cannot use ${missing} (ENOENT).\n`,
    });
  });
});

/** Edits the text of an archive, which is compressed again so that its checksum is right. */
function edited(part: RegExp, to: string): (bytes: Buffer) => Buffer {
  return (bytes) => gzipSync(gunzipSync(bytes).toString().replace(part, to));
}
