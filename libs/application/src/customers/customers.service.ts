import { CustomerWithoutEmail, isOpen, isUuid, NotFound, OrdersOpen } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { readsChanges } from '../feed/reads-changes.js';
import { ChangeFeed } from '../ports/change-feed.js';
import { CustomerRepository, type CustomerFilter, type CustomerRecord } from '../ports/customer.repository.js';
import type { Page, PageOf } from '../ports/page.js';
import { PersonalData, type Erasure, type PersonalRecords } from '../ports/personal-data.js';
import { StoreRepository } from '../ports/store.repository.js';

export interface EraseCustomerCommand {
  readonly store: string;
  readonly email: string;
  readonly force: boolean;
}

@Injectable()
export class CustomersService {
  constructor(
    private readonly customers: CustomerRepository,
    private readonly stores: StoreRepository,
    private readonly people: PersonalData,
    private readonly feed: ChangeFeed,
  ) {}

  async list(storeId: number, filter: CustomerFilter, page: Page): Promise<PageOf<CustomerRecord>> {
    if (readsChanges(filter, page)) await this.feed.catchUp(storeId);
    return this.customers.list(storeId, filter, page);
  }

  async retrieve(storeId: number, id: string): Promise<CustomerRecord> {
    const customer = isUuid(id) ? await this.customers.findById(storeId, id) : null;
    if (!customer) throw new NotFound('Customer');
    return customer;
  }

  /**
   * Collects what a store knows of a person; null when it has neither a customer nor an order of the person, who may not
   * sign in to it either.
   *
   * @throws NotFound when there is no such store.
   */
  async collect(store: string, email: string): Promise<PersonalRecords | null> {
    const owner = await this.stores.require(store);
    const records = await this.people.collect(owner.id, email);
    return records.customer || records.member || records.orders.length > 0 ? records : null;
  }

  /** As `collect`, by the e-mail of the customer. @throws NotFound, CustomerWithoutEmail */
  async collectOf(storeId: number, id: string): Promise<PersonalRecords> {
    return this.people.collect(storeId, await this.emailOf(storeId, id));
  }

  /**
   * Erases what a store knows of a person. A repetition finds nothing to erase.
   *
   * @throws NotFound when there is no such store.
   * @throws OrdersOpen when an order of the person is open, unless forced; nothing is erased.
   */
  async erase({ store, email, force }: EraseCustomerCommand): Promise<Erasure> {
    const owner = await this.stores.require(store);
    return this.eraseIn(owner.id, email, force);
  }

  /** As `erase`, by the e-mail of the customer. @throws NotFound, CustomerWithoutEmail, OrdersOpen */
  async eraseOf(storeId: number, id: string, force: boolean): Promise<Erasure> {
    return this.eraseIn(storeId, await this.emailOf(storeId, id), force);
  }

  private eraseIn(storeId: number, email: string, force: boolean): Promise<Erasure> {
    return this.people.erase(storeId, email, (orders) => {
      const open = orders.filter(isOpen);
      if (open.length > 0 && !force) throw new OrdersOpen(open);
    });
  }

  private async emailOf(storeId: number, id: string): Promise<string> {
    const { email } = await this.retrieve(storeId, id);
    if (email === '') throw new CustomerWithoutEmail();
    return email;
  }
}
