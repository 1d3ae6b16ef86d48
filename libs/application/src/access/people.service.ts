import { isUuid, NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import {
  PersonRepository,
  type NewPerson,
  type Person,
  type PersonChange,
  type PersonKey,
  type PersonSession,
} from '../ports/person.repository.js';
import { StoreRepository } from '../ports/store.repository.js';

/** Only owners have the scope `team`. They have every scope, so a person gives no role with words that they lack. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly people: PersonRepository,
    private readonly stores: StoreRepository,
  ) {}

  /** @param person with an e-mail in any letter case. @throws EmailTaken */
  add({ email, ...person }: Omit<NewPerson, 'id'>): Promise<Person> {
    return this.people.insert({ ...person, email: email.toLowerCase(), id: uuidv7() });
  }

  list(storeId: number): Promise<Person[]> {
    return this.people.list(storeId);
  }

  /** @throws NotFound when there is no such store, or no such person in it. */
  async locate(store: string, email: string): Promise<Person> {
    const { id } = await this.stores.require(store);
    return orNotFound(await this.people.findByEmail(id, email.toLowerCase()));
  }

  /** @throws LastOwner, NotFound */
  async change(key: PersonKey, change: PersonChange): Promise<Person> {
    return orNotFound(isUuid(key.id) ? await this.people.change(key, change) : null);
  }

  /** Sends the mail about the access again. @throws NotFound */
  async invite(key: PersonKey): Promise<Person> {
    return orNotFound(isUuid(key.id) ? await this.people.invite(key) : null);
  }

  /** @returns the person as it was. @throws LastOwner, NotFound */
  async remove(key: PersonKey, erasesName: boolean): Promise<Person> {
    return orNotFound(isUuid(key.id) ? await this.people.remove(key, erasesName) : null);
  }

  /** @throws NotFound */
  async sessions(key: PersonKey): Promise<PersonSession[]> {
    orNotFound(isUuid(key.id) ? await this.people.find(key) : null);
    return this.people.sessions(key);
  }

  /** @throws NotFound */
  async endSession(key: PersonKey, sessionId: string): Promise<PersonSession> {
    const known = isUuid(key.id) && isUuid(sessionId);
    return orNotFound(known ? await this.people.endSession(key, sessionId) : null, 'Session');
  }
}

function orNotFound<T>(found: T | null, what = 'Person'): T {
  if (found === null) throw new NotFound(what);
  return found;
}
