import type { Role } from '@app/domain';
import type { ApiKeyLookup } from './api-key.repository.js';

export interface PersonKey {
  readonly storeId: number;
  readonly id: string;
}

/** A person who may sign in to a store. */
export interface Person extends PersonKey {
  /** In lower case, and unique in the store. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly lastSignInAt: Date | null;
  /** Whether the invitation mail was sent. */
  readonly isInvited: boolean;
}

export type NewPerson = Pick<Person, 'storeId' | 'id' | 'email' | 'name' | 'role'>;

/** Absent fields keep their value. */
export type PersonChange = Partial<Pick<Person, 'name' | 'role'>>;

/** A sign-in, which has one key for each mode. */
export interface PersonSession {
  readonly id: string;
  readonly keyIds: readonly string[];
  /** The browser and the operating system. */
  readonly device: string;
  readonly createdAt: Date;
  /** Exact to a minute. */
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
}

/**
 * A method returns null when the store has no such person, or the person no such session. A change takes the key of its
 * request, null for the operator, and throws ExceedsMaker when the key has ended, or has another scope, since it was
 * looked up.
 */
export abstract class PersonRepository {
  /** Queues the invitation mail. @throws EmailTaken, TooManyInvitations */
  abstract insert(person: NewPerson, asker: ApiKeyLookup | null): Promise<Person>;

  /** Lists the oldest first. */
  abstract list(storeId: number): Promise<Person[]>;

  abstract find(key: PersonKey): Promise<Person | null>;

  /** @param email must be in lower case. */
  abstract findByEmail(storeId: number, email: string): Promise<Person | null>;

  /** A changed role becomes the scope of the person's sessions with their next request. @throws LastOwner */
  abstract change(key: PersonKey, change: PersonChange, asker: ApiKeyLookup | null): Promise<Person | null>;

  /** Queues the invitation mail again. @throws TooManyInvitations */
  abstract invite(key: PersonKey, asker: ApiKeyLookup | null): Promise<Person | null>;

  /**
   * The sessions end with the next request. The history of the store keeps the person's name, unless it is erased.
   * @returns the person before the removal. @throws LastOwner
   * @throws TooManyRows when a request, unlike the operator, would erase the name in too many rows.
   */
  abstract remove(key: PersonKey, erasesName: boolean, asker: ApiKeyLookup | null): Promise<Person | null>;

  /** Lists the sign-ins that have not ended, newest first. */
  abstract sessions(key: PersonKey): Promise<PersonSession[]>;

  /** The next request with either key of the sign-in is refused. @returns the session before its end. */
  abstract endSession(key: PersonKey, sessionId: string, asker: ApiKeyLookup | null): Promise<PersonSession | null>;
}
