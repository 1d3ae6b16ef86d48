import { EncryptedSecrets, RotateSecrets, type ReencryptedBatch } from '@app/application';
import { DataCipher, MaintenanceConnection, PostgresEncryptedSecrets } from '@app/infrastructure';
import pg from 'pg';
import { StoreFixture } from '../builders/store-fixture.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const SECRETS = { newest: Buffer.alloc(32, 1), older: Buffer.alloc(32, 2), lost: Buffer.alloc(32, 3) };
const [NEWEST = '', OLDER = '', LOST = ''] = new DataCipher(Object.values(SECRETS)).keyIds;
const BATCH = 500;

async function batchesOf(secrets: EncryptedSecrets): Promise<ReencryptedBatch[]> {
  const batches: ReencryptedBatch[] = [];
  for await (const batch of secrets.reencrypt()) batches.push(batch);
  return batches;
}

const rotatedIn = (batches: readonly ReencryptedBatch[]) => batches.reduce((sum, { rotated }) => sum + rotated, 0);

/** Secrets of two stores. The keys `newest` and `older` are configured. */
describe('EncryptedSecrets', () => {
  let database: TestDatabase;
  let stores: StoreFixture[];
  let secrets: EncryptedSecrets;
  let holder: pg.Client | undefined;
  let serial = 0;
  beforeAll(async () => {
    database = await createTestDatabase();
    stores = [await StoreFixture.create(database), await StoreFixture.create(database)];
    const cipher = new DataCipher([SECRETS.newest, SECRETS.older]);
    secrets = new PostgresEncryptedSecrets(new MaintenanceConnection(database.url), cipher);
  });
  afterEach(async () => {
    await holder?.end();
    holder = undefined;
    await database.query('DELETE FROM gateway_credentials');
  });
  afterAll(() => database.drop());

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

  it('keeps the batches of a pass that is interrupted', async () => {
    await add(BATCH + 1, 'older');

    for await (const { rotated } of secrets.reencrypt()) if (rotated > 0) break;

    expect((await secrets.keyUses()).map(({ values }) => values)).toEqual([BATCH, 1]);
  });

  it('skips a value that another transaction has locked, without waiting for it', async () => {
    await add(3, 'older');
    const release = await hold();

    expect(rotatedIn(await batchesOf(secrets))).toBe(2);

    await release();
    expect(rotatedIn(await batchesOf(secrets))).toBe(1);
  });

  it('lets RotateSecrets return to a value that was locked', async () => {
    await add(3, 'older');
    const release = await hold();
    const rotation = new RotateSecrets(secrets);
    expect(await rotation.due()).toBe(3);

    const report = await rotation.execute((rotated) => {
      if (rotated === 2) void release();
    });

    expect(report).toEqual({
      rotated: 3,
      unreadable: 0,
      examples: [],
      left: 0,
      keys: [
        { key: NEWEST, position: 1, values: 3 },
        { key: OLDER, position: 2, values: 0 },
      ],
    });
  });
});
