import {
  CatalogPricing,
  Unavailable,
  type PricedCustomer,
  type PricedItems,
  type PriceRequest,
} from 'store-commerce/application';
import { Money, orderLineOf } from 'store-commerce/domain';

/** Prices by SKU in major units, such as `19.90`, from any source. */
export interface PriceList {
  /** @param customer whom the order is for: an id, an e-mail, both or, for a guest, neither. */
  pricesOf(storeId: number, skus: readonly string[], customer: PricedCustomer): Promise<ReadonlyMap<string, string>>;
}

/**
 * The catalog decides which products are sold and in which quantities, another system (an ERP) their prices, by customer. A product
 * without a price there keeps that of the store's price lists or its catalog. When the other system fails, the order is refused with
 * 503 and can be repeated: a wrong price is worse than a late order.
 */
export class PriceListPricing extends CatalogPricing {
  constructor(
    private readonly catalog: CatalogPricing,
    private readonly prices: PriceList,
  ) {
    super();
  }

  override async price(request: PriceRequest): Promise<PricedItems> {
    const { storeId, currency, customer } = request;
    const priced = await this.catalog.price(request);
    const skus = priced.lines.map(({ sku }) => sku);
    const prices = await this.prices.pricesOf(storeId, skus, customer).catch((cause: unknown) => {
      throw new Unavailable({ cause });
    });
    const lines = priced.lines.map((line) => {
      const price = prices.get(line.sku);
      if (price === undefined) return line;
      return orderLineOf({ ...line, unitPrice: Money.parse(price, currency), priceSource: 'ERP' });
    });
    return { ...priced, lines };
  }
}
