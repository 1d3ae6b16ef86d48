import type { Currency, OrderLine } from '@app/domain';

export interface LineRequest {
  readonly productId: number;
  readonly variantId: number | null;
  readonly quantity: number;
}

/** The live catalog as the price authority for new orders. */
export abstract class CatalogPricing {
  /**
   * Prices every line at this moment, in request order, all from one snapshot.
   *
   * @throws InvalidOrderItems naming every line whose product is unknown to the store or inactive, or whose variant
   *   is inactive or does not belong to its product. The three are worded alike. `unavailable` has them in the order of
   *   the lines.
   */
  abstract price(storeId: number, currency: Currency, lines: readonly LineRequest[]): Promise<OrderLine[]>;
}
