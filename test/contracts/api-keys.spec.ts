import { randomBytes } from 'node:crypto';
import { ApiKeyRepository, type ApiKeyLookup, type NewApiKey } from '@app/application';
import { Database } from '@app/infrastructure';
import { v7 as uuidv7 } from 'uuid';
import { KeyUsage } from '../../libs/infrastructure/src/access/key-usage.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let api: RunningApi;
beforeAll(async () => (api = await startApi()));
afterAll(() => api.stop());

interface Ports {
  readonly storeId: number;
  readonly apiKeys: ApiKeyRepository;
  deactivateStore(): Promise<unknown>;
  activateStore(): Promise<unknown>;
  /** Writes the counted usage, which a process otherwise writes once a minute. */
  flush(): Promise<void>;
}

async function openPostgres(): Promise<Ports> {
  const { id: storeId } = await StoreFixture.create(api.database);
  const setStatus = (status: string) =>
    api.database.query('UPDATE stores SET status = $2 WHERE id = $1', [storeId, status]);
  const apiKeys = api.app.get(ApiKeyRepository);
  return {
    storeId,
    apiKeys,
    deactivateStore: () => setStatus('INACTIVE'),
    activateStore: () => setStatus('ACTIVE'),
    flush: () => api.app.get(KeyUsage, { strict: false }).flush(),
  };
}

