import { EncryptedSecrets, RotateSecrets, type ReencryptedBatch, type RotationReport } from '@app/application';
import { type BundleLine, withBundleImporter } from '@app/bundles';
import {
  DataCipher,
  ENCRYPTED_COLUMNS,
  MaintenanceConnection,
  PostgresEncryptedSecrets,
  reportUnknownKeys,
} from '@app/infrastructure';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { maintenanceOptions } from '../../libs/infrastructure/src/postgres/data-source.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { commandLine } from '../support/command-line.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const SECRETS = { newest: Buffer.alloc(32, 1), older: Buffer.alloc(32, 2), lost: Buffer.alloc(32, 3) };
const [NEWEST = '', OLDER = '', LOST = ''] = new DataCipher(Object.values(SECRETS)).keyIds;

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase()));
afterAll(() => database.drop());

async function batchesOf(secrets: EncryptedSecrets): Promise<ReencryptedBatch[]> {
  const batches: ReencryptedBatch[] = [];
  for await (const batch of secrets.reencrypt()) batches.push(batch);
  return batches;
}

const rotatedIn = (batches: readonly ReencryptedBatch[]) => batches.reduce((sum, { rotated }) => sum + rotated, 0);

/** Secrets of two stores. The keys `newest` and `older` are configured. */
describe('EncryptedSecrets', () => {
  let stores: StoreFixture[];
  let secrets: EncryptedSecrets;
  let holder: pg.Client | undefined;
  let serial = 0;
  beforeAll(async () => {
    stores = [await StoreFixture.create(database), await StoreFixture.create(database)];
    const cipher = new DataCipher([SECRETS.newest, SECRETS.older]);
    secrets = new PostgresEncryptedSecrets(new MaintenanceConnection(database.url), cipher);
  });
  afterEach(async () => {
    await holder?.end();
    holder = undefined;
    await database.query('DELETE FROM gateway_credentials');
  });

  async function add(count: number, key: keyof typeof SECRETS): Promise<void> {
    const cipher = new DataCipher([SECRETS[key]]);
    for (let n = 0; n < count; n++) {
      const [{ id } = { id: 0 }, method] = [stores[n % 2], `method-${++serial}`];
      const credentials = cipher.encrypt(`secret ${serial}`, `gateway_credentials/${id}/${method}`);
      await database.query('INSERT INTO gateway_credentials VALUES ($1, $2, $3)', [id, method, credentials]);
    }
  }

  /** Locks one secret under the older key in another transaction. Returns the release of the lock. */
  async function hold(): Promise<() => Promise<unknown>> {
    const client = (holder = new pg.Client({ connectionString: database.url }));
    await client.connect();
    await client.query('BEGIN');
    await client.query(
      `SELECT FROM gateway_credentials WHERE encode(substring(credentials FROM 1 FOR 4), 'hex') = $1
       LIMIT 1 FOR UPDATE`,
      [OLDER],
    );
    return () => client.query('COMMIT');
  }

  it('counts the values under each key, with configured keys first, even those with 0', async () => {
    await add(2, 'lost');
    await add(3, 'older');

    expect(await secrets.keyUses()).toEqual([
      { key: NEWEST, position: 1, values: 0 },
      { key: OLDER, position: 2, values: 3 },
      { key: LOST, position: null, values: 2 },
    ]);
  });

  it('re-encrypts every value that is not under the newest key, and none twice', async () => {
    await add(2, 'newest');
    await add(3, 'older');

    expect(rotatedIn(await batchesOf(secrets))).toBe(3);
    expect(rotatedIn(await batchesOf(secrets))).toBe(0);

    expect((await secrets.keyUses()).map(({ values }) => values)).toEqual([5, 0]);
  });

  it('leaves values under an unknown key unchanged and reports each', async () => {
    await add(2, 'lost');
    await add(1, 'older');

    const batches = await batchesOf(secrets);

    expect(rotatedIn(batches)).toBe(1);
    expect(batches.flatMap(({ unreadable }) => unreadable)).toEqual([
      expect.stringContaining(LOST),
      expect.stringContaining(LOST),
    ]);
    expect((await secrets.keyUses()).at(-1)).toEqual({ key: LOST, position: null, values: 2 });
  });

  it('skips a value that another transaction has locked, without waiting for it', async () => {
    await add(3, 'older');
    const release = await hold();

    expect(rotatedIn(await batchesOf(secrets))).toBe(2);

    await release();
    expect(rotatedIn(await batchesOf(secrets))).toBe(1);
  });
});

/** More than a batch. */
const CUSTOMERS = 600;
const VALUES = CUSTOMERS + 1;

