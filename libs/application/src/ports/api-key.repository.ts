import type { Actor, ApiKeyMode, ApiKeyScope, Currency, Role } from '@app/domain';
import type { Page, PageOf } from './page.js';
import type { StoreStatus } from './store.repository.js';

export type ApiKeyStatus = 'ACTIVE' | 'DEACTIVATED' | 'REVOKED';

export interface ApiKeyRecord {
  readonly id: string;
  readonly storeId: number;
  /** `svc_live_` or `svc_test_`. */
  readonly prefix: string;
  readonly lastFour: string;
  readonly mode: ApiKeyMode;
  readonly scope: ApiKeyScope;
  /** The networks that may use the key, such as `192.0.2.0/24`; empty means any. */
  readonly networks: readonly string[];
  /** The velocity rules neither check nor count orders of a trusted key. */
  readonly trusted: boolean;
  readonly name: string;
  readonly status: ApiKeyStatus;
  readonly expiresAt: Date | null;
  /** Exact to a minute. */
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  /** The key that the last roll created; null when the key was never rolled. */
  readonly successorId: string | null;
  readonly createdBy: Actor;
  /** Who last rolled the key or changed its status; null when nobody did. */
  readonly changedBy: Actor | null;
  readonly changedAt: Date | null;
  /** The request count of the last seven days including today, except for about the last minute. */
  readonly recentRequests: number;
  readonly recentRefusals: number;
}

export interface ApiKeyReference {
  readonly storeId: number;
  readonly id: string;
}

/** Who makes or changes a key. */
export interface KeyMaker {
  readonly actor: Actor;
  /** The key of the request; null for the operator. */
  readonly key: ApiKeyLookup | null;
}

/** The message when nothing was changed because the maker's accepted key has ended or changed since. */
export const CHANGED_MAKER = 'The key or session of the request has ended, or its permissions have changed';

export interface ApiKeyUsage {
  readonly keyId: string;
  /** The name of the key. */
  readonly name: string;
  /** The day as `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  /** Requests with the key while it was valid, including throttled ones. */
  readonly requests: number;
  readonly throttled: number;
  /** Refused requests by the error code of the answer, including those of a key that is no longer valid. */
  readonly refused: Readonly<Record<string, number>>;
}

export interface ApiKeyLookup extends Pick<
  ApiKeyRecord,
  'id' | 'name' | 'mode' | 'scope' | 'networks' | 'status' | 'expiresAt'
> {
  /** The address of the client that presents the key. */
  readonly address: string;
  /** Whether the key has expired, by the database's clock. */
  readonly expired: boolean;
  /** The person of the session; null for the key of a machine. */
  readonly person: SignedInPerson | null;
  readonly store: { readonly id: number; readonly currency: Currency; readonly status: StoreStatus };
}

export type StoredApiKey = Omit<ApiKeyLookup, 'address'>;

export interface SignedInPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** Whether the sign-in was within the last hour, by the database's clock. */
  readonly isFresh: boolean;
}

/** Returns the actor for the history: a person, or the key of a machine. */
export function actorOf({ id, name, person }: Pick<ApiKeyLookup, 'id' | 'name' | 'person'>): Actor {
  return person ? { type: 'person', id: person.id, name: person.name } : { type: 'key', id, name };
}

export interface NewApiKey extends Pick<
  ApiKeyRecord,
  'id' | 'prefix' | 'lastFour' | 'mode' | 'scope' | 'networks' | 'trusted' | 'name' | 'expiresAt'
> {
  readonly hash: Buffer;
}

/** The successor inherits store, mode, scope, networks, trust and name of the rolled key. */
export type ApiKeySuccessor = Pick<NewApiKey, 'id' | 'hash' | 'lastFour' | 'expiresAt'>;

export interface RolledApiKey {
  readonly successor: ApiKeyRecord;
  readonly oldKeyExpiresAt: Date;
}

export abstract class ApiKeyRepository {
  /** Finds a key by its SHA-256, and sees every revocation that was committed before the call. */
  abstract findByHash(hash: Buffer): Promise<StoredApiKey | null>;

  /**
   * Counts a request and records the last use of its key. Both are written about once a minute: a killed process loses
   * some.
   */
  abstract touch(key: StoredApiKey): void;

  /** Counts a request as throttled after `touch` has counted it. */
  abstract noteThrottled(key: StoredApiKey): void;

  /** Counts an answer with an error code. It is written like the counts of `touch`. */
  abstract noteRefused(key: StoredApiKey, code: string): void;

  /**
   * Returns null when the key of the request has ended, or has another scope, since it was looked up. @throws
   * TooManyKeys for a request.
   */
  abstract insert(storeId: number, key: NewApiKey, maker: KeyMaker): Promise<ApiKeyRecord | null>;

  /** Sessions are never found, rolled, changed or listed as keys. */
  abstract find(key: ApiKeyReference): Promise<ApiKeyRecord | null>;

  /** Finds a key in any store, for operators. */
  abstract locate(id: string): Promise<ApiKeyReference | null>;

  /**
   * Adds the successor of a key. The old key expires after the overlap by the database's clock, or earlier if it
   * already does. Returns null when the store has no such active key, when the key has a successor that is not revoked,
   * and in the cases of `insert`. @throws TooManyKeys
   */
  abstract roll(
    key: ApiKeyReference,
    successor: ApiKeySuccessor,
    overlapMs: number,
    maker: KeyMaker,
  ): Promise<RolledApiKey | null>;

  /** Lists keys, oldest first. @param mode null lists both modes. @param page absent returns all rows. */
  abstract list(storeId: number, mode: ApiKeyMode | null, page?: Page): Promise<PageOf<ApiKeyRecord>>;

  /**
   * Returns the SHA-256 in hex of each key of `list`, by key id. An operator's router uses it to find the cluster of a
   * key.
   */
  abstract listHashes(storeId: number): Promise<ReadonlyMap<string, string>>;

  /**
   * Lists the use of the last days, including today: latest day first, then the busiest key. Days without use are
   * omitted.
   * @param days at least 1.
   * @param mode, page the same as for `list`.
   */
  abstract listUsage(storeId: number, days: number, mode: ApiKeyMode | null, page?: Page): Promise<PageOf<ApiKeyUsage>>;

  /**
   * Takes effect with the next request. Returns null when there is no such key, when it is revoked, which is final, and
   * in the cases of `insert`.
   */
  abstract setStatus(key: ApiKeyReference, status: ApiKeyStatus, maker: KeyMaker): Promise<ApiKeyRecord | null>;
}
