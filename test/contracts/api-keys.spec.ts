import { randomBytes } from 'node:crypto';
import {
  ApiKeyRepository,
  EncryptedSecrets,
  RotateSecrets,
  type ApiKeyLookup,
  type KeyMaker,
  type NewApiKey,
  type ReencryptedBatch,
  type RotationReport,
  type StoredApiKey,
} from '@app/application';
import { type BundleLine, withBundleImporter } from '@app/bundles';
import {
  DataCipher,
  Database,
  ENCRYPTED_COLUMNS,
  DirectDatabase,
  PostgresEncryptedSecrets,
  reportUnknownKeys,
} from '@app/infrastructure';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { KeyUsage } from '../../libs/infrastructure/src/access/key-usage.js';
import { requestPool } from '../../libs/infrastructure/src/postgres/data-source.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { commandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import type { TestDatabase } from '../support/test-database.js';

let api: RunningApi;
let database: TestDatabase;
beforeAll(async () => {
  api = await startApi();
  database = api.database;
});
afterAll(() => api.stop());

const OPERATOR = { type: 'operator', id: '', name: 'root' } as const;
const MAKER: KeyMaker = { actor: OPERATOR, key: null };

describe('ApiKeyRepository', () => {
  let storeId: number;
  let apiKeys: ApiKeyRepository;
  beforeAll(async () => {
    storeId = (await StoreFixture.create(database)).id;
    apiKeys = api.app.get(ApiKeyRepository);
  });

  const inserted = async (more: Partial<NewApiKey> = {}): Promise<NewApiKey> => {
    const key: NewApiKey = {
      ...{ id: uuidv7(), hash: randomBytes(32), prefix: 'svc_live_', lastFour: 'abcd', mode: 'live', scope: 'full' },
      ...{ networks: [], trusted: false, name: 'ERP', expiresAt: null },
      ...more,
    };
    await apiKeys.insert(storeId, key, MAKER);
    return key;
  };
  const idOf = (id: string) => ({ storeId, id });
  const presented = async (hash: Buffer): Promise<ApiKeyLookup | null> => {
    const key = await apiKeys.findByHash(hash);
    return key && { ...key, address: '192.0.2.1' };
  };
  const usage = () => api.app.get(KeyUsage, { strict: false });

  it('finds a key by its hash, with its store', async () => {
    const key = await inserted({ mode: 'test', scope: 'read', networks: ['192.0.2.0/24', '2001:db8::/32'] });

    expect(await apiKeys.findByHash(key.hash)).toMatchObject({
      id: key.id,
      mode: 'test',
      scope: 'read',
      networks: ['192.0.2.0/24', '2001:db8::/32'],
      status: 'ACTIVE',
      expiresAt: null,
      expired: false,
      store: { id: storeId, status: 'ACTIVE' },
    });
  });

  it('names the hashes of the keys that it lists', async () => {
    const key = await inserted();
    await api.store.session('viewer');

    const hashes = await apiKeys.listHashes(storeId);
    expect(hashes.get(key.id)).toBe(key.hash.toString('hex'));
    const { rows } = await apiKeys.list(storeId, null);
    expect([...hashes.keys()].sort()).toEqual(rows.map(({ id }) => id).sort());
  });

  it('counts the requests, the throttled requests and the refusals of each key', async () => {
    const [busy, quiet, unused] = [await inserted(), await inserted(), await inserted()];
    const found = await Promise.all([busy, quiet, unused].map(({ hash }) => apiKeys.findByHash(hash)));
    const [first, second, third] = found;
    if (!first || !second || !third) throw new Error('The keys were not found');

    for (let n = 0; n < 3; n++) apiKeys.touch(first);
    apiKeys.noteThrottled(first);
    for (const code of ['throttled', 'out_of_stock']) apiKeys.noteRefused(first, code);
    apiKeys.touch(second);
    await usage().flush();
    apiKeys.touch(first);
    apiKeys.noteRefused(first, 'out_of_stock');
    apiKeys.noteRefused(third, 'api_key_inactive');
    await usage().flush();

    const today = new Date().toISOString().slice(0, 10);
    const ids = [busy.id, quiet.id, unused.id];
    const { rows } = await apiKeys.listUsage(storeId, 2, null);
    expect(rows.filter(({ keyId }) => ids.includes(keyId))).toMatchObject([
      {
        keyId: busy.id,
        name: 'ERP',
        day: today,
        requests: 4,
        throttled: 1,
        refused: { out_of_stock: 2, throttled: 1 },
      },
      { keyId: quiet.id, name: 'ERP', day: today, requests: 1, throttled: 0, refused: {} },
      { keyId: unused.id, name: 'ERP', day: today, requests: 0, throttled: 0, refused: { api_key_inactive: 1 } },
    ]);
    expect(await apiKeys.find(idOf(busy.id))).toMatchObject({ recentRequests: 4, recentRefusals: 3 });
    expect(await apiKeys.find(idOf(unused.id))).toMatchObject({ recentRefusals: 1, lastUsedAt: null });
    expect(await apiKeys.listUsage(storeId, 2, 'live', { page: 2, limit: 2 })).toMatchObject({ total: rows.length });
    expect(await apiKeys.listUsage(storeId, 2, 'test')).toEqual({ rows: [], total: 0 });
    expect(await apiKeys.listUsage(storeId + 1, 2, null)).toEqual({ rows: [], total: 0 });
  });

  it('returns a changed status from the next look-up on, and never activates a revoked key', async () => {
    const key = await inserted();

    for (const status of ['DEACTIVATED', 'ACTIVE', 'REVOKED'] as const) {
      await apiKeys.setStatus(idOf(key.id), status, MAKER);
      expect(await apiKeys.findByHash(key.hash)).toMatchObject({ status });
    }
    expect(await apiKeys.setStatus(idOf(key.id), 'ACTIVE', MAKER)).toBeNull();
    expect(await apiKeys.findByHash(key.hash)).toMatchObject({ status: 'REVOKED' });
  });

  it('lists keys of a mode by pages, oldest first, with who made and changed them, and no sessions', async () => {
    const { store } = await api.withStore();
    const made: NewApiKey[] = [];
    for (const mode of ['test', 'live', 'test'] as const) {
      const key = { ...(await inserted()), id: uuidv7(), hash: randomBytes(32), mode };
      await apiKeys.insert(store.id, key, MAKER);
      made.push(key);
    }
    const { id } = await store.session('owner');
    const changer = { actor: { type: 'person', id, name: 'Ada' }, key: null } as const;
    await apiKeys.setStatus({ storeId: store.id, id: made[2]?.id ?? '' }, 'REVOKED', changer);

    const page = (page: number) => apiKeys.list(store.id, 'test', { page, limit: 1 });

    expect(await page(1)).toMatchObject({
      total: 2,
      rows: [{ id: made[0]?.id, createdBy: OPERATOR, changedBy: null }],
    });
    expect(await page(2)).toMatchObject({ total: 2, rows: [{ id: made[2]?.id, changedBy: changer.actor }] });
    expect(await page(3)).toEqual({ total: 2, rows: [] });
    expect((await apiKeys.list(store.id, null)).rows.map(({ id }) => id)).toEqual(
      expect.arrayContaining(made.map(({ id }) => id)),
    );
    expect((await apiKeys.list(store.id, null)).total).toBe(4);
  });

  it('neither finds, rolls nor changes a session', async () => {
    const { store } = await api.withStore();
    await store.session('owner');
    const [session] = await database.query<{ id: string }>(
      'SELECT id FROM api_keys WHERE store_id = $1 AND person_id IS NOT NULL',
      [store.id],
    );
    const key = { storeId: store.id, id: session?.id ?? '' };
    const successor = { id: uuidv7(), hash: randomBytes(32), lastFour: 'wxyz', expiresAt: null };

    expect(await apiKeys.find(key)).toBeNull();
    expect(await apiKeys.locate(key.id)).toBeNull();
    expect(await apiKeys.setStatus(key, 'REVOKED', MAKER)).toBeNull();
    expect(await apiKeys.roll(key, successor, 0, MAKER)).toBeNull();
  });

  it.each([
    ['has ended', `status = 'REVOKED'`],
    ['has expired', 'expires_at = now()'],
    ['has another scope', `scope = 'read,keys'`],
  ])('makes, rolls and changes nothing for a key that %s since its request was admitted', async (_what, change) => {
    const owner = await inserted({ scope: 'read,orders,keys' });
    const maker = { actor: OPERATOR, key: await presented(owner.hash) };
    const old = await inserted();
    const off = await inserted();
    await apiKeys.setStatus(idOf(off.id), 'DEACTIVATED', MAKER);
    const successor = { id: uuidv7(), hash: randomBytes(32), lastFour: 'wxyz', expiresAt: null };
    const made = { ...old, id: uuidv7(), hash: randomBytes(32) };

    await database.query(`UPDATE api_keys SET ${change} WHERE id = $1`, [owner.id]);

    expect(await apiKeys.insert(storeId, made, maker)).toBeNull();
    expect(await apiKeys.roll(idOf(old.id), successor, 0, maker)).toBeNull();
    expect(await apiKeys.setStatus(idOf(off.id), 'ACTIVE', maker)).toBeNull();
    expect(await apiKeys.setStatus(idOf(old.id), 'DEACTIVATED', maker)).toBeNull();
    expect(await apiKeys.setStatus(idOf(old.id), 'REVOKED', maker)).toBeNull();
    expect(await apiKeys.find(idOf(old.id))).toMatchObject({ status: 'ACTIVE' });
  });

  it('makes no key by a scope that another transaction is taking away', async () => {
    const owner = await inserted({ scope: 'read,orders,keys' });
    const maker = { actor: OPERATOR, key: await presented(owner.hash) };
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query(`UPDATE api_keys SET scope = 'read' WHERE id = $1`, [owner.id]);

    const made = apiKeys.insert(storeId, { ...owner, id: uuidv7(), hash: randomBytes(32) }, maker);
    await eventually(async () => expect(await lockWaits(database, '%keys.insert%')).toBe(1));
    await client.query('COMMIT');
    await client.end();

    expect(await made).toBeNull();
  });

  describe('roll', () => {
    const DAY_MS = 86_400_000;
    const aSuccessor = () => ({ id: uuidv7(), hash: randomBytes(32), lastFour: 'wxyz', expiresAt: null });

    it('adds a key of the same store, mode, scope, networks, trust and name, and lets the old key expire after the overlap', async () => {
      const kept = {
        ...({ mode: 'test', scope: 'read', networks: ['10.0.0.0/8'], trusted: true } as const),
        ...({ prefix: 'svc_test_', name: 'BI' } as const),
      };
      const old = await inserted(kept);
      const successor = { ...aSuccessor(), expiresAt: new Date(Date.now() + 400 * DAY_MS) };

      const before = Date.now();
      const rolled = await apiKeys.roll(idOf(old.id), successor, DAY_MS, MAKER);
      const after = Date.now();

      const { hash, ...shown } = successor;
      expect(rolled?.successor).toMatchObject({ ...shown, ...kept, storeId, status: 'ACTIVE', lastUsedAt: null });
      expect(rolled?.oldKeyExpiresAt.getTime()).toBeGreaterThanOrEqual(before + DAY_MS);
      expect(rolled?.oldKeyExpiresAt.getTime()).toBeLessThanOrEqual(after + DAY_MS);
      expect(await apiKeys.findByHash(hash)).toMatchObject({ id: successor.id, scope: 'read', expired: false });
      const expiresAt = rolled?.oldKeyExpiresAt;
      expect(await apiKeys.findByHash(old.hash)).toMatchObject({ id: old.id, expired: false, expiresAt });
    });

    it('leaves a key that expires before the end of the overlap its earlier end', async () => {
      const expiresAt = new Date(Date.now() + 60_000);
      const old = await inserted({ expiresAt });

      const rolled = await apiKeys.roll(idOf(old.id), aSuccessor(), DAY_MS, MAKER);

      expect(rolled?.oldKeyExpiresAt).toEqual(expiresAt);
      expect(await apiKeys.find(idOf(old.id))).toMatchObject({ expiresAt });
    });

    it.each<[string, (id: string) => Promise<unknown>]>([
      ['revoked', (id) => apiKeys.setStatus(idOf(id), 'REVOKED', MAKER)],
      ['deactivated', (id) => apiKeys.setStatus(idOf(id), 'DEACTIVATED', MAKER)],
    ])('changes nothing for a %s key', async (_name, end) => {
      const old = await inserted();
      await end(old.id);
      const successor = aSuccessor();

      expect(await apiKeys.roll(idOf(old.id), successor, DAY_MS, MAKER)).toBeNull();
      expect(await apiKeys.find(idOf(old.id))).toMatchObject({ expiresAt: null });
      expect(await apiKeys.findByHash(successor.hash)).toBeNull();
    });

    it('changes nothing for an expired key, an unknown key and a key of another store', async () => {
      const expired = await inserted({ expiresAt: new Date(Date.now() - 1000) });
      const foreign = await inserted();
      const roll = (storeId: number, id: string) => apiKeys.roll({ storeId, id }, aSuccessor(), DAY_MS, MAKER);

      expect(await roll(storeId, expired.id)).toBeNull();
      expect(await roll(storeId, uuidv7())).toBeNull();
      expect(await roll(storeId + 1, foreign.id)).toBeNull();
      expect(await apiKeys.find(idOf(foreign.id))).toMatchObject({ expiresAt: null });
    });

    it('adds no second successor, also of rolls at the same time, until the first one is revoked', async () => {
      const old = await inserted();
      const roll = () => apiKeys.roll(idOf(old.id), aSuccessor(), DAY_MS, MAKER);

      const [first, ...others] = (await Promise.all([roll(), roll(), roll()])).filter((rolled) => rolled !== null);
      const successor = first?.successor.id ?? '';
      const end = first?.oldKeyExpiresAt;

      expect([others, await roll()]).toEqual([[], null]);
      expect(await apiKeys.find(idOf(old.id))).toMatchObject({ successorId: successor, expiresAt: end });
      await apiKeys.setStatus(idOf(successor), 'REVOKED', MAKER);
      expect(await roll()).toMatchObject({ successor: { status: 'ACTIVE', successorId: null }, oldKeyExpiresAt: end });
      expect(await roll()).toBeNull();
    });
  });
});

