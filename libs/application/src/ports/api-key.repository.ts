import { domainError, type ApiKeyMode, type ApiKeyScope, type Currency } from '@app/domain';

export type ApiKeyStatus = 'ACTIVE' | 'DEACTIVATED' | 'REVOKED';

/** A key as operators see it, without the key itself and its hash. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly storeId: number;
  /** `svc_live_` or `svc_test_`. */
  readonly prefix: string;
  readonly lastFour: string;
  readonly mode: ApiKeyMode;
  readonly scope: ApiKeyScope;
  /** Networks from which the key may be used, such as `192.0.2.0/24`; empty = any. */
  readonly networks: readonly string[];
  /** The velocity rules neither judge nor count its orders. */
  readonly trusted: boolean;
  readonly name: string;
  readonly status: ApiKeyStatus;
  readonly expiresAt: Date | null;
  /** Exact to a minute. */
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  /** The key that a roll created last; null = the key was not rolled. */
  readonly successorId: string | null;
}

export interface ApiKeyUsage {
  readonly keyId: string;
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  /** Requests with the key while it was valid, throttled ones included. */
  readonly requests: number;
  readonly throttled: number;
}

/** The data of a key that a request needs. */
export interface ApiKeyLookup {
  readonly id: string;
  readonly name: string;
  readonly mode: ApiKeyMode;
  readonly scope: ApiKeyScope;
  readonly networks: readonly string[];
  readonly status: ApiKeyStatus;
  readonly expiresAt: Date | null;
  /** By the database's clock. */
  readonly expired: boolean;
  readonly store: { readonly id: number; readonly currency: Currency; readonly active: boolean };
}

/** A new key: its hash and the fields that may be displayed. */
export interface NewApiKey extends Pick<
  ApiKeyRecord,
  'id' | 'prefix' | 'lastFour' | 'mode' | 'scope' | 'networks' | 'trusted' | 'name' | 'expiresAt'
> {
  readonly hash: Buffer;
}

/** The successor of a key. It takes the store, mode, scope, networks, trust and name of that key. */
export type ApiKeySuccessor = Pick<NewApiKey, 'id' | 'hash' | 'lastFour' | 'expiresAt'>;

export interface RolledApiKey {
  readonly successor: ApiKeyRecord;
  /** When the key that was rolled expires. */
  readonly oldKeyExpiresAt: Date;
}

export abstract class ApiKeyRepository {
  /**
   * Finds a key by its SHA-256. The answer is never older than the call: a revocation committed before it is seen.
   */
  abstract findByHash(hash: Buffer): Promise<ApiKeyLookup | null>;

  /**
   * Counts a request and notes the key's last use. Never fails or delays the request: the counts are written about once
   * a minute, and a killed process loses those that are not yet written.
   */
  abstract touch(key: ApiKeyLookup): void;

  /** Counts the throttling of a request that `touch` has already counted. */
  abstract noteThrottled(key: ApiKeyLookup): void;

  abstract insert(storeId: number, key: NewApiKey): Promise<ApiKeyRecord>;

  abstract find(id: string): Promise<ApiKeyRecord | null>;

  /**
   * Adds the successor of a key, and lets that key expire after the overlap, or earlier if it already does. Both or
   * neither take effect.
   *
   * @param overlapMs counted by the database's clock.
   * @returns null when the store has no such key, or when it is not active, has expired or has a successor that is not
   *   revoked.
   */
  abstract roll(
    storeId: number,
    id: string,
    successor: ApiKeySuccessor,
    overlapMs: number,
  ): Promise<RolledApiKey | null>;

  abstract list(storeId: number): Promise<ApiKeyRecord[]>;

  /**
   * Lists the use of the last days, including today: latest day first, and within a day the busiest key first. Days on
   * which a key was not used are absent.
   *
   * @param days from 1.
   */
  abstract listUsage(storeId: number, days: number): Promise<ApiKeyUsage[]>;

  /**
   * Takes effect with the next request. A revoked key stays revoked.
   *
   * @returns null when there is no such key, or when it is revoked and the new status is another.
   */
  abstract setStatus(id: string, status: ApiKeyStatus): Promise<ApiKeyRecord | null>;
}

/** The key is revoked, deactivated or expired, or it is already rolled. */
export const ApiKeyNotActive = domainError('rejected', 'api_key_not_active', (problem: string) => problem);
