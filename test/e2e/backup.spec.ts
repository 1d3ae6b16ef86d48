import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { restoreBackup, writeBackup } from '@app/operations';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

// On a busy machine processes and databases take their time.
jest.setTimeout(90_000);

const MAIN = path.resolve('dist/apps/cli/src/main.js');
const DAMAGED = 'The file is damaged, cut off or not a backup of this service.';

describe('backup and restore', () => {
  let api: RunningApi;
  let directory: string;
  let file: string;
  let product: number;
  const targets: TestDatabase[] = [];

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'store-commerce-backup-'));
    file = path.join(directory, 'all.gz');
    api = await startApi();
    const category = await api.store.category();
    // What COPY has to escape: a line break, a tab, and the very mark that ends the rows.
    await api.store.product({ name: 'Line\nbreak\tand \\. more', stock: [20, 1], categoryIds: [category] });
    product = await api.store.product({ name: '\\.', stock: 1_000, categoryIds: [category] });
    await api.store.row('gateway_credentials', { method_id: 'card', credentials: Buffer.from([0, 255, 10, 92]) });
    for (let n = 0; n < 3; n++) expect((await order()).statusCode).toBe(201);
    await api.database.query(`UPDATE order_stages SET queued = true WHERE stage = 'notify-customer'`);
    await writeBackup(api.database.url, file);
  });
  afterAll(async () => {
    await api.stop();
    await Promise.all(targets.map((target) => target.drop()));
    rmSync(directory, { recursive: true });
  });

  const order = () =>
    api.post('/v1/orders', { items: [{ product_id: product, quantity: 1 }], customer: { name: 'Ada' } });

  async function emptyDatabase(): Promise<TestDatabase> {
    const target = await createTestDatabase();
    targets.push(target);
    return target;
  }

  const count = async (database: TestDatabase, sql: string) =>
    Number((await database.query<{ n: string }>(`SELECT count(*) AS n FROM ${sql}`))[0]?.n);

  /** A digest of every table, whether or not a stage is in the queue. */
  async function contents(database: TestDatabase): Promise<Record<string, string>> {
    const tables = await database.query<{ name: string }>(
      `SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
    );
    const digests: Record<string, string> = {};
    for (const { name } of tables) {
      const [row] = await database.query<{ digest: string }>(
        `SELECT count(*) || ' ' || md5(coalesce(string_agg(t, '' ORDER BY t), '')) AS digest
         FROM (SELECT (to_jsonb(${name}) - 'queued')::text AS t FROM ${name}) AS rows`,
      );
      digests[name] = row?.digest ?? '';
    }
    return digests;
  }

  it('brings back every row of every table', async () => {
    const target = await emptyDatabase();

    const report = await restoreBackup(target.url, file);

    expect(await contents(target)).toEqual(await contents(api.database));
    expect(report).toMatchObject({ tables: { orders: 3, products: 2 }, stockChecked: 3, pendingStages: 6 });
  });

  it('queues again what was to be sent when it was taken', async () => {
    const target = await emptyDatabase();
    await restoreBackup(target.url, file);

    expect(await count(target, `order_stages WHERE state = 'pending' AND NOT queued`)).toBe(6);
  });

  it('leaves a database that goes on: new ids, kept totals, an append-only ledger', async () => {
    const target = await emptyDatabase();
    await restoreBackup(target.url, file);

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

  it('is one moment of a store that takes orders meanwhile', async () => {
    const busy = path.join(directory, 'busy.gz');
    let isOver = false;
    const buying = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isOver) expect((await order()).statusCode).toBe(201);
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

  it('is readable by its owner only, and replaces nothing', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await expect(writeBackup(api.database.url, file)).rejects.toThrow(`The file ${file} already exists.`);
  });

  it('leaves nothing of a backup that is interrupted', async () => {
    const before = readdirSync(directory);
    const signal = AbortSignal.abort();

    await expect(writeBackup(api.database.url, path.join(directory, 'cut.gz'), { signal })).rejects.toThrow();

    expect(readdirSync(directory)).toEqual(before);
  });

  it('is refused by a database that is not empty, which stays as it is', async () => {
    const before = await contents(api.database);

    await expect(restoreBackup(api.database.url, file)).rejects.toThrow(/^The database is not empty: there are \w+/);

    expect(await contents(api.database)).toEqual(before);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['was cut off', (bytes) => bytes.subarray(0, bytes.length >> 1)],
    ['has lost its checksum', (bytes) => bytes.subarray(0, bytes.length - 4)],
    ['has another byte', (bytes) => Buffer.from(bytes.map((byte, n) => (n === bytes.length >> 1 ? byte ^ 1 : byte)))],
    ['has no manifest', (bytes) => rewritten(bytes, (text) => text.replace(/\{"tables".*\n$/, ''))],
    [
      'has no tables in its manifest',
      (bytes) => rewritten(bytes, (text) => text.replace(/\{"tables":.*\n$/, '{"tables":null,"sequences":{}}\n')),
    ],
    [
      'has a list of tables',
      (bytes) => rewritten(bytes, (text) => text.replace(/\{"tables":.*\n$/, '{"tables":[],"sequences":{}}\n')),
    ],
    [
      'has a table of nothing',
      (bytes) => rewritten(bytes, (text) => text.replace(/("tables":\{"\w+":)\{.*?\}/, '$1null')),
    ],
    [
      'has no sequences',
      (bytes) => rewritten(bytes, (text) => text.replace(/"sequences":.*\n$/, '"sequences":null}\n')),
    ],
    ['has a sequence in words', (bytes) => rewritten(bytes, (text) => text.replace(/(_seq":)"\d+"/, '$1"one"'))],
    ['has a sequence of its own', (bytes) => rewritten(bytes, (text) => text.replace(/"\w+_seq":/, '"another_seq":'))],
    ['has a number in words', (bytes) => rewritten(bytes, (text) => text.replace(/\n\d+\t/, '\nprivate\t'))],
    ['misses a row', (bytes) => rewritten(bytes, (text) => text.replace(/\n[^\n]*\tOPENING[^\n]*/, ''))],
    ['has another value', (bytes) => rewritten(bytes, (text) => text.replaceAll('Ada', 'Eve'))],
    [
      'has a table twice',
      (bytes) => rewritten(bytes, (text) => text.replace(/(\{"table":"stores"[^]*?\\\.\n)/, '$1$1')),
    ],
    ['is something else', () => Buffer.from('no backup\n')],
    ['is something else, compressed', () => gzipSync('no backup\n')],
  ])('is refused when it %s, and nothing is kept', async (name, damage) => {
    const target = await emptyDatabase();
    const damaged = path.join(directory, `${name.replaceAll(' ', '-')}.gz`);
    const whole = readFileSync(file);
    writeFileSync(damaged, damage(whole));
    expect(readFileSync(damaged).equals(whole)).toBe(false);

    await expect(restoreBackup(target.url, damaged)).rejects.toThrow(DAMAGED);

    expect(await count(target, 'stores')).toBe(0);
  });

  it('is refused with a row longer than any, in one line and at once', async () => {
    const target = await emptyDatabase();
    const long = path.join(directory, 'long-row.gz');
    const [before = '', after = ''] = gunzipSync(readFileSync(file))
      .toString('latin1')
      .split(/(?<=\{"table":"stores".*\n)/);
    const row = Buffer.alloc(100 << 20, 'a');
    writeFileSync(long, gzipSync(Buffer.concat([Buffer.from(before), row, Buffer.from(`\n${after}`)]), { level: 1 }));

    const restored = cli(target, 'restore', long);

    await expect(restored).rejects.toMatchObject({
      code: 1,
      stderr: 'error: The file has a row of more than 64 MB, which no backup of this service contains.\n',
    });
    expect(await count(target, 'stores')).toBe(0);
  });

  it('leaves every index, key and trigger as it was', async () => {
    const target = await emptyDatabase();
    const before = await schema(target);

    await restoreBackup(target.url, file);

    expect(before.length).toBeGreaterThan(80);
    expect(await schema(target)).toEqual(before);
  });

  it('is refused while rows break a key, and nothing is kept', async () => {
    const source = await emptyDatabase();
    await restoreBackup(source.url, file);
    await source.query('ALTER TABLE stock DISABLE TRIGGER ALL');
    await source.query(
      `INSERT INTO stock (store_id, bin_id, product_id, quantity) SELECT id, 999999, 1, 0 FROM stores`,
    );
    const broken = path.join(directory, 'stray.gz');
    await writeBackup(source.url, broken);
    const target = await emptyDatabase();

    await expect(restoreBackup(target.url, broken)).rejects.toThrow(/violates foreign key constraint/);

    expect(await count(target, 'stores')).toBe(0);
  });

  it('is refused at once while another is restored, and after 5 s while a table is in use', async () => {
    const target = await emptyDatabase();
    const user = new pg.Client({ connectionString: target.url });
    await user.connect();
    try {
      await user.query('BEGIN; LOCK TABLE products IN ACCESS SHARE MODE');
      const first = restoreBackup(target.url, file);
      const refused = expect(first).rejects.toThrow('Another process uses the tables of this database: stop it,');
      await eventually(async () => {
        const waiting = await count(target, `pg_locks WHERE NOT granted AND relation = 'products'::regclass`);
        expect(waiting).toBe(1);
      });

      const start = Date.now();
      await expect(restoreBackup(target.url, file)).rejects.toThrow('Another restore into this database is running.');
      expect(Date.now() - start).toBeLessThan(4_000);

      await refused;
    } finally {
      await user.end();
    }
    await restoreBackup(target.url, file);
  });

  it('tells how far it is, from the rows to the last key', async () => {
    const target = await emptyDatabase();
    const told: number[] = [];

    await restoreBackup(target.url, file, (done) => told.push(done));

    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.filter((done) => done > 0.5 && done < 1).length).toBeGreaterThan(20);
    expect(told.at(-1)).toBe(1);
  });

  it('describes tables as they are when it is taken, not as they were before a change that it waited for', async () => {
    const source = await emptyDatabase();
    await restoreBackup(source.url, file);
    const changed = path.join(directory, 'changed.gz');
    const migration = new pg.Client({ connectionString: source.url });
    await migration.connect();
    try {
      await migration.query('BEGIN; ALTER TABLE stock_movements ADD COLUMN reason text');
      const backup = writeBackup(source.url, changed);
      await eventually(async () => {
        expect(await count(source, `pg_locks WHERE NOT granted AND relation = 'stock_movements'::regclass`)).toBe(1);
      });
      await migration.query('COMMIT');
      await backup;
    } finally {
      await migration.end();
    }

    expect(gunzipSync(readFileSync(changed)).toString()).toMatch(/\{"table":"stock_movements",.*"reason"\]\}/);
  });

  it('is refused by a database with another schema', async () => {
    const target = await emptyDatabase();
    await target.query(`INSERT INTO migrations (id, name) VALUES (9, '0009-later')`);

    await expect(restoreBackup(target.url, file)).rejects.toThrow(
      /this version of the service has 0009-later: restore it/,
    );
  });

  it('is taken and restored by the command line, which says where the key is', async () => {
    const target = await emptyDatabase();
    const taken = path.join(directory, 'cli.gz');

    const backup = await cli(api.database, 'backup', taken);
    const restored = await cli(target, 'restore', taken);

    expect(JSON.parse(backup.stdout)).toMatchObject({
      file: taken,
      bytes: statSync(taken).size,
      tables: { stores: 1 },
    });
    expect(backup.stderr).toContain(
      `The encryption key is not: keep ${path.join(directory, 'encryption.key')} as well`,
    );
    expect(JSON.parse(restored.stdout)).toMatchObject({ tables: { stores: 1 }, stock_checked: 3 });
    expect(await contents(target)).toEqual(await contents(api.database));
    await expect(cli(target, 'restore', path.join(directory, 'nothing'))).rejects.toMatchObject({
      code: 1,
      stderr: `error: Cannot use ${path.join(directory, 'nothing')} (ENOENT).\n`,
    });
  });

  /** All there is beside tables and rows. */
  const schema = async (database: TestDatabase) =>
    (
      await database.query<{ item: string }>(
        `SELECT pg_get_indexdef(indexrelid) || indisvalid AS item FROM pg_index
           JOIN pg_class ON pg_class.oid = indexrelid AND relnamespace = 'public'::regnamespace
         UNION ALL SELECT conrelid::regclass || conname || pg_get_constraintdef(oid) || convalidated FROM pg_constraint
           WHERE connamespace = 'public'::regnamespace
         UNION ALL SELECT tgrelid::regclass || tgname || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
         ORDER BY item`,
      )
    ).map(({ item }) => item);

  const cli = ({ url }: TestDatabase, ...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [MAIN, ...args], {
      env: { PATH: process.env.PATH, DATABASE_URL: url, DATA_DIR: directory },
    });
});

/** The same archive with another text in it, and nothing wrong with its compression. */
function rewritten(bytes: Buffer, edit: (text: string) => string): Buffer {
  return gzipSync(edit(gunzipSync(bytes).toString()));
}
