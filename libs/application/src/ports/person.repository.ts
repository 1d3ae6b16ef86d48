import type { Role } from '@app/domain';
import type { ApiKeyLookup } from './api-key.repository.js';

export interface PersonKey {
  readonly storeId: number;
  readonly id: string;
}

/** Who may sign in to a store. */
export interface Person extends PersonKey {
  /** Lower case. Unique in the store. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly lastSignInAt: Date | null;
  /** Whether the mail about the access is sent. */
  readonly isInvited: boolean;
}

export type NewPerson = Pick<Person, 'storeId' | 'id' | 'email' | 'name' | 'role'>;

/** Absent ones stay. */
export type PersonChange = Partial<Pick<Person, 'name' | 'role'>>;

/** A sign-in: its keys of both modes. */
export interface PersonSession {
  readonly id: string;
  readonly keyIds: readonly string[];
  /** The browser and the system. */
  readonly device: string;
  readonly createdAt: Date;
  /** Exact to a minute. */
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
}

/**
 * A method returns null when the store has no such person, or the person no such session. A change has the key of its request,
 * null for the operator, and throws ExceedsMaker when the key has ended, or has another scope, since it was looked up.
 */
export abstract class PersonRepository {
  /** Its mail is due. @throws EmailTaken, TooManyInvitations */
  abstract insert(person: NewPerson, asker: ApiKeyLookup | null): Promise<Person>;

  /** Oldest first. */
  abstract list(storeId: number): Promise<Person[]>;

  abstract find(key: PersonKey): Promise<Person | null>;

  /** @param email in lower case. */
  abstract findByEmail(storeId: number, email: string): Promise<Person | null>;

  /** Another role is the scope of the person's sessions from their next request on. @throws LastOwner */
  abstract change(key: PersonKey, change: PersonChange, asker: ApiKeyLookup | null): Promise<Person | null>;

  /** The mail is due again. @throws TooManyInvitations */
  abstract invite(key: PersonKey, asker: ApiKeyLookup | null): Promise<Person | null>;

  /**
   * The sessions end with the next request. The history of the store keeps the name of the person, unless it is erased.
   * @returns the person as it was. @throws LastOwner
   * @throws TooManyRows when a request, unlike the operator, would erase the name in too many rows.
   */
  abstract remove(key: PersonKey, erasesName: boolean, asker: ApiKeyLookup | null): Promise<Person | null>;

  /** Lists the sign-ins that have not ended, newest first. */
  abstract sessions(key: PersonKey): Promise<PersonSession[]>;

  /** Both keys of the sign-in are refused from the next request on. @returns it as it was. */
  abstract endSession(key: PersonKey, sessionId: string, asker: ApiKeyLookup | null): Promise<PersonSession | null>;
}