describe('ApiKeyRepository', () => {
  let ports: Ports;
  beforeAll(async () => (ports = await openPostgres()));

  const aKey = (more: Partial<NewApiKey> = {}): NewApiKey => ({
    id: uuidv7(),
    hash: randomBytes(32),
    prefix: 'svc_live_',
    lastFour: 'abcd',
    mode: 'live',
    scope: 'full',
    networks: [],
    trusted: false,
    name: 'ERP',
    expiresAt: null,
    ...more,
  });

  it('finds a key by its hash, with its store', async () => {
    const key = aKey({ mode: 'test', scope: 'read', networks: ['192.0.2.0/24', '2001:db8::/32'] });
    await ports.apiKeys.insert(ports.storeId, key);

    expect(await ports.apiKeys.findByHash(key.hash)).toMatchObject({
      id: key.id,
      mode: 'test',
      scope: 'read',
      networks: ['192.0.2.0/24', '2001:db8::/32'],
      status: 'ACTIVE',
      expiresAt: null,
      expired: false,
      store: { id: ports.storeId, active: true },
    });
  });

  it('reports that a key has expired', async () => {
    const past = aKey({ expiresAt: new Date(Date.now() - 1000) });
    const future = aKey({ expiresAt: new Date(Date.now() + 60_000) });
    await ports.apiKeys.insert(ports.storeId, past);
    await ports.apiKeys.insert(ports.storeId, future);

    expect(await ports.apiKeys.findByHash(past.hash)).toMatchObject({ expired: true, expiresAt: past.expiresAt });
    expect(await ports.apiKeys.findByHash(future.hash)).toMatchObject({ expired: false, expiresAt: future.expiresAt });
  });

  it('counts the requests and the throttled requests of each key', async () => {
    const [busy, quiet, unused] = [aKey(), aKey(), aKey()];
    for (const key of [busy, quiet, unused]) await ports.apiKeys.insert(ports.storeId, key);
    const [first, second] = await Promise.all([busy, quiet].map(({ hash }) => ports.apiKeys.findByHash(hash)));
    if (!first || !second) throw new Error('The keys were not found');

    for (let n = 0; n < 3; n++) ports.apiKeys.touch(first);
    ports.apiKeys.noteThrottled(first);
    ports.apiKeys.touch(second);
    await ports.flush();
    ports.apiKeys.touch(first);
    await ports.flush();

    const today = new Date().toISOString().slice(0, 10);
    const ids = [busy.id, quiet.id, unused.id];
    expect((await ports.apiKeys.listUsage(ports.storeId, 2)).filter(({ keyId }) => ids.includes(keyId))).toEqual([
      { keyId: busy.id, day: today, requests: 4, throttled: 1 },
      { keyId: quiet.id, day: today, requests: 1, throttled: 0 },
    ]);
    expect(await ports.apiKeys.listUsage(ports.storeId + 1, 2)).toEqual([]);
  });

  it('returns a changed status from the next look-up on', async () => {
    const key = aKey();
    await ports.apiKeys.insert(ports.storeId, key);

    await ports.apiKeys.setStatus(key.id, 'DEACTIVATED');
    expect(await ports.apiKeys.findByHash(key.hash)).toMatchObject({ status: 'DEACTIVATED' });

    await ports.apiKeys.setStatus(key.id, 'ACTIVE');
    expect(await ports.apiKeys.findByHash(key.hash)).toMatchObject({ status: 'ACTIVE' });
  });

  it('never activates a revoked key', async () => {
    const key = aKey();
    await ports.apiKeys.insert(ports.storeId, key);
    await ports.apiKeys.setStatus(key.id, 'REVOKED');

    expect(await ports.apiKeys.setStatus(key.id, 'ACTIVE')).toBeNull();
    expect(await ports.apiKeys.findByHash(key.hash)).toMatchObject({ status: 'REVOKED' });
  });

  describe('roll', () => {
    const DAY_MS = 86_400_000;
    const aSuccessor = () => ({ id: uuidv7(), hash: randomBytes(32), lastFour: 'wxyz', expiresAt: null });
    const inserted = async (more: Partial<NewApiKey> = {}) => {
      const key = aKey(more);
      await ports.apiKeys.insert(ports.storeId, key);
      return key;
    };

    it('adds a key of the same store, mode, scope, networks, trust and name, and lets the old key expire after the overlap', async () => {
      const old = await inserted({
        mode: 'test',
        scope: 'read',
        networks: ['10.0.0.0/8'],
        trusted: true,
        prefix: 'svc_test_',
        name: 'BI',
      });
      const successor = { ...aSuccessor(), expiresAt: new Date(Date.now() + 400 * DAY_MS) };

      const before = Date.now();
      const rolled = await ports.apiKeys.roll(ports.storeId, old.id, successor, DAY_MS);
      const after = Date.now();

      const { hash, ...shown } = successor;
      const kept = {
        storeId: ports.storeId,
        mode: 'test',
        scope: 'read',
        networks: ['10.0.0.0/8'],
        trusted: true,
        prefix: 'svc_test_',
        name: 'BI',
      };
      expect(rolled?.successor).toMatchObject({ ...shown, ...kept, status: 'ACTIVE', lastUsedAt: null });
      expect(rolled?.oldKeyExpiresAt.getTime()).toBeGreaterThanOrEqual(before + DAY_MS);
      expect(rolled?.oldKeyExpiresAt.getTime()).toBeLessThanOrEqual(after + DAY_MS);
      expect(await ports.apiKeys.findByHash(hash)).toMatchObject({ id: successor.id, scope: 'read', expired: false });
      const expiresAt = rolled?.oldKeyExpiresAt;
      expect(await ports.apiKeys.findByHash(old.hash)).toMatchObject({ id: old.id, expired: false, expiresAt });
    });

    it('leaves a key that expires before the end of the overlap its earlier end', async () => {
      const expiresAt = new Date(Date.now() + 60_000);
      const old = await inserted({ expiresAt });

      const rolled = await ports.apiKeys.roll(ports.storeId, old.id, aSuccessor(), DAY_MS);

      expect(rolled?.oldKeyExpiresAt).toEqual(expiresAt);
      expect(await ports.apiKeys.find(old.id)).toMatchObject({ expiresAt });
    });

    it.each<[string, (id: string) => Promise<unknown>]>([
      ['revoked', (id) => ports.apiKeys.setStatus(id, 'REVOKED')],
      ['deactivated', (id) => ports.apiKeys.setStatus(id, 'DEACTIVATED')],
    ])('changes nothing for a %s key', async (_name, end) => {
      const old = await inserted();
      await end(old.id);
      const successor = aSuccessor();

      expect(await ports.apiKeys.roll(ports.storeId, old.id, successor, DAY_MS)).toBeNull();
      expect(await ports.apiKeys.find(old.id)).toMatchObject({ expiresAt: null });
      expect(await ports.apiKeys.findByHash(successor.hash)).toBeNull();
    });

    it('changes nothing for an expired key, an unknown key and a key of another store', async () => {
      const expired = await inserted({ expiresAt: new Date(Date.now() - 1000) });
      const foreign = await inserted();
      const roll = (storeId: number, id: string) => ports.apiKeys.roll(storeId, id, aSuccessor(), DAY_MS);

      expect(await roll(ports.storeId, expired.id)).toBeNull();
      expect(await roll(ports.storeId, uuidv7())).toBeNull();
      expect(await roll(ports.storeId + 1, foreign.id)).toBeNull();
      expect(await ports.apiKeys.find(foreign.id)).toMatchObject({ expiresAt: null });
    });

    it('adds no second successor, also of rolls at the same time, until the first one is revoked', async () => {
      const old = await inserted();
      const roll = () => ports.apiKeys.roll(ports.storeId, old.id, aSuccessor(), DAY_MS);

      const [first, ...others] = (await Promise.all([roll(), roll(), roll()])).filter((rolled) => rolled !== null);
      const successor = first?.successor.id ?? '';
      const end = first?.oldKeyExpiresAt;

      expect([others, await roll()]).toEqual([[], null]);
      expect(await ports.apiKeys.find(old.id)).toMatchObject({ successorId: successor, expiresAt: end });
      await ports.apiKeys.setStatus(successor, 'REVOKED');
      expect(await roll()).toMatchObject({ successor: { status: 'ACTIVE', successorId: null }, oldKeyExpiresAt: end });
      expect(await roll()).toBeNull();
    });
  });
});

