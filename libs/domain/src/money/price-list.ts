export const MAX_PRICE_LISTS = 1_000;
export const MAX_GROUPS_OF_LIST = 100;

/** A customer has its own list, and the lists of highest priority for its groups. */
export const MAX_LISTS_OF_CUSTOMER = 25;

/** Prices of a product or variant in a list: each begins at another quantity. */
export const MAX_PRICE_BREAKS = 20;

/** The most units of a product or variant in an order: 100 lines of 999. */
export const MAX_ORDERED_UNITS = 99_900;

/** From how many, and in which steps, units of a product or variant are sold. */
export interface QuantityRule {
  readonly minQuantity: number;
  /** Quantities are multiples of it. */
  readonly step: number;
}

/** A price of a product or variant in a list, in minor units. */
export interface PriceBreak {
  /** Counts the units of all lines of an order. */
  readonly fromQuantity: number;
  readonly price: number;
}

/**
 * The two parts of a rule go together: an absent or null one beside a number is 1.
 *
 * @returns null for a rule that is removed; undefined where both parts are absent.
 */
export function quantityRuleOf(
  minQuantity: number | null | undefined,
  step: number | null | undefined,
): QuantityRule | null | undefined {
  if (minQuantity === undefined && step === undefined) return undefined;
  if ((minQuantity ?? null) === null && (step ?? null) === null) return null;
  return { minQuantity: minQuantity ?? 1, step: step ?? 1 };
}
