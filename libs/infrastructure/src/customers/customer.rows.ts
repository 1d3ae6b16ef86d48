import type { CustomerRecord, ListedCustomer } from '@app/application';
import { wholeAccountAddress, wholeContact, type AccountAddress, type CustomerContact } from '@app/domain';

/** Fields without a value are absent. */
interface StoredParts {
  readonly addresses: readonly Partial<AccountAddress>[];
  readonly contacts: readonly Partial<CustomerContact>[];
}

/** A row with the columns of a customer. */
export type CustomerRow = Omit<CustomerRecord, keyof StoredParts> & StoredParts;
export type ListedCustomerRow = Omit<ListedCustomer, keyof StoredParts> & Partial<StoredParts>;

export function toCustomerRecord(row: CustomerRow): CustomerRecord {
  return Object.assign(row, {
    addresses: row.addresses.map(wholeAccountAddress),
    contacts: row.contacts.map(wholeContact),
  });
}

export function toListedCustomer(row: ListedCustomerRow): ListedCustomer {
  return Object.assign(row, {
    ...(row.addresses && { addresses: row.addresses.map(wholeAccountAddress) }),
    ...(row.contacts && { contacts: row.contacts.map(wholeContact) }),
  });
}
