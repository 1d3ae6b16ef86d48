import type { FeeState, OrderState } from '@app/domain';
import type { ChangeOrigin } from './audit-log.js';

export interface PersonsOrder extends OrderState, FeeState {
  readonly receiptNumber: string;
}

/** The fields of a line of a store bundle, except kind and store. */
export type PersonalRecord = Readonly<Record<string, unknown>>;

export interface PersonalRecords {
  readonly takenAt: Date;
  readonly customer: PersonalRecord | null;
  /** The contacts with the e-mail, each with the id and the company of its customer. */
  readonly contacts: readonly PersonalRecord[];
  /** The names of the stored secrets, whose values are never shown. */
  readonly secrets: readonly string[];
  readonly blocked: boolean;
  /** The row of `people` if the person may sign in to the store. */
  readonly member: PersonalRecord | null;
  readonly orderCount: number;
}

/** @param orders all from one snapshot, by ascending id, read one at a time. */
export type PersonalDataReader<T> = (found: PersonalRecords, orders: AsyncIterable<PersonalRecord>) => Promise<T>;

/** Numbers of changed rows: all are 0 when the store has no data about the person. */
export interface Erasure {
  readonly customers: number;
  /** Customers that had the person as a contact. */
  readonly contacts: number;
  readonly orders: number;
  /** Entries that were removed from the store's block lists. */
  readonly blockedContacts: number;
  /** Whether the person may sign in to the store. Such a membership stays. */
  readonly isMember: boolean;
}

/** The most that a request may erase. */
export interface ErasureLimits {
  readonly orders: number;
  /** Lines, shipments, payments, events and idempotency keys of the orders; a shipment counts as ten. */
  readonly records: number;
}

/** Replaces the name of a person; other personal texts become empty. */
export const ERASED_NAME = 'Erased';

/**
 * A person is an e-mail, in any letter case and without surrounding blanks: the customer who has it, the contacts that have
 * it, the orders that have it and the orders that are linked to the customer.
 */
export abstract class PersonalData {
  /**
   * Collects the data from one snapshot, which is held until the reader ends.
   * @param most the maximum number of orders; null means no limit. @throws TooManyRows
   */
  abstract collect<T>(
    storeId: number,
    email: string,
    most: number | null,
    origin: ChangeOrigin,
    read: PersonalDataReader<T>,
  ): Promise<T>;

  /**
   * Replaces name, e-mail, phone, city, company, addresses, contacts, notes and tags of the person, removes the person from
   * the contacts of companies, deletes the secrets and the idempotency keys, and removes the e-mails and phones from the store's block lists, in one transaction. Everything
   * else stays, except `updated_at` of each changed order.
   * @param most null means no limit. @param check receives the person's orders, oldest id first, while they are locked;
   * throws to refuse.
   * @throws TooManyRows
   */
  abstract erase(
    storeId: number,
    email: string,
    most: ErasureLimits | null,
    origin: ChangeOrigin,
    check: (orders: readonly PersonsOrder[]) => void,
  ): Promise<Erasure>;
}
