import type { OrderState } from '@app/domain';

export interface PersonsOrder extends OrderState {
  readonly receiptNumber: string;
}

/** A row with the fields that a line of a store bundle has, except kind and store. */
export type PersonalRecord = Readonly<Record<string, unknown>>;

/** What a store knows of a person, as of one moment. */
export interface PersonalRecords {
  readonly takenAt: Date;
  readonly customer: PersonalRecord | null;
  /** Names of the stored secrets of the customer, which are never shown. */
  readonly secrets: readonly string[];
  /** Whether the e-mail is on the store's block list. */
  readonly blocked: boolean;
  readonly orders: readonly PersonalRecord[];
}

/** The number of rows that an erasure has changed. All are 0 when the store holds nothing of the person. */
export interface Erasure {
  readonly customers: number;
  readonly orders: number;
  /** Entries of the store's block lists. */
  readonly blockedContacts: number;
}

/** The name that replaces that of a person. Other personal texts become empty. */
export const ERASED_NAME = 'Erased';

/**
 * The personal data of a store. A person is an e-mail, in any letter case and without surrounding blanks: the customer
 * who has it, the orders that have it and the orders that are linked to the customer.
 */
export abstract class PersonalData {
  /** Returns the customer, the orders and what else the store has of the person. It has no secrets and no limit. */
  abstract collect(storeId: number, email: string): Promise<PersonalRecords>;

  /**
   * Replaces name, e-mail, phone, city, addresses, notes and tags of the person, deletes the secrets and the
   * idempotency keys, and removes the e-mails and phones of these from the store's block lists, in one transaction.
   * Ids, statuses, amounts, lines, dates of creation and stock stay. `updated_at` of each changed order becomes the
   * current time.
   *
   * @param check receives the person's orders, oldest id first, while they are locked; throws to refuse.
   * @throws the error that `check` throws; nothing is written.
   */
  abstract erase(storeId: number, email: string, check: (orders: readonly PersonsOrder[]) => void): Promise<Erasure>;
}
