import type { PostalAddress } from '../orders/order.js';

/**
 * Orders of one contact within an hour, from 1 to {@link MOST_ORDERS_PER_HOUR}: those beyond are reviewed; `null` = never.
 */
export interface OrdersPerHour {
  readonly email: number | null;
  readonly phone: number | null;
  readonly address: number | null;
}

/** A store's own rules. */
export interface FraudSettings {
  readonly blockedEmails: readonly string[];
  readonly blockedPhones: readonly string[];
  /** Orders of this total or more, in minor units, are reviewed; `null` = never. */
  readonly reviewAmount: number | null;
  readonly ordersPerHour: OrdersPerHour;
}

/** The largest setting: counting stops there. */
export const MOST_ORDERS_PER_HOUR = 1_000;

/**
 * The rules of a store that sets none. A business customer who orders ten times an hour shows no sign at all (half of a
 * limit is a weak one). An office, a dormitory or a pick-up point is one address for many people.
 */
export const DEFAULT_FRAUD_SETTINGS: FraudSettings = {
  blockedEmails: [],
  blockedPhones: [],
  reviewAmount: null,
  ordersPerHour: { email: 30, phone: 30, address: 60 },
};

/** What an order says of itself when it is screened. */
export interface FraudSignals {
  /** `''` where nothing was stated, as in phone and address. */
  readonly email: string;
  readonly phone: string;
  readonly address: PostalAddress;
  /** In minor units. */
  readonly total: number;
  /** Units of each line, in request order. */
  readonly quantities: readonly number[];
}

/** What is usual among a store's recent orders. */
export interface OrderBaseline {
  /** How many orders this is known from. */
  readonly orders: number;
  /** The total, in minor units, that 95 % of them do not exceed. */
  readonly highTotal: number;
  /** The most units any of them had. */
  readonly mostUnits: number;
  /** The most units any single line of them had. */
  readonly mostUnitsOfLine: number;
}

/** What the store's data, and public lists, say about an order. */
export interface FraudFacts {
  /** Earlier website orders of the store in the last hour; exact up to the store's limit, which means that or more. */
  readonly ordersByEmail: number;
  readonly ordersByPhone: number;
  readonly ordersByAddress: number;
  /** Whether the e-mail is of a provider of throw-away addresses. */
  readonly disposableEmail: boolean;
  readonly baseline: OrderBaseline;
}

/** Of a store that has sold nothing yet. */
export const NO_BASELINE: OrderBaseline = { orders: 0, highTotal: 0, mostUnits: 0, mostUnitsOfLine: 0 };

/** Of an order that nothing is known about. */
export const NO_FACTS: FraudFacts = {
  ordersByEmail: 0,
  ordersByPhone: 0,
  ordersByAddress: 0,
  disposableEmail: false,
  baseline: NO_BASELINE,
};
