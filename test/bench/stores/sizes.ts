/** The number of rows in a store. */
export interface StoreSizes {
  readonly orders: number;
  readonly products: number;
  readonly customers: number;
  readonly brands: number;
  /** Not counting the large one, which has a fifth of all products. */
  readonly categories: number;
}

export const FULL: StoreSizes = { orders: 100_000, products: 10_000, customers: 50_000, brands: 50, categories: 200 };
export const QUICK: StoreSizes = { orders: 20_000, products: 2_000, customers: 10_000, brands: 50, categories: 200 };

/** A store of that fraction, with the same number of brands and categories. */
export function fraction(sizes: StoreSizes, divisor: number): StoreSizes {
  const part = (count: number) => Math.max(1, Math.floor(count / divisor));
  return {
    ...sizes,
    orders: part(sizes.orders),
    products: part(sizes.products),
    customers: part(sizes.customers),
  };
}
