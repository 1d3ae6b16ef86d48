import type { Metadata } from '@app/domain';
import type { CreatedFilter, Page, PageOf, UpdatedFilter } from './page.js';

/** A customer without secrets: it never contains a password hash, a token or a national id. */
export interface CustomerRecord {
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
  /** The payment terms of new orders in days; null when the customer has no terms. */
  readonly paymentTermsDays: number | null;
  readonly metadata: Metadata;
  readonly createdAt: Date;
  readonly lastLogin: Date | null;
}

/** A customer in a list, with the fields that the filter includes. */
export interface ListedCustomer extends Omit<CustomerRecord, 'metadata'> {
  readonly updatedAt?: Date;
  readonly metadata?: Metadata;
}

export const CUSTOMER_INCLUDES = ['updated_at', 'metadata'] as const;

/** The status compares case-insensitively. */
export interface CustomerFilter extends CreatedFilter, UpdatedFilter {
  readonly status?: string;
  readonly ids?: readonly string[];
  /** Matches the whole e-mail, in any letter case. */
  readonly email?: string;
  /** Matches as literal text within the name or the e-mail, in any letter case. */
  readonly search?: string;
  /** Adds fields to the rows; it filters nothing. */
  readonly include?: readonly (typeof CUSTOMER_INCLUDES)[number][];
}

export abstract class CustomerRepository {
  /** Lists the newest first, unless the page has another sort. */
  abstract list(storeId: number, filter: CustomerFilter, page: Page): Promise<PageOf<ListedCustomer>>;

  abstract findById(storeId: number, id: string): Promise<CustomerRecord | null>;

  /** Finds the existing customers among the ids, in any order. It reads the primary. */
  abstract findByIds(storeId: number, ids: readonly string[]): Promise<CustomerRecord[]>;
}
