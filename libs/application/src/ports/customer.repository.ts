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
  /** In how many days its new orders are to be paid; null = it has no terms. */
  readonly paymentTermsDays: number | null;
  readonly metadata: Metadata;
  readonly createdAt: Date;
  readonly lastLogin: Date | null;
}

/** A customer of a list, with what the filter includes. */
export interface ListedCustomer extends Omit<CustomerRecord, 'metadata'> {
  readonly updatedAt?: Date;
  readonly metadata?: Metadata;
}

export const CUSTOMER_INCLUDES = ['updated_at', 'metadata'] as const;

/** The status compares case-insensitively. */
export interface CustomerFilter extends CreatedFilter, UpdatedFilter {
  readonly status?: string;
  readonly ids?: readonly string[];
  /** The whole e-mail, in any letter case. */
  readonly email?: string;
  /** Literal text within the name or the e-mail, in any letter case. */
  readonly search?: string;
  /** Not a condition: what the rows have besides. */
  readonly include?: readonly (typeof CUSTOMER_INCLUDES)[number][];
}

export abstract class CustomerRepository {
  /** Newest first, unless the page has another order. */
  abstract list(storeId: number, filter: CustomerFilter, page: Page): Promise<PageOf<ListedCustomer>>;

  abstract findById(storeId: number, id: string): Promise<CustomerRecord | null>;

  /** Finds those that exist, in any order. They are as new as the primary has them. */
  abstract findByIds(storeId: number, ids: readonly string[]): Promise<CustomerRecord[]>;
}
