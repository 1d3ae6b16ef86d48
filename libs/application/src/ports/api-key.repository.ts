import type { ApiKeyMode, Currency } from '@app/domain';

export type ApiKeyStatus = 'ACTIVE' | 'DEACTIVATED' | 'REVOKED';

/** A key as its owner may see it: neither the key nor its hash. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly storeId: number;
  /** `svc_live_` or `svc_test_`. */
  readonly prefix: string;
  readonly lastFour: string;
  readonly mode: ApiKeyMode;
  readonly name: string;
  readonly status: ApiKeyStatus;
  readonly expiresAt: Date | null;
  /** Exact to a minute. */
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
}

/** How much a key was used on one day. */
export interface ApiKeyUsage {
  readonly keyId: string;
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  /** Requests with the key while it was good, throttled ones included. */
  readonly requests: number;
  /** Those of them that were refused because there were too many. */
  readonly throttled: number;
}

/** What a request learns from its key. */
export interface ApiKeyLookup {
  readonly id: string;
  readonly mode: ApiKeyMode;
  readonly status: ApiKeyStatus;
  readonly expiresAt: Date | null;
  /** By the database's clock. */
  readonly expired: boolean;
  readonly store: { readonly id: number; readonly currency: Currency; readonly active: boolean };
}

/** A key to be kept: its hash, and what may be shown of it. */
export interface NewApiKey extends Pick<ApiKeyRecord, 'id' | 'prefix' | 'lastFour' | 'mode' | 'name' | 'expiresAt'> {
  /** SHA-256 of the whole key. */
  readonly hash: Buffer;
}

export abstract class ApiKeyRepository {
  /**
   * Finds a key by its SHA-256. The answer is never older than the call: a revocation committed before it is seen.
   */
  abstract findByHash(hash: Buffer): Promise<ApiKeyLookup | null>;

  /**
   * Counts a request and notes the key's last use. Never fails or delays the request: what was counted is written about
   * once a minute, and a process that is killed loses what it had not written.
   */
  abstract touch(key: ApiKeyLookup): void;

  /** Counts that a request, already counted by `touch`, was refused because the key sends too many. */
  abstract noteThrottled(key: ApiKeyLookup): void;

  abstract insert(storeId: number, key: NewApiKey): Promise<ApiKeyRecord>;

  /** Oldest first. */
  abstract list(storeId: number): Promise<ApiKeyRecord[]>;

  /**
   * Of the last days, today included: the latest first, and of a day the busiest key first. A day on which a key was not
   * used is absent.
   *
   * @param days from 1.
   */
  abstract listUsage(storeId: number, days: number): Promise<ApiKeyUsage[]>;

  /**
   * Takes effect with the next request. A revoked key stays revoked.
   *
   * @returns null when there is no such key, or it is revoked and another status is asked for.
   */
  abstract setStatus(id: string, status: ApiKeyStatus): Promise<ApiKeyRecord | null>;
}