// The port's contract does not cover how often the adapter writes to the database, and what it does without one.
describe('the counter of key usage', () => {
  let key: StoredApiKey;
  beforeAll(async () => {
    const [record] = (await api.app.get(ApiKeyRepository).list(api.store.id, null)).rows;
    if (!record) throw new Error('The store has no key');
    const store = { id: api.store.id, currency: 'USD', status: 'ACTIVE' as const };
    key = { ...record, expired: false, store, person: null };
  });

  const write = async (usage: KeyUsage, requests = 1) => {
    for (let n = 0; n < requests; n++) usage.count(key);
    await usage.flush();
  };
  const processes = (count: number) =>
    Array.from({ length: count }, () => new KeyUsage(api.app.get(Database, { strict: false })));
  const stored = async () => {
    const [row] = await database.query<{ version: string; last_used_at: Date | null; requests: number }>(
      `SELECT key.xmin::text AS version, key.last_used_at, usage.requests::int AS requests
       FROM api_keys key LEFT JOIN api_key_usage usage ON usage.store_id = key.store_id AND usage.key_id = key.id
       WHERE key.store_id = $1 AND key.id = $2`,
      [key.store.id, key.id],
    );
    if (!row) throw new Error('The key is gone');
    return row;
  };
  const lastUsed = (moment: string) =>
    database.query(`UPDATE api_keys SET last_used_at = ${moment} WHERE id = $1`, [key.id]);

  it('writes nothing during requests, and writes many requests at once', async () => {
    const before = await stored();
    for (let n = 0; n < 20; n++) expect((await api.get('/v1/store')).statusCode).toBe(200);
    expect(await stored()).toEqual(before);

    await api.app.get(KeyUsage, { strict: false }).flush();

    const after = await stored();
    expect(after.requests).toBe(20);
    expect(Date.now() - (after.last_used_at?.getTime() ?? 0)).toBeLessThan(60_000);
  });

  it('updates last_used_at at most once a minute, over all processes', async () => {
    // The time is in the future, so that the minute of the clock cannot change while the test runs.
    await lastUsed(`date_trunc('minute', now()) + interval '1 hour'`);
    const before = await stored();

    await Promise.all(processes(8).map((usage) => write(usage)));

    expect((await stored()).version).toBe(before.version);
    await lastUsed(`now() - interval '61 seconds'`);
    await Promise.all(processes(8).map((usage) => write(usage)));
    expect(Date.now() - ((await stored()).last_used_at?.getTime() ?? 0)).toBeLessThan(60_000);
  });

  it('adds up the counts of all processes', async () => {
    const { requests } = await stored();

    await Promise.all(processes(8).map((usage, n) => write(usage, n + 1)));

    expect((await stored()).requests).toBe(requests + 36);
  });

  it('keeps counts that it could not write for the next time', async () => {
    const { requests } = await stored();
    const database = api.app.get(Database, { strict: false });
    let isAway = true;
    const query = (text: string, values: unknown[]) =>
      isAway ? Promise.reject(new Error('away')) : database.query(text, values);
    const usage = new KeyUsage({ query } as unknown as Database);
    vi.spyOn((usage as unknown as { logger: { warn(text: string): void } }).logger, 'warn').mockImplementation(
      () => undefined,
    );

    await write(usage, 2);
    isAway = false;
    await write(usage, 3);

    expect((await stored()).requests).toBe(requests + 5);
  });
});

