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
  readonly createdBy: Actor;
  /** Who rolled the key or changed its status last; null = nothing was changed. */
  readonly changedBy: Actor | null;
  readonly changedAt: Date | null;
  /** Counts of the last seven days, including today, without about the last minute. */
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

/** Why nothing was changed for a key that was accepted. */
export const CHANGED_MAKER = 'The key or session of the request has ended, or its permissions have changed';

export interface ApiKeyUsage {
  readonly keyId: string;
  /** The name of the key. */
  readonly name: string;
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  /** Requests with the key while it was valid, throttled ones included. */
  readonly requests: number;
  readonly throttled: number;
  /** Refused requests by the error code of their answers, also of a key that is not valid any more. */
  readonly refused: Readonly<Record<string, number>>;
}

export interface ApiKeyLookup extends Pick<
  ApiKeyRecord,
  'id' | 'name' | 'mode' | 'scope' | 'networks' | 'status' | 'expiresAt'
> {
  /** Whether the key has expired, by the database's clock. */
  readonly expired: boolean;
  /** The person of the session; null for the key of a machine. */
  readonly person: SignedInPerson | null;
  readonly store: { readonly id: number; readonly currency: Currency; readonly status: StoreStatus };
}

export interface SignedInPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** Whether the sign-in was within the last hour, by the database's clock. */
  readonly isFresh: boolean;
}

/** Who acts in the history: a person, or the key of a machine. */
export function actorOf({ id, name, person }: Pick<ApiKeyLookup, 'id' | 'name' | 'person'>): Actor {
  return person ? { type: 'person', id: person.id, name: person.name } : { type: 'key', id, name };
}

export interface NewApiKey extends Pick<
  ApiKeyRecord,
  'id' | 'prefix' | 'lastFour' | 'mode' | 'scope' | 'networks' | 'trusted' | 'name' | 'expiresAt'
> {
  readonly hash: Buffer;
}

/** It takes the store, mode, scope, networks, trust and name of the key that is rolled. */
export type ApiKeySuccessor = Pick<NewApiKey, 'id' | 'hash' | 'lastFour' | 'expiresAt'>;

export interface RolledApiKey {
  readonly successor: ApiKeyRecord;
  readonly oldKeyExpiresAt: Date;
}

export abstract class ApiKeyRepository {
  /** Finds a key by its SHA-256. Sees every revocation that was committed before the call. */
  abstract findByHash(hash: Buffer): Promise<ApiKeyLookup | null>;

  /** Counts a request and notes the key's last use, both about once a minute: a killed process loses some. */
  abstract touch(key: ApiKeyLookup): void;

  /** Counts as throttled a request that `touch` has already counted. */
  abstract noteThrottled(key: ApiKeyLookup): void;

  /** Counts an answer with an error code, as `touch`. */
  abstract noteRefused(key: ApiKeyLookup, code: string): void;

  /** Null when the key of the request has ended, or has another scope, since it was looked up. @throws TooManyKeys for a request. */
  abstract insert(storeId: number, key: NewApiKey, maker: KeyMaker): Promise<ApiKeyRecord | null>;

  /** No session is found, rolled, changed or listed. */
  abstract find(key: ApiKeyReference): Promise<ApiKeyRecord | null>;

  /** Finds a key in any store, for operators. */
  abstract locate(id: string): Promise<ApiKeyReference | null>;

  /**
   * Adds the successor of a key, which expires after the overlap, by the database's clock, or earlier if it already
   * does. Null when the store has no such active key, or it has a successor that is not revoked, and as `insert`. @throws TooManyKeys
   */
  abstract roll(
    key: ApiKeyReference,
    successor: ApiKeySuccessor,
    overlapMs: number,
    maker: KeyMaker,
  ): Promise<RolledApiKey | null>;

  /** Oldest first. @param mode null = both. @param page absent = all rows. */
  abstract list(storeId: number, mode: ApiKeyMode | null, page?: Page): Promise<PageOf<ApiKeyRecord>>;

  /** The SHA-256 of each key of `list` in hex, by its id; for operators, whose router finds the cluster of a key by it. */
  abstract listHashes(storeId: number): Promise<ReadonlyMap<string, string>>;

  /**
   * Lists the use in the last days, from 1, including today: latest day first, then the busiest key. Days without use
   * are absent.
   * @param mode, page as of `list`.
   */
  abstract listUsage(storeId: number, days: number, mode: ApiKeyMode | null, page?: Page): Promise<PageOf<ApiKeyUsage>>;

  /**
   * Takes effect with the next request. Null when there is no such key, or it is revoked and stays so, and as
   * `insert`.
   */
  abstract setStatus(key: ApiKeyReference, status: ApiKeyStatus, maker: KeyMaker): Promise<ApiKeyRecord | null>;
}
