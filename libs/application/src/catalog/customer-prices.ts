import { readUuid, type StockItem } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { OrderQuotes, type QuoteStore } from '../orders/order-quotes.js';
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

type PriceOfOne = Omit<CustomerPrice, 'breaks'>;

/** Reads what a customer would pay in an order. */
@Injectable()
export class CustomerPrices {
  constructor(
    private readonly quotes: OrderQuotes,
    private readonly customers: CustomerRepository,
    private readonly lists: PriceBreaks,
  ) {}

  /**
   * Prices one unit of each. The answer is in the sequence of the units, with null for a unit that cannot be ordered. It is
   * null as a whole when the store has no such customer.
   * @throws PricesUnavailable
   */
  async of(store: QuoteStore, customer: string, units: readonly StockItem[]): Promise<(PriceOfOne | null)[] | null> {
    const id = await this.find(store, customer);
    return id === null ? null : this.priceOfOne(store, id, units, new Date());
  }

  /** Like {@link of}, with the prices by quantity, which take a look-up for each list and quantity. */
  async withBreaks(
    store: QuoteStore,
    customer: string,
    units: readonly StockItem[],
  ): Promise<(CustomerPrice | null)[] | null> {
    const id = await this.find(store, customer);
    if (id === null) return null;
    const at = new Date();
    const [prices, breaks] = await Promise.all([
      this.priceOfOne(store, id, units, at),
      units.length === 0 ? [] : this.lists.find(store.id, id, units, at),
    ]);
    return prices.map((found, index) => {
      if (!found) return null;
      const one = { fromQuantity: 1, ...found };
      return { ...found, breaks: withoutRepetitions([one, ...(breaks[index] ?? [])]) };
    });
  }

  private async find(store: QuoteStore, customer: string): Promise<string | null> {
    const id = readUuid(customer);
    return id !== null && (await this.customers.findById(store.id, id)) !== null ? id : null;
  }

  private async priceOfOne(
    store: QuoteStore,
    id: string,
    units: readonly StockItem[],
    at: Date,
  ): Promise<(PriceOfOne | null)[]> {
    if (units.length === 0) return [];
    const { lines, unavailable } = await this.quotes.priceUnitsFor(store, id, units, at);
    const isMissing = new Set(unavailable.map(({ line }) => line));
    const priced = lines.values();
    return units.map((_, index) => {
      const line = isMissing.has(index) ? undefined : priced.next().value;
      if (!line) return null;
      const { unitPrice, priceSource = null } = line;
      return { price: unitPrice.minor, priceSource };
    });
  }
}

/** Removes breaks that change neither the price nor its source. */
function withoutRepetitions(breaks: readonly CustomerPriceBreak[]): CustomerPriceBreak[] {
  return breaks.filter(({ fromQuantity, price, priceSource }, index) => {
    const before = breaks[index - 1];
    return !before || (fromQuantity > 1 && (price !== before.price || priceSource !== before.priceSource));
  });
}