describe('the expiry of a key', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ['fast', 24 * 3_600_000],
    ['slow', -24 * 3_600_000],
  ])('depends on the clock of the database, even in a process whose clock is a day %s', async (_name, offset) => {
    const setExpiry = (moment: string) =>
      database.query(`UPDATE api_keys SET expires_at = ${moment} WHERE store_id = $1`, [api.store.id]);
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + offset);

    await setExpiry(`now() + interval '1 hour'`);
    expect((await api.get('/v1/store')).statusCode).toBe(200);
    await setExpiry(`now() - interval '1 second'`);
    expect((await api.get('/v1/store')).statusCode).toBe(403);
  });
});

const SECRETS = { newest: Buffer.alloc(32, 1), older: Buffer.alloc(32, 2), lost: Buffer.alloc(32, 3) };
const [NEWEST = '', OLDER = '', LOST = ''] = new DataCipher(Object.values(SECRETS)).keyIds;

async function batchesOf(secrets: EncryptedSecrets): Promise<ReencryptedBatch[]> {
  const batches: ReencryptedBatch[] = [];
  for await (const batch of secrets.reencrypt()) batches.push(batch);
  return batches;
}

const rotatedIn = (batches: readonly ReencryptedBatch[]) => batches.reduce((sum, { rotated }) => sum + rotated, 0);

