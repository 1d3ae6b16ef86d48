import type { CustomerAccount } from '@app/domain';
import type { CreatedFilter, Page, PageOf, UpdatedFilter } from './page.js';

/** A customer without secrets: it never contains a password hash, a token or a national id. */
export interface CustomerRecord extends CustomerAccount {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly status: string;
  readonly emailVerified: boolean;
  readonly loyaltyPoints: number;
  readonly totalSpent: number;
  readonly tags: readonly string[];
  readonly city: string;
  readonly createdAt: Date;
  readonly lastLogin: Date | null;
}

/** A customer in a list, with the fields that the filter includes. */
export interface ListedCustomer extends Omit<CustomerRecord, LargePart>, Partial<Pick<CustomerRecord, LargePart>> {
  readonly updatedAt?: Date;
}

type LargePart = 'addresses' | 'contacts' | 'metadata';

export const CUSTOMER_INCLUDES = ['updated_at', 'addresses', 'contacts', 'metadata'] as const;

/** The status compares case-insensitively. */
export interface CustomerFilter extends CreatedFilter, UpdatedFilter {
  readonly status?: string;
  readonly ids?: readonly string[];
  /** Matches the whole e-mail, in any letter case. */
  readonly email?: string;
  /** Matches a group of the customer. */
  readonly group?: string;
  /** The code of the customer's price list. */
  readonly priceList?: string;
  /** The whole VAT id, in any letter case. */
  readonly vatId?: string;
  /** Literal text within the name, the e-mail, the company, the VAT id or the e-mail of a contact, in any letter case. */
  readonly search?: string;
  /** Adds fields to the rows; it filters nothing. */
  readonly include?: readonly (typeof CUSTOMER_INCLUDES)[number][];
}

export abstract class CustomerRepository {
  /** Lists the newest first, unless the page has another sort. */
  abstract list(storeId: number, filter: CustomerFilter, page: Page): Promise<PageOf<ListedCustomer>>;

  /**
   * Changes a customer by what the function makes of it, in one transaction. The function may run several times.
   *
   * @returns the changed customer; null when there is none.
   * @throws UnknownPriceListOfCustomer, and what the function throws.
   */
  abstract change(
    storeId: number,
    id: string,
    change: (account: CustomerAccount) => CustomerAccount,
  ): Promise<CustomerRecord | null>;

  abstract findById(storeId: number, id: string): Promise<CustomerRecord | null>;

  /** Finds the existing customers among the ids, in any order. It reads the primary. */
  abstract findByIds(storeId: number, ids: readonly string[]): Promise<CustomerRecord[]>;
}
