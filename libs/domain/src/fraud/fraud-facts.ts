import type { PostalAddress } from '../shared/postal-address.js';

/**
 * How many orders each contact may place, from 1 to {@link MAX_ORDERS_PER_HOUR}; more are reviewed. `null` means no
 * limit.
 */
export interface OrdersPerHour {
  readonly email: number | null;
  readonly phone: number | null;
  readonly address: number | null;
}

export interface FraudSettings {
  readonly blockedEmails: readonly string[];
  readonly blockedPhones: readonly string[];
  /** Orders with this total or more, in minor units, are reviewed; `null` means no limit. */
  readonly reviewAmount: number | null;
  readonly ordersPerHour: OrdersPerHour;
}

/** The highest limit that a store can set. Counting stops there. */
export const MAX_ORDERS_PER_HOUR = 1_000;

/**
 * The settings of a store that configures none. A business customer who orders ten times an hour fires no rule: half of
 * a limit is a weak sign. Many people share the address of an office, a dormitory or a pick-up point.
 */
export const DEFAULT_FRAUD_SETTINGS: FraudSettings = {
  blockedEmails: [],
  blockedPhones: [],
  reviewAmount: null,
  ordersPerHour: { email: 30, phone: 30, address: 60 },
};

export interface OrderContact {
  /** `''` when the customer gave none; the same holds for phone and address. */
  readonly email: string;
  readonly phone: string;
  readonly address: PostalAddress;
}

export type ContactPart = keyof OrderContact;

interface ScreenedItem {
  /** `null` when the product has been deleted since: an order under review is screened again later. */
  readonly productId: number | null;
  /** `null` for a product without variants, and when it has been deleted since. */
  readonly variantId: number | null;
  readonly quantity: number;
}

export interface OrderSize {
  /** Minor units. */
  readonly total: number;
  readonly items: readonly ScreenedItem[];
}

export interface FraudSignals extends OrderContact, OrderSize {}

export interface FraudFacts {
  /** Earlier website orders of the last hour. Exact below the store's limit; the limit itself means "at least". */
  readonly ordersByEmail: number;
  readonly ordersByPhone: number;
  readonly ordersByAddress: number;
  readonly disposableEmail: boolean;
}