// The port's contract does not cover how often the adapter writes to the database, and what it does without one.
describe('the counter of key usage', () => {
  let key: ApiKeyLookup;
  beforeAll(async () => {
    const [record] = await api.app.get(ApiKeyRepository).list(api.store.id);
    if (!record) throw new Error('The store has no key');
    const store = { id: api.store.id, currency: 'USD', active: true };
    key = { ...record, expired: false, store };
  });

  const write = async (usage: KeyUsage, requests = 1) => {
    for (let n = 0; n < requests; n++) usage.count(key);
    await usage.flush();
  };
  const processes = (count: number) =>
    Array.from({ length: count }, () => new KeyUsage(api.app.get(Database, { strict: false })));
  const stored = async () => {
    const [row] = await api.database.query<{ version: string; last_used_at: Date | null; requests: number }>(
      `SELECT key.xmin::text AS version, key.last_used_at, usage.requests::int AS requests
       FROM api_keys key LEFT JOIN api_key_usage usage ON usage.store_id = key.store_id AND usage.key_id = key.id
       WHERE key.store_id = $1 AND key.id = $2`,
      [key.store.id, key.id],
    );
    if (!row) throw new Error('The key is gone');
    return row;
  };
  const lastUsed = (moment: string) =>
    api.database.query(`UPDATE api_keys SET last_used_at = ${moment} WHERE id = $1`, [key.id]);

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
    // In the future, the minute of the clock cannot change while the test runs.
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
    jest.spyOn((usage as unknown as { logger: { warn(text: string): void } }).logger, 'warn').mockImplementation();

    await write(usage, 2);
    isAway = false;
    await write(usage, 3);

    expect((await stored()).requests).toBe(requests + 5);
  });

  it('writes its counts when the process ends', async () => {
    const { requests } = await stored();
    await api.get('/v1/store');

    await api.app.get(KeyUsage, { strict: false }).onApplicationShutdown();

    expect((await stored()).requests).toBe(requests + 1);
  });
});

describe('the expiry of a key', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ['fast', 24 * 3_600_000],
    ['slow', -24 * 3_600_000],
  ])('depends on the clock of the database, even in a process whose clock is a day %s', async (_name, offset) => {
    const setExpiry = (moment: string) =>
      api.database.query(`UPDATE api_keys SET expires_at = ${moment} WHERE store_id = $1`, [api.store.id]);
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + offset);

    await setExpiry(`now() + interval '1 hour'`);
    expect((await api.get('/v1/store')).statusCode).toBe(200);
    await setExpiry(`now() - interval '1 second'`);
    expect((await api.get('/v1/store')).statusCode).toBe(403);
  });
});
