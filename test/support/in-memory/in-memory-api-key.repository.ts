import {
  ApiKeyRepository,
  type ApiKeyLookup,
  type ApiKeyRecord,
  type ApiKeyStatus,
  type ApiKeySuccessor,
  type ApiKeyUsage,
  type NewApiKey,
  type RolledApiKey,
} from '@app/application';

/** Keys of stores in memory. The clock is the system's. */
export class InMemoryApiKeyRepository extends ApiKeyRepository {
  private readonly keys: { record: ApiKeyRecord; hash: Buffer }[] = [];
  readonly touched: string[] = [];
  private readonly usage = new Map<string, { storeId: number; requests: number; throttled: number }>();
  readonly inactiveStores = new Set<number>();

  override findByHash(hash: Buffer): Promise<ApiKeyLookup | null> {
    const found = this.keys.find((key) => key.hash.equals(hash))?.record;
    if (!found) return Promise.resolve(null);
    const { id, name, mode, scope, networks, status, expiresAt, storeId } = found;
    const store = { id: storeId, currency: 'USD', active: !this.inactiveStores.has(storeId) };
    return Promise.resolve({ id, name, mode, scope, networks, status, expiresAt, expired: hasExpired(found), store });
  }

  override touch(key: ApiKeyLookup): void {
    this.touched.push(key.id);
    this.usageOf(key).requests++;
  }

  override noteThrottled(key: ApiKeyLookup): void {
    this.usageOf(key).throttled++;
  }

  override insert(storeId: number, { hash, ...key }: NewApiKey): Promise<ApiKeyRecord> {
    if (this.keys.some((other) => other.hash.equals(hash))) return Promise.reject(new Error('The hash is taken'));
    const record: ApiKeyRecord = {
      ...key,
      storeId,
      status: 'ACTIVE',
      lastUsedAt: null,
      createdAt: new Date(),
      successorId: null,
    };
    this.keys.push({ record, hash });
    return Promise.resolve(record);
  }

  override find(id: string): Promise<ApiKeyRecord | null> {
    return Promise.resolve(this.keys.find(({ record }) => record.id === id)?.record ?? null);
  }

  override async roll(
    storeId: number,
    id: string,
    successor: ApiKeySuccessor,
    overlapMs: number,
  ): Promise<RolledApiKey | null> {
    const old = this.keys.find(({ record }) => record.storeId === storeId && record.id === id);
    if (!old || old.record.status !== 'ACTIVE' || hasExpired(old.record)) return null;
    const { prefix, mode, scope, networks, trusted, name, expiresAt, successorId } = old.record;
    const known = this.keys.find(({ record }) => record.id === successorId)?.record;
    if (known && known.status !== 'REVOKED') return null;
    const oldKeyExpiresAt = new Date(Math.min(expiresAt?.getTime() ?? Infinity, Date.now() + overlapMs));
    const before = old.record;
    old.record = { ...before, expiresAt: oldKeyExpiresAt, successorId: successor.id };
    try {
      const inserted = await this.insert(storeId, { prefix, mode, scope, networks, trusted, name, ...successor });
      return { successor: inserted, oldKeyExpiresAt };
    } catch (error) {
      old.record = before;
      throw error;
    }
  }

  override list(storeId: number): Promise<ApiKeyRecord[]> {
    return Promise.resolve(this.keys.map(({ record }) => record).filter((record) => record.storeId === storeId));
  }

  override listUsage(storeId: number): Promise<ApiKeyUsage[]> {
    const day = new Date().toISOString().slice(0, 10);
    const used = [...this.usage].filter(([, usage]) => usage.storeId === storeId);
    const rows = used.map(([keyId, { requests, throttled }]) => ({ keyId, day, requests, throttled }));
    return Promise.resolve(rows.sort((a, b) => b.requests - a.requests || (a.keyId < b.keyId ? -1 : 1)));
  }

  override setStatus(id: string, status: ApiKeyStatus): Promise<ApiKeyRecord | null> {
    const key = this.keys.find(({ record }) => record.id === id);
    if (!key || (key.record.status === 'REVOKED' && status !== 'REVOKED')) return Promise.resolve(null);
    key.record = { ...key.record, status };
    return Promise.resolve(key.record);
  }

  private usageOf({ id, store }: ApiKeyLookup) {
    const usage = this.usage.get(id) ?? { storeId: store.id, requests: 0, throttled: 0 };
    this.usage.set(id, usage);
    return usage;
  }
}

function hasExpired({ expiresAt }: ApiKeyRecord): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
}
