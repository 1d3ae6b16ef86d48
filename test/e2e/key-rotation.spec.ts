import { execFile } from 'node:child_process';
import path from 'node:path';
import { RotateSecrets, type RotationReport } from '@app/application';
import { DataCipher, ENCRYPTED_COLUMNS, MaintenanceConnection, PostgresEncryptedSecrets } from '@app/infrastructure';
import { type BundleLine, withBundleImporter } from '@app/bundles';
import { reportUnknownKeys } from '@app/operations';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../libs/infrastructure/src/postgres/data-source.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

jest.setTimeout(90_000);

const [OLD, NEW, LOST] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
const [OLD_ID = '', NEW_ID = '', LOST_ID = ''] = new DataCipher([OLD, NEW, LOST]).keyIds;
/** More than two batches. */
const CUSTOMERS = 1_100;
const VALUES = CUSTOMERS + 1;

const store: BundleLine = {
  kind: 'store',
  subdomain: 'acme',
  name: 'Acme',
  currency: 'USD',
  payment_settings: {
    methods: [{ methodId: 'paylark', enabled: true, credentials: { secret_key: 'paylark-secret' } }],
  },
};
const customer = (n: number): BundleLine => ({
  kind: 'customer',
  store: 'acme',
  name: `Customer ${n}`,
  email: `c${n}@example.com`,
  national_id: `NID-${n}`,
});
const everything = [store, ...Array.from({ length: CUSTOMERS }, (_, n) => customer(n))];

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => importUnder([OLD], everything));
afterAll(() => database.drop());

describe('a starting process', () => {
  const linesUnder = async (keys: Buffer[]): Promise<string[]> => {
    const lines: string[] = [];
    const dataSource = new DataSource(dataSourceOptions({ url: database.url, poolSize: 1 }));
    await dataSource.initialize();
    const app = { get: (token: unknown) => (token === DataSource ? dataSource : new DataCipher(keys)) as never };
    await reportUnknownKeys(app, { error: (line) => void lines.push(String(line)) });
    await dataSource.destroy();
    return lines;
  };

  it('logs the ids of the missing and of the configured encryption keys', async () => {
    expect(await linesUnder([NEW])).toEqual([
      expect.stringContaining(`encrypted under ${OLD_ID}, and the configured keys are ${NEW_ID}:`),
    ]);
  });

  it('logs nothing when no key is missing', async () => {
    expect(await linesUnder([NEW, OLD])).toEqual([]);
  });
});

const importUnder = (keys: Buffer[], lines: BundleLine[]) =>
  withBundleImporter(database.url, new DataCipher(keys), (importer) => importer.importObjects(lines));

const rotateTo = (keys: Buffer[], onProgress?: (rotated: number) => void): Promise<RotationReport> =>
  new RotateSecrets(
    new PostgresEncryptedSecrets(new MaintenanceConnection(database.url), new DataCipher(keys)),
  ).execute(onProgress);

/** Decrypts all values with one key. */
async function decryptAll(key: Buffer): Promise<string[]> {
  const cipher = new DataCipher([key]);
  const nationalIds = await database.query<{ place: string; value: Buffer }>(
    `SELECT 'customer_secrets/' || store_id || '/' || customer_id || '/national_id' AS place, national_id AS value
     FROM customer_secrets`,
  );
  const credentials = await database.query<{ place: string; value: Buffer }>(
    `SELECT 'gateway_credentials/' || store_id || '/' || method_id AS place, credentials AS value
     FROM gateway_credentials`,
  );
  return [...credentials, ...nationalIds].map(({ place, value }) => cipher.decrypt(value, place)).sort();
}

const plaintexts = ['{"secret_key":"paylark-secret"}', ...everything.slice(1).map((_, n) => `NID-${n}`)].sort();