const store: BundleLine = {
  ...{ kind: 'store', subdomain: 'acme', name: 'Acme', currency: 'USD' },
  payment_settings: {
    methods: [{ methodId: 'paylark', enabled: true, credentials: { secret_key: 'paylark-secret' } }],
  },
};
const customer = (n: number): BundleLine => ({
  ...{ kind: 'customer', store: 'acme', name: `Customer ${n}` },
  email: `c${n}@example.com`,
  national_id: `NID-${n}`,
});
const everything = [store, ...Array.from({ length: CUSTOMERS }, (_, n) => customer(n))];

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

describe('a starting process', () => {
  beforeEach(() => importUnder([SECRETS.older], everything));

  const linesUnder = async (keys: Buffer[]): Promise<string[]> => {
    const lines: string[] = [];
    const dataSource = new DataSource(maintenanceOptions(database.url, 1));
    await dataSource.initialize();
    const app = { get: (token: unknown) => (token === DataSource ? dataSource : new DataCipher(keys)) as never };
    await reportUnknownKeys(app, { error: (line) => void lines.push(String(line)) });
    await dataSource.destroy();
    return lines;
  };

  it('logs the ids of the missing and of the configured encryption keys', async () => {
    expect(await linesUnder([SECRETS.newest])).toEqual([
      expect.stringContaining(`encrypted under ${OLDER}, and the configured keys are ${NEWEST}:`),
    ]);
  });
});

describe('the rotation of encryption keys', () => {
  beforeEach(() => importUnder([SECRETS.older], everything));

  it('encrypts every value with the newest key, and a second run rotates no value', async () => {
    const progress: number[] = [];

    const report = await rotateTo([SECRETS.newest, SECRETS.older], (rotated) => progress.push(rotated));

    expect(report).toEqual({
      ...{ rotated: VALUES, unreadable: 0, examples: [], left: 0 },
      keys: [
        { key: NEWEST, position: 1, values: VALUES },
        { key: OLDER, position: 2, values: 0 },
      ],
    });
    expect(progress).toEqual(expect.arrayContaining([1, 501, 601]));
    expect(await decryptAll(SECRETS.newest)).toEqual(plaintexts);
    expect(await rotateTo([SECRETS.newest, SECRETS.older])).toMatchObject({ rotated: 0, left: 0 });
  });

  it('keeps the values of a concurrent import of the same customers', async () => {
    const changed = Array.from({ length: CUSTOMERS }, (_, n) => ({ ...customer(n), national_id: `NEW-${n}` }));

    // The import already encrypts with the new key. It writes from last to first, against the order of the rotation.
    const [report] = await Promise.all([
      rotateTo([SECRETS.newest, SECRETS.older]),
      importUnder([SECRETS.newest, SECRETS.older], changed.reverse()),
    ]);

    expect(report.left).toBe(0);
    expect(await decryptAll(SECRETS.newest)).toEqual(
      ['{"secret_key":"paylark-secret"}', ...changed.map((c) => c.national_id)].sort(),
    );
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
  beforeEach(() => importUnder([SECRETS.older], everything));

  const keys = (...list: Buffer[]) => list.map((key) => key.toString('base64')).join();

  const { cli } = commandLine(() => database);
  const rotate = (encryptionKeys: string, ...args: string[]) =>
    cli(['secrets', 'rotate', ...args], { DATA_ENCRYPTION_KEYS: encryptionKeys });

  it('prints the number of values per key as a table or as JSON', async () => {
    const table = await rotate(keys(SECRETS.newest, SECRETS.older));
    const json = await rotate(keys(SECRETS.newest, SECRETS.older), '--json');

    expect(table).toMatchObject({
      code: 0,
      stdout: [
        `${VALUES} values were re-encrypted.`,
        '',
        'key       DATA_ENCRYPTION_KEYS  values',
        `${NEWEST}  1 (newest)            ${VALUES}`,
        `${OLDER}  2                     0       may be dropped`,
        '',
      ].join('\n'),
      stderr: '',
    });
    expect(json).toMatchObject({ code: 0, stderr: '', json: { rotated: 0, left: 0, unreadable: 0 } });
  });

  it('exits with 1 for a wrong key, and prints neither keys nor decrypted values', async () => {
    const { code, stdout, stderr } = await rotate(keys(SECRETS.lost));

    expect(code).toBe(1);
    expect(stderr).toContain(`${VALUES} values could not be decrypted and were left as they are.`);
    expect(stderr.split('\n').length).toBeLessThan(30);
    expect(stdout).toContain(`${OLDER}  not in it             ${VALUES}     these are lost without this key`);
    expect(stdout + stderr).not.toMatch(/NID-|paylark-secret/);
    for (const key of Object.values(SECRETS))
      expect(stdout + stderr).not.toContain(key.toString('base64').slice(0, 20));
  });
});
