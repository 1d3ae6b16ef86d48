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
    name: 'ERP',
    expiresAt: null,
    ...more,
  });

  it('finds a key by its hash, with its store', async () => {
    const key = aKey({ mode: 'test' });
    await ports.apiKeys.insert(ports.storeId, key);

    expect(await ports.apiKeys.findByHash(key.hash)).toMatchObject({
      id: key.id,
      mode: 'test',
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