describe('EncryptedSecrets', () => {
  let stores: StoreFixture[];
  let secrets: EncryptedSecrets;
  let holder: pg.Client | undefined;
  let serial = 0;
  beforeAll(async () => {
    stores = [await StoreFixture.create(database), await StoreFixture.create(database)];
    const cipher = new DataCipher([SECRETS.newest, SECRETS.older]);
    secrets = new PostgresEncryptedSecrets(new DirectDatabase(database.url), cipher);
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

/** The number exceeds a batch. */
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
  new RotateSecrets(new PostgresEncryptedSecrets(new DirectDatabase(database.url), new DataCipher(keys))).execute(
    onProgress,
  );

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

/** The column is emptied within ten minutes. A value that cannot be read only drops its mail. */
const SHORT_LIVED = 'sign_ins.mail_code';

it('the rotation of encryption keys covers every column of bytes that is no hash', async () => {
  const encrypted = await database.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'bytea' AND column_name NOT LIKE '%hash' ORDER BY name`,
  );

  expect(encrypted.map(({ name }) => name)).toEqual(
    [...ENCRYPTED_COLUMNS.map(({ table, column }) => `${table}.${column}`), SHORT_LIVED].sort(),
  );
});

describe('the rotation of encryption keys', () => {
  beforeEach(() => importUnder([SECRETS.older], everything));

  it('is asked for by a starting process, which logs the ids of the missing and of the configured keys', async () => {
    const lines: string[] = [];
    const pool = requestPool(database.url, 1);
    const cipher = new DataCipher([SECRETS.newest]);
    const app = { get: (token: unknown) => (token === Database ? new Database(pool) : cipher) as never };

    await reportUnknownKeys(app, { error: (line) => void lines.push(String(line)) });

    await pool.end();
    expect(lines).toEqual([
      expect.stringMatching(`not configured \\(${OLDER}\\), .* The configured keys are ${NEWEST}\\.`),
    ]);
  });

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

    // The import already encrypts with the new key. It writes from last to first, opposite to the rotation.
    const [report] = await Promise.all([
      rotateTo([SECRETS.newest, SECRETS.older]),
      importUnder([SECRETS.newest, SECRETS.older], changed.reverse()),
    ]);

    expect(report.left).toBe(0);
    expect(await decryptAll(SECRETS.newest)).toEqual(
      ['{"secret_key":"paylark-secret"}', ...changed.map((c) => c.national_id)].sort(),
    );
  });

  const keys = (...list: Buffer[]) => list.map((key) => key.toString('base64')).join();

  const { cli } = commandLine(() => database);
  const rotate = (encryptionKeys: string) => cli(['secrets', 'rotate'], { DATA_ENCRYPTION_KEYS: encryptionKeys });

  it('by the command line prints the number of values per key', async () => {
    const { code, stderr, json } = await rotate(keys(SECRETS.newest, SECRETS.older));

    const report = { rotated: VALUES, left: 0, unreadable: 0, examples: [] };
    const newest = { key: NEWEST, position: 1, values: VALUES, note: 'newest' };
    const older = { key: OLDER, position: 2, values: 0, note: 'can be removed' };
    expect([code, stderr, json]).toEqual([0, '', { ...report, keys: [newest, older] }]);
  });

  it('by the command line exits with 1 for a wrong key, and prints neither keys nor decrypted values', async () => {
    const { code, json, stdout, stderr } = await rotate(keys(SECRETS.lost));

    expect(code).toBe(1);
    expect(stderr).toContain(`${VALUES} values could not be decrypted and were not changed.`);
    expect(stderr.split('\n').length).toBeLessThan(30);
    const lost = { key: OLDER, position: null, values: VALUES, note: 'missing: these values cannot be read' };
    expect(json).toMatchObject({ keys: expect.arrayContaining([lost]) as object });
    expect(stdout + stderr).not.toMatch(/NID-|paylark-secret/);
    for (const key of Object.values(SECRETS))
      expect(stdout + stderr).not.toContain(key.toString('base64').slice(0, 20));
  });
});
