import { Injectable } from '@nestjs/common';
import { PersonalData, type PersonalRecords } from '../ports/personal-data.js';
import { StoreRepository } from '../ports/store.repository.js';

@Injectable()
export class CollectPersonalData {
  constructor(
    private readonly stores: StoreRepository,
    private readonly people: PersonalData,
  ) {}

  /**
   * Collects what a store knows of a person.
   *
   * @param store the subdomain.
   * @returns null when the store has neither a customer nor an order of the person.
   * @throws NotFound when there is no such store.
   */
  async execute(store: string, email: string): Promise<PersonalRecords | null> {
    const owner = await this.stores.require(store);
    const records = await this.people.collect(owner.id, email);
    return records.customer || records.orders.length > 0 ? records : null;
  }
}
