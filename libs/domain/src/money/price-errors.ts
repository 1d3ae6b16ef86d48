import { refusedLines, rejected } from '../shared/domain-error.js';

export class PricesRefused extends refusedLines('prices_refused') {}

export const UnknownPriceList = rejected('unknown_price_list', (code: string) => `The store has no price list ${code}`);

/** A customer would get a price list that the store does not have. */
export class UnknownPriceListOfCustomer extends UnknownPriceList {}

export const TooManyPriceLists = rejected(
  'too_many_records',
  (most: number) => `A store can have at most ${most} price lists`,
);

/** Customers would pay other prices without notice. */
export const PriceListInUse = rejected(
  'price_list_in_use',
  (code: string) => `Customers use the price list ${code}: first assign them another one, or none`,
);