describe('the rotation of encryption keys', () => {
  it('encrypts every value with the newest key, and a second run rotates no value', async () => {
    const progress: number[] = [];

    const report = await rotateTo([NEW, OLD], (rotated) => progress.push(rotated));

    expect(report).toEqual({
      rotated: VALUES,
      unreadable: 0,
      examples: [],
      left: 0,
      keys: [
        { key: NEW_ID, position: 1, values: VALUES },
        { key: OLD_ID, position: 2, values: 0 },
      ],
    });
    expect(progress).toEqual(expect.arrayContaining([1, 501, 1001, 1101]));
    expect(await decryptAll(NEW)).toEqual(plaintexts);
    expect(await rotateTo([NEW, OLD])).toMatchObject({ rotated: 0, left: 0 });
  });

  it('continues where it was interrupted', async () => {
    const interrupted = rotateTo([NEW, OLD], (rotated) => {
      if (rotated > 1) throw new Error('interrupted');
    });

    await expect(interrupted).rejects.toThrow('interrupted');
    expect(await rotateTo([NEW, OLD])).toMatchObject({ rotated: VALUES - 501, left: 0 });
    expect(await decryptAll(NEW)).toEqual(plaintexts);
  });

  it('keeps the values of a concurrent import of the same customers', async () => {
    const changed = Array.from({ length: CUSTOMERS }, (_, n) => ({ ...customer(n), national_id: `NEW-${n}` }));

    // The import already encrypts with the new key. It writes from last to first, against the order of the rotation.
    const [report] = await Promise.all([rotateTo([NEW, OLD]), importUnder([NEW, OLD], changed.reverse())]);

    expect(report.left).toBe(0);
    expect(await decryptAll(NEW)).toEqual(
      ['{"secret_key":"paylark-secret"}', ...changed.map((c) => c.national_id)].sort(),
    );
  });

  it('returns to a value that was locked at the first attempt', async () => {
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM gateway_credentials FOR UPDATE');

    const report = await rotateTo([NEW, OLD], (rotated) => {
      if (rotated === CUSTOMERS) void holder.query('COMMIT');
    });

    await holder.end();
    expect(report).toMatchObject({ rotated: VALUES, left: 0 });
  });

  it('leaves a value that it cannot decrypt unchanged, and reports it', async () => {
    await importUnder([LOST], [{ ...customer(7), national_id: 'NID-lost' } as BundleLine]);

    const report = await rotateTo([NEW, OLD]);

    expect(report).toMatchObject({ rotated: VALUES - 1, unreadable: 1, left: 0 });
    expect(report.examples).toEqual([
      expect.stringMatching(
        new RegExp(
          `^customer_secrets/\\d+/[0-9a-f-]{36}/national_id cannot be decrypted: its key ${LOST_ID} is not in`,
        ),
      ),
    ]);
    expect(report.keys).toContainEqual({ key: LOST_ID, position: null, values: 1 });
    expect(await rotateTo([NEW, OLD, LOST])).toMatchObject({ rotated: 1, unreadable: 0 });
  });

  it('covers every column that the schema calls encrypted', async () => {
    const encrypted = await database.query<{ name: string }>(
      `SELECT class.relname || '.' || attribute.attname AS name
       FROM pg_description AS described
       JOIN pg_class AS class ON class.oid = described.objoid AND described.classoid = 'pg_class'::regclass
       JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid AND attribute.attnum = described.objsubid
       WHERE described.description ILIKE '%encrypted%' ORDER BY name`,
    );

    expect(encrypted.map(({ name }) => name)).toEqual(
      ENCRYPTED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort(),
    );
  });
});

describe('cli secrets rotate', () => {
  const keys = (...list: Buffer[]) => list.map((key) => key.toString('base64')).join();

  function cli(encryptionKeys: string, ...args: string[]) {
    const env = { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_ENCRYPTION_KEYS: encryptionKeys };
    const main = path.resolve('dist/apps/cli/src/main.js');
    return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const child = execFile(process.execPath, [main, 'secrets', 'rotate', ...args], { env }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode, stdout, stderr }),
      );
    });
  }

  it('prints the number of values per key as a table or as JSON', async () => {
    const table = await cli(keys(NEW, OLD));
    const json = await cli(keys(NEW, OLD), '--json');

    expect(table).toEqual({
      code: 0,
      stdout: [
        `${VALUES} values were re-encrypted.`,
        '',
        'key       DATA_ENCRYPTION_KEYS  values',
        `${NEW_ID}  1 (newest)            ${VALUES}`,
        `${OLD_ID}  2                     0       may be dropped`,
        '',
      ].join('\n'),
      stderr: '',
    });
    expect(json).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({ rotated: 0, left: 0, unreadable: 0 });
  });

  it('exits with 1 for a wrong key, and prints neither keys nor decrypted values', async () => {
    const { code, stdout, stderr } = await cli(keys(LOST));

    expect(code).toBe(1);
    expect(stderr).toContain(`${VALUES} values could not be decrypted and were left as they are.`);
    expect(stderr.split('\n').length).toBeLessThan(30);
    expect(stdout).toContain(`${OLD_ID}  not in it             ${VALUES}    these are lost without this key`);
    expect(stdout + stderr).not.toMatch(/NID-|paylark-secret/);
    for (const key of [OLD, NEW, LOST]) expect(stdout + stderr).not.toContain(key.toString('base64').slice(0, 20));
  });
});
