import {
  changeAccount,
  CustomerWithoutEmail,
  isOpen,
  NotFound,
  OrdersOpen,
  readUuid,
  TooManyRows,
  type CustomerPatch,
} from '@app/domain';
import { Injectable } from '@nestjs/common';
import { Deadline } from '../deadline.js';
import { DeadlineExceeded } from '../failures.js';
import { readsChanges } from '../feed/reads-changes.js';
import type { ChangeOrigin } from '../ports/audit-log.js';
import { ChangeFeed } from '../ports/change-feed.js';
import {
  CustomerRepository,
  type CustomerFilter,
  type CustomerRecord,
  type ListedCustomer,
} from '../ports/customer.repository.js';
import type { Page, PageOf } from '../ports/page.js';
import {
  PersonalData,
  type Erasure,
  type ErasureLimits,
  type PersonalDataReader,
  type PersonalRecord,
  type PersonalRecords,
} from '../ports/personal-data.js';
import { StoreRepository } from '../ports/store.repository.js';
import { READ_ANSWER_MS } from '../time-limits.js';

/** The maximum number of orders that a request handles for one person. The commands have no limit. */
const MAX_ORDERS = 1_000;
const MAX_RECORDS = 20_000;
const MAX_CHARACTERS = 20_000_000;

export interface CollectedData extends PersonalRecords {
  readonly orders: readonly PersonalRecord[];
}

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

  async list(storeId: number, filter: CustomerFilter, page: Page): Promise<PageOf<ListedCustomer>> {
    if (readsChanges(filter, page)) await this.feed.catchUp(storeId);
    return this.customers.list(storeId, filter, page);
  }

  async retrieve(storeId: number, text: string): Promise<CustomerRecord> {
    const id = readUuid(text);
    const customer = id !== null ? await this.customers.findById(storeId, id) : null;
    if (!customer) throw new NotFound('Customer');
    return customer;
  }

  /** @throws NotFound, UnknownPriceListOfCustomer, CustomerTooLarge, MetadataTooLarge */
  async change(storeId: number, text: string, patch: CustomerPatch): Promise<CustomerRecord> {
    const id = readUuid(text);
    const changed =
      id !== null ? await this.customers.change(storeId, id, (account) => changeAccount(account, patch)) : null;
    if (!changed) throw new NotFound('Customer');
    await this.feed.catchUp(storeId);
    return changed;
  }

  /**
   * Reads everything that a store has about a person, without a limit.
   * @throws NotFound when there is no such store.
   */
  async collect<T>(store: string, email: string, origin: ChangeOrigin, read: PersonalDataReader<T>): Promise<T> {
    const owner = await this.stores.require(store);
    return this.people.collect(owner.id, email, null, origin, read);
  }

  /**
   * Collects what a store has about the person with the e-mail of a customer. @throws NotFound, CustomerWithoutEmail,
   * TooManyRows, DeadlineExceeded
   */
  async collectOf(storeId: number, id: string, origin: ChangeOrigin): Promise<CollectedData> {
    const email = await this.emailOf(storeId, id);
    return this.people.collect(storeId, email, MAX_ORDERS, origin, async (found, collected) => {
      const orders: PersonalRecord[] = [];
      // Data that arrives after the answer was sent has no reader.
      const deadline = Deadline.in(READ_ANSWER_MS);
      let length = 0;
      for await (const order of collected) {
        if (deadline.remainingMs === 0) throw new DeadlineExceeded();
        length += JSON.stringify(order).length;
        if (length > MAX_CHARACTERS)
          throw new TooManyRows('characters of order data', MAX_CHARACTERS, 'customers export');
        orders.push(order);
      }
      return { ...found, orders };
    });
  }

  /**
   * Erases what a store has about a person. A repeated erasure finds nothing to erase.
   * @throws NotFound when there is no such store.
   * @throws OrdersOpen when an order of the person is open, unless forced; nothing is erased.
   */
  async erase({ store, email, force }: EraseCustomerCommand, origin: ChangeOrigin): Promise<Erasure> {
    const owner = await this.stores.require(store);
    return this.eraseIn(owner.id, email, null, force, origin);
  }

  /**
   * Erases like `erase`, by the e-mail of the customer.
   * @throws NotFound, CustomerWithoutEmail, OrdersOpen, TooManyRows
   */
  async eraseOf(storeId: number, id: string, force: boolean, origin: ChangeOrigin): Promise<Erasure> {
    const most = { orders: MAX_ORDERS, records: MAX_RECORDS };
    return this.eraseIn(storeId, await this.emailOf(storeId, id), most, force, origin);
  }

  private async eraseIn(
    storeId: number,
    email: string,
    most: ErasureLimits | null,
    force: boolean,
    origin: ChangeOrigin,
  ): Promise<Erasure> {
    const erased = await this.people.erase(storeId, email, most, origin, (orders) => {
      const open = orders.filter(isOpen);
      if (open.length > 0 && !force) throw new OrdersOpen(open);
    });
    await this.feed.catchUp(storeId);
    return erased;
  }

  private async emailOf(storeId: number, id: string): Promise<string> {
    const { email } = await this.retrieve(storeId, id);
    if (email === '') throw new CustomerWithoutEmail();
    return email;
  }
}
