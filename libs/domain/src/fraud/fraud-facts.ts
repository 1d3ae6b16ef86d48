import type { PostalAddress } from '../orders/order.js';

/**
 * Orders per hour that each contact may place, from 1 to {@link MOST_ORDERS_PER_HOUR}; later ones are reviewed. `null`
 * means no limit.
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
export const MOST_ORDERS_PER_HOUR = 1_000;

/**
 * The settings of a store that configures none. A business customer who orders ten times an hour fires no rule: half of
 * a limit is a weak sign. The limit per address is higher because many people share an office, a dormitory or a pick-up
 * point.
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

export interface ScreenedItem {
  /** `null` when the product has been deleted since: an order under review is screened again later. */
  readonly productId: number | null;
  /** `null` for a product without variants, and as above. */
  readonly variantId: number | null;
  readonly quantity: number;
}

/** The size of an order, known once it is priced. */
export interface OrderSize {
  /** In minor units. */
  readonly total: number;
  readonly items: readonly ScreenedItem[];
}

export interface FraudSignals extends OrderContact, OrderSize {}

/** Facts about an order from the store's own data and from public lists. */
export interface FraudFacts {
  /**
   * Earlier website orders of the store in the last hour. Exact below the store's limit; the limit itself means "at
   * least".
   */
  readonly ordersByEmail: number;
  readonly ordersByPhone: number;
  readonly ordersByAddress: number;
  readonly disposableEmail: boolean;
}

export const NO_FACTS: FraudFacts = {
  ordersByEmail: 0,
  ordersByPhone: 0,
  ordersByAddress: 0,
  disposableEmail: false,
};
