import { CatalogPricing, Unavailable, type LineRequest, type PricedItems } from 'store-commerce/application';
import { Money, orderLineOf, type Currency } from 'store-commerce/domain';

/** Prices by SKU in major units, such as `19.90`, from any source. */
export interface PriceList {
  pricesOf(storeId: number, skus: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/**
 * The catalog decides which products are sold, another system (an ERP) their prices. A product without a price there
 * keeps its catalog price. When the other system fails, the order is refused with 503 and can be repeated: a wrong
 * price is worse than a late order.
 */
export class PriceListPricing extends CatalogPricing {
  constructor(
    private readonly catalog: CatalogPricing,
    private readonly prices: PriceList,
  ) {
    super();
  }

  override async price(storeId: number, currency: Currency, lines: readonly LineRequest[]): Promise<PricedItems> {
    const { lines: priced, unavailable } = await this.catalog.price(storeId, currency, lines);
    const skus = priced.map(({ sku }) => sku);
    const prices = await this.prices.pricesOf(storeId, skus).catch((cause: unknown) => {
      throw new Unavailable({ cause });
    });
    const repriced = priced.map((line) => {
      const price = prices.get(line.sku);
      return price === undefined ? line : orderLineOf({ ...line, unitPrice: Money.parse(price, currency) });
    });
    return { lines: repriced, unavailable };
  }
}
