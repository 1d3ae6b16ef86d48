import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { restoreBackup, writeBackup } from '@app/operations';
import pg from 'pg';
import { BackupScene, contents, count } from '../support/backup-scene.js';
import { commandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';

const DAMAGED = 'The file is damaged, cut off or not a backup of this service.';

// Processes and databases are slow on a busy machine.
jest.setTimeout(90_000);

describe('restore', () => {
  let scene: BackupScene;
  const { cli, directory } = commandLine(() => scene.api.database);
  beforeAll(async () => (scene = await BackupScene.create(directory)));
  afterAll(() => scene.stop());

  it('rejects a database that is not empty, and changes nothing', async () => {
    const before = await contents(scene.api.database);

    await expect(restoreBackup(scene.api.database.url, scene.file)).rejects.toThrow(
      'The database is not empty: it has rows in the table stores. Restore into a new one',
    );

    expect(await contents(scene.api.database)).toEqual(before);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['that was truncated', (bytes) => bytes.subarray(0, bytes.length >> 1)],
    ['without its checksum', (bytes) => bytes.subarray(0, bytes.length - 4)],
    [
      'with a changed byte',
      (bytes) => Buffer.from(bytes.map((byte, n) => (n === bytes.length >> 1 ? byte ^ 1 : byte))),
    ],
    ['without a manifest', (bytes) => rewritten(bytes, (text) => text.replace(/\{"tables".*\n$/, ''))],
    [
      'whose manifest has null for tables',
      (bytes) => rewritten(bytes, (text) => text.replace(/\{"tables":.*\n$/, '{"tables":null,"sequences":{}}\n')),
    ],
    [
      'whose manifest has an array for tables',
      (bytes) => rewritten(bytes, (text) => text.replace(/\{"tables":.*\n$/, '{"tables":[],"sequences":{}}\n')),
    ],
    [
      'whose manifest has null for a table',
      (bytes) => rewritten(bytes, (text) => text.replace(/("tables":\{"\w+":)\{.*?\}/, '$1null')),
    ],
    [
      'whose manifest has null for sequences',
      (bytes) => rewritten(bytes, (text) => text.replace(/"sequences":.*\n$/, '"sequences":null}\n')),
    ],
    [
      'with a sequence that is not a number',
      (bytes) => rewritten(bytes, (text) => text.replace(/(_seq":)"\d+"/, '$1"one"')),
    ],
    ['with an unknown sequence', (bytes) => rewritten(bytes, (text) => text.replace(/"\w+_seq":/, '"another_seq":'))],
    [
      'with a number column that is not a number',
      (bytes) => rewritten(bytes, (text) => text.replace(/\n\d+\t/, '\nprivate\t')),
    ],
    ['with a missing row', (bytes) => rewritten(bytes, (text) => text.replace(/\n[^\n]*\tOPENING[^\n]*/, ''))],
    ['with a changed value', (bytes) => rewritten(bytes, (text) => text.replaceAll('Ada', 'Eve'))],
    [
      'with a table twice',
      (bytes) => rewritten(bytes, (text) => text.replace(/(\{"table":"stores"[^]*?\\\.\n)/, '$1$1')),
    ],
    ['of other text', () => Buffer.from('no backup\n')],
    ['of other text, compressed', () => gzipSync('no backup\n')],
  ])('rejects a file %s, and keeps nothing of it', async (name, damage) => {
    const target = await scene.emptyDatabase();
    const damaged = path.join(directory, `${name.replaceAll(' ', '-')}.gz`);
    const whole = readFileSync(scene.file);
    writeFileSync(damaged, damage(whole));
    expect(readFileSync(damaged).equals(whole)).toBe(false);

    await expect(restoreBackup(target.url, damaged)).rejects.toThrow(DAMAGED);

    expect(await count(target, 'stores')).toBe(0);
  });

  it('rejects a file with a row of 100 MB in one line of output, and keeps nothing of it', async () => {
    const target = await scene.emptyDatabase();
    const long = path.join(directory, 'long-row.gz');
    const [before = '', after = ''] = gunzipSync(readFileSync(scene.file))
      .toString('latin1')
      .split(/(?<=\{"table":"stores".*\n)/);
    const row = Buffer.alloc(100 << 20, 'a');
    writeFileSync(long, gzipSync(Buffer.concat([Buffer.from(before), row, Buffer.from(`\n${after}`)]), { level: 1 }));

    const restored = await cli(['restore', long], { DATABASE_URL: target.url });

    expect(restored).toMatchObject({
      code: 1,
      stderr: 'error: The file has a row of more than 64 MB, which no backup of this service contains.\n',
    });
    expect(await count(target, 'stores')).toBe(0);
  });

  it('rejects rows that violate a foreign key, and keeps nothing of them', async () => {
    const source = await scene.emptyDatabase();
    await restoreBackup(source.url, scene.file);
    await source.query('ALTER TABLE stock DISABLE TRIGGER ALL');
    await source.query(
      `INSERT INTO stock (store_id, bin_id, product_id, quantity) SELECT id, 999999, 1, 0 FROM stores`,
    );
    const broken = path.join(directory, 'stray.gz');
    await writeBackup(source.url, broken);
    const target = await scene.emptyDatabase();

    await expect(restoreBackup(target.url, broken)).rejects.toThrow(/violates foreign key constraint/);

    expect(await count(target, 'stores')).toBe(0);
  });

  it('rejects a second restore while the first waits, and the first after 5 s when a table is in use', async () => {
    const target = await scene.emptyDatabase();
    const user = new pg.Client({ connectionString: target.url });
    await user.connect();
    try {
      await user.query('BEGIN; LOCK TABLE products IN ACCESS SHARE MODE');
      const first = restoreBackup(target.url, scene.file);
      const refused = expect(first).rejects.toThrow('Another process uses the tables of this database: stop it,');
      const waiting = () => count(target, `pg_locks WHERE NOT granted AND relation = 'products'::regclass`);
      await eventually(async () => expect(await waiting()).toBe(1));

      await expect(restoreBackup(target.url, scene.file)).rejects.toThrow(
        'Another restore into this database is running.',
      );
      expect(await waiting()).toBe(1);

      await refused;
    } finally {
      await user.end();
    }
    await restoreBackup(target.url, scene.file);
  });

  it('rejects a backup of a different schema version', async () => {
    const target = await scene.emptyDatabase();
    await target.query(`INSERT INTO migrations (id, name) VALUES (9, '0009-later')`);

    await expect(restoreBackup(target.url, scene.file)).rejects.toThrow(
      /this version of the service has 0009-later: restore it/,
    );
  });
});

/** The archive with an edited text, compressed again so that its checksum is right. */
function rewritten(bytes: Buffer, edit: (text: string) => string): Buffer {
  return gzipSync(edit(gunzipSync(bytes).toString()));
}
