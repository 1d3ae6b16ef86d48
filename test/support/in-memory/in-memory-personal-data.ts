import { ERASED_NAME, PersonalData, type Erasure, type PersonsOrder } from '@app/application';
import { isBlockedEmail } from '@app/domain';

export interface HeldCustomer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

export interface HeldPersonsOrder extends PersonsOrder {
  readonly email: string;
  readonly name: string;
  readonly customerId: string | null;
}

export interface HeldPeople {
  customers: HeldCustomer[];
  orders: HeldPersonsOrder[];
  blockedEmails: string[];
}

export class InMemoryPersonalData extends PersonalData {
  constructor(private readonly stores: ReadonlyMap<number, HeldPeople>) {
    super();
  }

  override async erase(
    storeId: number,
    email: string,
    check: (orders: readonly PersonsOrder[]) => void,
  ): Promise<Erasure> {
    await Promise.resolve();
    const store = this.stores.get(storeId) ?? { customers: [], orders: [], blockedEmails: [] };
    const isTheirs = (other: string) => other.trim().toLowerCase() === email.toLowerCase();
    const customers = store.customers.filter((customer) => isTheirs(customer.email));
    const orders = store.orders.filter(
      (order) => isTheirs(order.email) || customers.some(({ id }) => id === order.customerId),
    );
    check(orders);
    const emails = [email, ...customers.map((row) => row.email), ...orders.map((row) => row.email)];
    const blocked = store.blockedEmails.filter((entry) => isBlockedEmail(entry, emails));
    const erased = { name: ERASED_NAME, email: '' };
    store.customers = store.customers.map((row) => (customers.includes(row) ? { ...row, ...erased } : row));
    store.orders = store.orders.map((row) => (orders.includes(row) ? { ...row, ...erased } : row));
    store.blockedEmails = store.blockedEmails.filter((entry) => !blocked.includes(entry));
    return { customers: customers.length, orders: orders.length, blockedContacts: blocked.length };
  }
}
