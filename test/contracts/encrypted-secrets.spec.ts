import { EncryptedSecrets, RotateSecrets, type ReencryptedBatch } from '@app/application';
import { DataCipher, MaintenanceConnection, PostgresEncryptedSecrets } from '@app/infrastructure';
import pg from 'pg';
import { StoreFixture } from '../builders/store-fixture.js';
import { InMemoryEncryptedSecrets } from '../support/in-memory/in-memory-encrypted-secrets.js';
import { createTestDatabase } from '../support/test-database.js';

const SECRETS = { newest: Buffer.alloc(32, 1), older: Buffer.alloc(32, 2), lost: Buffer.alloc(32, 3) };
const [NEWEST = '', OLDER = '', LOST = ''] = new DataCipher(Object.values(SECRETS)).keyIds;
const BATCH = 500;

/** Secrets of two stores. The keys `newest` and `older` are configured. */
interface Subject {
  readonly secrets: EncryptedSecrets;
  add(count: number, key: keyof typeof SECRETS): Promise<void>;
  /** Locks one secret under the older key in another transaction. Returns the release of the lock. */
  hold(): Promise<() => Promise<unknown>>;
  close(): Promise<void>;
}

function inMemory(): Promise<Subject> {
  const secrets = new InMemoryEncryptedSecrets([NEWEST, OLDER], BATCH);
  const ids = { newest: NEWEST, older: OLDER, lost: LOST };
  return Promise.resolve({
    secrets,
    add: (count, key) => Promise.resolve(secrets.add(count, ids[key])),
    hold: () => {
      const release = secrets.hold(OLDER);
      return Promise.resolve(() => Promise.resolve(release()));
    },
    close: () => Promise.resolve(),
  });
}

async function onPostgres(): Promise<Subject> {
  const database = await createTestDatabase();
  const stores = [await StoreFixture.create(database), await StoreFixture.create(database)];
  const holders: pg.Client[] = [];
  let serial = 0;
  return {
    secrets: new PostgresEncryptedSecrets(
      new MaintenanceConnection(database.url),
      new DataCipher([SECRETS.newest, SECRETS.older]),
    ),
    add: async (count, key) => {
      const cipher = new DataCipher([SECRETS[key]]);
      for (let n = 0; n < count; n++) {
        const [{ id } = { id: 0 }, method] = [stores[n % 2], `method-${++serial}`];
        const credentials = cipher.encrypt(`secret ${serial}`, `gateway_credentials/${id}/${method}`);
        await database.query('INSERT INTO gateway_credentials VALUES ($1, $2, $3)', [id, method, credentials]);
      }
    },
    hold: async () => {
      const holder = new pg.Client({ connectionString: database.url });
      holders.push(holder);
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query(
        `SELECT FROM gateway_credentials WHERE encode(substring(credentials FROM 1 FOR 4), 'hex') = $1
         LIMIT 1 FOR UPDATE`,
        [OLDER],
      );
      return () => holder.query('COMMIT');
    },
    close: async () => {
      for (const holder of holders) await holder.end();
      await database.drop();
    },
  };
}

async function batchesOf(secrets: EncryptedSecrets): Promise<ReencryptedBatch[]> {
  const batches: ReencryptedBatch[] = [];
  for await (const batch of secrets.reencrypt()) batches.push(batch);
  return batches;
}

const rotatedIn = (batches: readonly ReencryptedBatch[]) => batches.reduce((sum, { rotated }) => sum + rotated, 0);

describe.each([
  ['in memory', inMemory],
  ['on PostgreSQL', onPostgres],
])('EncryptedSecrets %s', (_name, open) => {
  let subject: Subject;
  let secrets: EncryptedSecrets;
  beforeEach(async () => {
    subject = await open();
    secrets = subject.secrets;
  });
  afterEach(() => subject.close());

  it('counts the values under each key, with configured keys first, even those with 0', async () => {
    await subject.add(2, 'lost');
    await subject.add(3, 'older');

    expect(await secrets.keyUses()).toEqual([
      { key: NEWEST, position: 1, values: 0 },
      { key: OLDER, position: 2, values: 3 },
      { key: LOST, position: null, values: 2 },
    ]);
  });

  it('re-encrypts every value that is not under the newest key, and none twice', async () => {
    await subject.add(2, 'newest');
    await subject.add(3, 'older');

    expect(rotatedIn(await batchesOf(secrets))).toBe(3);
    expect(rotatedIn(await batchesOf(secrets))).toBe(0);

    expect((await secrets.keyUses()).map(({ values }) => values)).toEqual([5, 0]);
  });

  it('leaves values under an unknown key unchanged and reports each', async () => {
    await subject.add(2, 'lost');
    await subject.add(1, 'older');

    const batches = await batchesOf(secrets);

    expect(rotatedIn(batches)).toBe(1);
    expect(batches.flatMap(({ unreadable }) => unreadable)).toEqual([
      expect.stringContaining(LOST),
      expect.stringContaining(LOST),
    ]);
    expect((await secrets.keyUses()).at(-1)).toEqual({ key: LOST, position: null, values: 2 });
  });

  it('keeps the batches of a pass that is interrupted', async () => {
    await subject.add(BATCH + 1, 'older');

    for await (const { rotated } of secrets.reencrypt()) if (rotated > 0) break;

    expect((await secrets.keyUses()).map(({ values }) => values)).toEqual([BATCH, 1]);
  });

  it('skips a value that another transaction has locked, without waiting for it', async () => {
    await subject.add(3, 'older');
    const release = await subject.hold();

    expect(rotatedIn(await batchesOf(secrets))).toBe(2);

    await release();
    expect(rotatedIn(await batchesOf(secrets))).toBe(1);
  });

  it('lets RotateSecrets return to a value that was locked', async () => {
    await subject.add(3, 'older');
    const release = await subject.hold();
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
