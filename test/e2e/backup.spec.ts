import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { restoreBackup, writeBackup } from '@app/operations';
import pg from 'pg';
import { BackupScene, contents, count } from '../support/backup-scene.js';
import { commandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import type { TestDatabase } from '../support/test-database.js';

// Processes and databases are slow on a busy machine.
jest.setTimeout(90_000);

describe('backup and restore', () => {
  let scene: BackupScene;
  const { cli, directory } = commandLine(() => scene.api.database);
  beforeAll(async () => (scene = await BackupScene.create(directory)));
  afterAll(() => scene.stop());

  it('restores every row of every table', async () => {
    const target = await scene.emptyDatabase();

    const report = await restoreBackup(target.url, scene.file);

    expect(await contents(target)).toEqual(await contents(scene.api.database));
    expect(report).toMatchObject({ tables: { orders: 3, products: 2 }, stockChecked: 3, pendingStages: 6 });
  });

  it('restores stages that a worker held as stages that no worker holds', async () => {
    const target = await scene.emptyDatabase();
    await restoreBackup(target.url, scene.file);

    expect(await count(target, `order_stages WHERE state = 'pending' AND locked_until IS NULL`)).toBe(6);
  });

  it('restores a database that accepts new rows: the next ids, the totals of lists, an append-only ledger', async () => {
    const target = await scene.emptyDatabase();
    await restoreBackup(target.url, scene.file);

    const [inserted] = await target.query<{ id: number }>(
      `INSERT INTO products (store_id, slug, name, price) VALUES ($1, 'new', 'New', 1) RETURNING id`,
      [scene.api.store.id],
    );
    expect(inserted?.id).toBeGreaterThan(scene.product);
    const [total] = await target.query(
      `SELECT sum(rows)::int AS total FROM list_counts WHERE list = 'products' AND grain = 'all'`,
    );
    expect(total).toEqual({ total: 3 });
    await expect(target.query('UPDATE stock_movements SET quantity = 1')).rejects.toThrow('append-only');
  });

  it('writes one snapshot of a store that receives orders during the backup', async () => {
    const busy = path.join(directory, 'busy.gz');
    let isOver = false;
    const buying = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isOver) await scene.order();
      }),
    );
    const before = await count(scene.api.database, 'orders');
    const { tables } = await writeBackup(scene.api.database.url, busy).finally(() => (isOver = true));
    await buying;
    const target = await scene.emptyDatabase();

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
    expect(statSync(scene.file).mode & 0o777).toBe(0o600);
    await expect(writeBackup(scene.api.database.url, scene.file)).rejects.toThrow(
      `The file ${scene.file} already exists.`,
    );
  });

  it('removes the file of an interrupted backup', async () => {
    const before = readdirSync(directory);
    const signal = AbortSignal.abort();

    await expect(writeBackup(scene.api.database.url, path.join(directory, 'cut.gz'), { signal })).rejects.toThrow();

    expect(readdirSync(directory)).toEqual(before);
  });

  it('leaves indexes, keys and triggers unchanged after a restore', async () => {
    const target = await scene.emptyDatabase();
    const before = await schema(target);

    await restoreBackup(target.url, scene.file);

    expect(before.length).toBeGreaterThan(80);
    expect(await schema(target)).toEqual(before);
  });

  it('reports the progress of a restore from the rows to the last key', async () => {
    const target = await scene.emptyDatabase();
    const progress: number[] = [];

    await restoreBackup(target.url, scene.file, (done) => progress.push(done));

    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.filter((done) => done > 0.5 && done < 1).length).toBeGreaterThan(20);
    expect(progress.at(-1)).toBe(1);
  });

  it('writes the columns of a table as they are after a migration that the backup waited for', async () => {
    const source = await scene.emptyDatabase();
    await restoreBackup(source.url, scene.file);
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

  it('writes and restores a backup by the command line, which prints the path of the encryption key', async () => {
    const target = await scene.emptyDatabase();
    const taken = path.join(directory, 'cli.gz');

    const backup = await cli(['backup', taken]);
    const restored = await cli(['restore', taken], { DATABASE_URL: target.url });

    expect(backup.json).toMatchObject({
      file: taken,
      bytes: statSync(taken).size,
      tables: { stores: 1 },
    });
    expect(backup.stderr).toContain(
      `The encryption key is not: keep ${path.join(directory, 'encryption.key')} as well`,
    );
    expect(restored.json).toMatchObject({ tables: { stores: 1 }, stock_checked: 3 });
    expect(await contents(target)).toEqual(await contents(scene.api.database));
    expect(await cli(['restore', path.join(directory, 'nothing')], { DATABASE_URL: target.url })).toMatchObject({
      code: 1,
      stderr: `error: Cannot use ${path.join(directory, 'nothing')} (ENOENT).\n`,
    });
  });

  /** The definitions of all indexes, constraints and triggers. */
  const schema = async (database: TestDatabase) =>
    (
      await database.query<{ item: string }>(
        `SELECT pg_get_indexdef(indexrelid) || indisvalid AS item FROM pg_index
           JOIN pg_class ON pg_class.oid = indexrelid AND relnamespace = 'public'::regnamespace
         UNION ALL SELECT conrelid::regclass || conname || pg_get_constraintdef(oid) || convalidated FROM pg_constraint
           WHERE connamespace = 'public'::regnamespace
         UNION ALL SELECT pg_get_triggerdef(oid) || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
         ORDER BY item`,
      )
    ).map(({ item }) => item);
});
