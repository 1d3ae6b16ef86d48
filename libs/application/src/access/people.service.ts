import { foldMailAddress, NotFound, readUuid } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { ApiKeyLookup } from '../ports/api-key.repository.js';
import {
  PersonRepository,
  type NewPerson,
  type Person,
  type PersonChange,
  type PersonKey,
  type PersonSession,
} from '../ports/person.repository.js';
import { StoreRepository } from '../ports/store.repository.js';

/** The key of the request; null for the operator. */
type Requester = ApiKeyLookup | null;

/** Only owners have the scope `team`. They have every scope, so nobody can give a role with scopes that they lack. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly people: PersonRepository,
    private readonly stores: StoreRepository,
  ) {}

  /** @param person the e-mail may be in any letter case. @throws EmailTaken, ExceedsMaker */
  add({ email, ...person }: Omit<NewPerson, 'id'>, asker: Requester): Promise<Person> {
    return this.people.insert({ ...person, email: foldMailAddress(email), id: uuidv7() }, asker);
  }

  list(storeId: number): Promise<Person[]> {
    return this.people.list(storeId);
  }

  /** @throws NotFound when the store or the person does not exist. */
  async locate(store: string, email: string): Promise<Person> {
    const { id } = await this.stores.require(store);
    return orNotFound(await this.people.findByEmail(id, foldMailAddress(email)));
  }

  /** @throws LastOwner, NotFound, ExceedsMaker */
  async change(key: PersonKey, change: PersonChange, asker: Requester): Promise<Person> {
    return orNotFound(await this.people.change(readKey(key), change, asker));
  }

  /** Sends the mail about the access again. @throws NotFound, ExceedsMaker */
  async invite(key: PersonKey, asker: Requester): Promise<Person> {
    return orNotFound(await this.people.invite(readKey(key), asker));
  }

  /** @returns the person before the removal. @throws LastOwner, NotFound, ExceedsMaker */
  async remove(key: PersonKey, erasesName: boolean, asker: Requester): Promise<Person> {
    return orNotFound(await this.people.remove(readKey(key), erasesName, asker));
  }

  /** @throws NotFound */
  async sessions(key: PersonKey): Promise<PersonSession[]> {
    const { storeId, id } = orNotFound(await this.people.find(readKey(key)));
    return this.people.sessions({ storeId, id });
  }

  /** @throws NotFound, ExceedsMaker */
  async endSession(key: PersonKey, sessionId: string, asker: Requester): Promise<PersonSession> {
    const person = readKey(key, 'Session');
    return orNotFound(
      await this.people.endSession(person, orNotFound(readUuid(sessionId), 'Session'), asker),
      'Session',
    );
  }
}

/** @throws NotFound */
function readKey({ storeId, id }: PersonKey, what = 'Person'): PersonKey {
  return { storeId, id: orNotFound(readUuid(id), what) };
}

function orNotFound<T>(found: T | null, what = 'Person'): T {
  if (found === null) throw new NotFound(what);
  return found;
}
