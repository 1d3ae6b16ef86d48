import { readUuid, type Currency, type StockItem } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { OrderQuotes } from '../orders/order-quotes.js';
import { CustomerRepository } from '../ports/customer.repository.js';
import { PriceBreaks, type CustomerPriceBreak } from '../ports/price-breaks.js';

export interface CustomerPrice {
  /** The price of one unit, in minor units of the store's currency. */
  readonly price: number;
  /** The price list; null for the catalog. */
  readonly priceSource: string | null;
  /** Sorted by quantity; the first is the price of one unit. */
  readonly breaks: readonly CustomerPriceBreak[];
}

/** What customers pay, as their orders do. */
@Injectable()
export class CustomerPrices {
  constructor(
    private readonly quotes: OrderQuotes,
    private readonly customers: CustomerRepository,
    private readonly lists: PriceBreaks,
  ) {}

  /**
   * In the order of the units; null for one that cannot be ordered. Null as a whole when the store has no such customer.
   *
   * @throws PricesUnavailable
   */
  async of(
    store: { readonly id: number; readonly currency: Currency },
    customer: string,
    units: readonly StockItem[],
  ): Promise<(CustomerPrice | null)[] | null> {
    const id = readUuid(customer);
    if (id === null || (await this.customers.findById(store.id, id)) === null) return null;
    if (units.length === 0) return [];
    const at = new Date();
    const [{ lines, unavailable }, breaks] = await Promise.all([
      this.quotes.priceUnitsFor(store, id, units, at),
      this.lists.find(store.id, id, units, at),
    ]);
    const isMissing = new Set(unavailable.map(({ line }) => line));
    const priced = lines.values();
    return units.map((_, index) => {
      const line = isMissing.has(index) ? undefined : priced.next().value;
      if (!line) return null;
      const { unitPrice, priceSource = null } = line;
      const one = { fromQuantity: 1, price: unitPrice.minor, priceSource };
      return { price: one.price, priceSource, breaks: withoutRepetitions([one, ...(breaks[index] ?? [])]) };
    });
  }
}

/** Without breaks that change nothing. */
function withoutRepetitions(breaks: readonly CustomerPriceBreak[]): CustomerPriceBreak[] {
  return breaks.filter(({ fromQuantity, price, priceSource }, index) => {
    const before = breaks[index - 1];
    return !before || (fromQuantity > 1 && (price !== before.price || priceSource !== before.priceSource));
  });
}
