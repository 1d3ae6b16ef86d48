import { randomBytes } from 'node:crypto';
import { ApiKeyRepository, type NewApiKey } from '@app/application';
import { v7 as uuidv7 } from 'uuid';
import { KeyUsage } from '../../libs/infrastructure/src/access/key-usage.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { InMemoryApiKeyRepository } from '../support/in-memory/in-memory-api-key.repository.js';
import { startApi } from '../support/start-api.js';

interface Ports {
  readonly storeId: number;
  readonly apiKeys: ApiKeyRepository;
  deactivateStore(): Promise<unknown>;
  activateStore(): Promise<unknown>;
  /** Writes the counted usage, which a process otherwise writes once a minute. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

function openInMemory(): Promise<Ports> {
  const apiKeys = new InMemoryApiKeyRepository();
  return Promise.resolve({
    storeId: 1,
    apiKeys,
    deactivateStore: () => Promise.resolve(apiKeys.inactiveStores.add(1)),
    activateStore: () => Promise.resolve(apiKeys.inactiveStores.delete(1)),
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  });
}

async function openPostgres(): Promise<Ports> {
  const api = await startApi();
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
    close: () => api.stop(),
  };
}

describe.each([
  ['in memory', openInMemory],
  ['on PostgreSQL', openPostgres],
])('ApiKeyRepository %s', (_name, open) => {
  let ports: Ports;
  beforeAll(async () => (ports = await open()));
  afterAll(() => ports.close());

  const aKey = (more: Partial<NewApiKey> = {}): NewApiKey => ({
    id: uuidv7(),
    hash: randomBytes(32),
    prefix: 'svc_live_',
    lastFour: 'abcd',
    mode: 'live',
    scope: 'full',
    name: 'ERP',
    expiresAt: null,
    ...more,
  });

  it('finds a key by its hash, with its store', async () => {
    const key = aKey({ mode: 'test', scope: 'read' });
    await ports.apiKeys.insert(ports.storeId, key);

    expect(await ports.apiKeys.findByHash(key.hash)).toMatchObject({
      id: key.id,
      mode: 'test',
      scope: 'read',
      status: 'ACTIVE',
      expiresAt: null,
      expired: false,
      store: { id: ports.storeId, active: true },
    });
  });

  it('finds nothing for an unknown hash', async () => {
    expect(await ports.apiKeys.findByHash(randomBytes(32))).toBeNull();
  });

  it('returns the matching key for each of many concurrent look-ups', async () => {
    const keys = Array.from({ length: 5 }, () => aKey());
    for (const key of keys) await ports.apiKeys.insert(ports.storeId, key);

    const found = await Promise.all([...keys].reverse().map(({ hash }) => ports.apiKeys.findByHash(hash)));

    expect(found.map((key) => key?.id)).toEqual(keys.map(({ id }) => id).reverse());
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

    it('adds a key of the same store, mode, scope and name, and lets the old key expire after the overlap', async () => {
      const old = await inserted({ mode: 'test', scope: 'read', prefix: 'svc_test_', name: 'BI' });
      const successor = { ...aSuccessor(), expiresAt: new Date(Date.now() + 400 * DAY_MS) };

      const before = Date.now();
      const rolled = await ports.apiKeys.roll(ports.storeId, old.id, successor, DAY_MS);
      const after = Date.now();

      const { hash, ...shown } = successor;
      const kept = { storeId: ports.storeId, mode: 'test', scope: 'read', prefix: 'svc_test_', name: 'BI' };
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

    it('leaves the old key as it was when the successor cannot be added', async () => {
      const [old, other] = [await inserted(), await inserted()];

      const rolled = ports.apiKeys.roll(ports.storeId, old.id, { ...aSuccessor(), hash: other.hash }, DAY_MS);

      await expect(rolled).rejects.toThrow();
      expect(await ports.apiKeys.find(old.id)).toMatchObject({ expiresAt: null });
    });
  });

  it('finds a key by its id, and nothing for an unknown id', async () => {
    const { hash: _hash, ...key } = aKey({ scope: 'read' });
    await ports.apiKeys.insert(ports.storeId, { ...key, hash: randomBytes(32) });

    expect(await ports.apiKeys.find(key.id)).toMatchObject({ ...key, storeId: ports.storeId, status: 'ACTIVE' });
    expect(await ports.apiKeys.find(uuidv7())).toBeNull();
  });

  it('reports that the store of a key was deactivated', async () => {
    const key = aKey();
    await ports.apiKeys.insert(ports.storeId, key);

    await ports.deactivateStore();
    expect(await ports.apiKeys.findByHash(key.hash)).toMatchObject({ store: { active: false } });
    await ports.activateStore();
  });

  it('lists the keys of a store without their hashes, oldest first', async () => {
    const before = await ports.apiKeys.list(ports.storeId);
    const [first, second] = [aKey({ name: 'first' }), aKey({ name: 'second' })];
    await ports.apiKeys.insert(ports.storeId, first);
    await ports.apiKeys.insert(ports.storeId, second);

    const added = (await ports.apiKeys.list(ports.storeId)).slice(before.length);

    expect(added.map(({ name }) => name)).toEqual(['first', 'second']);
    expect(JSON.stringify(added)).not.toMatch(/hash/i);
  });
});
