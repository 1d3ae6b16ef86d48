import {
  AmbiguousSku,
  assertCharges,
  DomainError,
  InvalidOrderItems,
  isStorable,
  MAX_UNIT_PRICE,
  Money,
  quoteOf,
  subtotalOf,
  type BillingAddress,
  type ChargeableOrder,
  type Charges,
  type Currency,
  type GivenCharges,
  type OrderCustomer,
  type OrderLine,
  type PaymentMethod,
  type PostalAddress,
  type Quote,
} from '@app/domain';
import { Injectable } from '@nestjs/common';
import { ApplicationError, ChargesUnavailable, PricesUnavailable } from '../errors.js';
import { CatalogPricing, type LineRequest, type PricedItems } from '../ports/catalog-pricing.js';
import { OrderCharges } from '../ports/order-charges.js';
import { SkuRepository, type ResolvedSku } from '../ports/sku.repository.js';

/** A SKU selects the same unit as in a stock change. */
interface SkuRequest {
  readonly sku: string;
  readonly quantity: number;
}

type UnitsRequest = LineRequest | SkuRequest;

/** A client that prices its orders itself sends the unit price, taxes and discount. */
export type ItemRequest = UnitsRequest & Partial<Pick<OrderLine, 'metadata' | 'unitPrice' | 'tax' | 'discount'>>;

export interface QuoteRequest {
  readonly items: readonly ItemRequest[];
  readonly customer: OrderCustomer;
  readonly address: PostalAddress;
  /** Null means that the billing address is the shipping address. */
  readonly billing: BillingAddress | null;
  readonly paymentMethod: PaymentMethod;
  /** The charges that the client gives, with those of the items. When absent, it gives none. */
  readonly given?: GivenCharges;
}

interface QuoteStore {
  readonly id: number;
  readonly currency: Currency;
}

interface QuoteCommand {
  readonly store: QuoteStore;
  readonly request: QuoteRequest;
}

type FoundItem = LineRequest | Exclude<ResolvedSku, object>;

/** Computes what an order costs. */
@Injectable()
export class OrderQuotes {
  constructor(
    private readonly skus: SkuRepository,
    private readonly pricing: CatalogPricing,
    private readonly charges: OrderCharges,
  ) {}

  /**
   * Prices the items of a request. One additional statement resolves SKUs first. Lines take the metadata, price and
   * charges of their items, unless an item is unavailable.
   * @param list the list of a change of lines; absent for a new order.
   * @throws AmbiguousSku, PricesUnavailable
   */
  async price(
    { store, request: { items } }: { readonly store: QuoteStore; readonly request: Pick<QuoteRequest, 'items'> },
    list?: 'add',
  ): Promise<PricedItems> {
    const priced = await this.priceUnits(store, items, list);
    if (priced.unavailable.length > 0) return priced;
    return { ...priced, lines: priced.lines.map((line, index) => asGiven(line, items[index])) };
  }

  /** @throws InvalidOrderItems, ChargesUnavailable, or the DomainError with which the charges refuse the order */
  async charge({ store, request }: QuoteCommand, lines: readonly OrderLine[]): Promise<Quote> {
    const { paymentMethod, customer, address, billing, given } = request;
    const terms = { currency: store.currency, paymentMethod, lines };
    if (lines.length === 0) return quoteOf(terms);
    if (given) return quoteAsGiven({ ...terms, given });
    const whom = { customer, address, billing: billing ?? { name: '', ...address } };
    return this.charged(store.id, { ...terms, subtotal: subtotalOf(lines, store.currency), ...whom }, (charges) =>
      quoteOf({ ...terms, charges }),
    );
  }

  /** @throws ChargesUnavailable, or the DomainError with which the charges refuse the order */
  chargesOf(storeId: number, order: ChargeableOrder): Promise<Charges> {
    return this.charged(storeId, order, (charges) => charges);
  }

  private async charged<T>(storeId: number, order: ChargeableOrder, then: (charges: Charges) => T): Promise<T> {
    try {
      const charges = await this.charges.chargesOf(storeId, order);
      assertCharges(charges, order.lines);
      return then(charges);
    } catch (error) {
      if (error instanceof DomainError || error instanceof ApplicationError) throw error;
      throw new ChargesUnavailable({ cause: error });
    }
  }

  private async priceUnits(store: QuoteStore, items: readonly UnitsRequest[], list?: 'add'): Promise<PricedItems> {
    if (items.every(hasIds)) return this.priceByIds(store, items);
    const found = await this.find(store.id, items);
    const skuOf = (line: number) => skuOfItem(items[line]);
    const linesOf = (outcome: FoundItem) => found.flatMap((item, line) => (item === outcome ? [line] : []));

    const ambiguous = linesOf('ambiguous').map((line) => ({ line, sku: skuOf(line), ...(list && { list }) }));
    if (ambiguous.length > 0) throw new AmbiguousSku(ambiguous);
    const known = found.flatMap((item, line) => (typeof item === 'object' ? [{ ...item, line }] : []));
    const { lines, unavailable } = await this.priceByIds(store, known);
    const missing = [
      ...linesOf('unknown').map((line) => ({ line, what: 'sku', id: skuOf(line) }) as const),
      ...unavailable.map((item) => {
        const line = known[item.line]?.line ?? item.line;
        return skuOf(line) === '' ? { ...item, line } : ({ line, what: 'sku', id: skuOf(line) } as const);
      }),
    ];
    return { lines, unavailable: missing.sort((a, b) => a.line - b.line) };
  }

  private async priceByIds({ id, currency }: QuoteStore, items: readonly LineRequest[]): Promise<PricedItems> {
    try {
      const priced = await this.pricing.price(id, currency, items);
      assertPriced(priced, items, currency);
      return priced;
    } catch (error) {
      if (error instanceof DomainError || error instanceof ApplicationError) throw error;
      throw new PricesUnavailable({ cause: error });
    }
  }

  private async find(storeId: number, items: readonly UnitsRequest[]): Promise<FoundItem[]> {
    const skus = [...new Set(items.map(skuOfItem).filter((sku) => sku !== ''))];
    const resolved = await this.skus.resolve(storeId, skus);
    const bySku = new Map(skus.map((sku, index) => [sku, resolved[index]]));
    return items.map((item) => {
      if (hasIds(item)) return item;
      const unit = bySku.get(item.sku) ?? 'unknown';
      return typeof unit === 'object' ? { ...unit, quantity: item.quantity } : unit;
    });
  }
}

/** @throws RangeError unless the lines are the requested ones and an order can store each of them. */
function assertPriced({ lines, unavailable }: PricedItems, items: readonly LineRequest[], currency: Currency): void {
  const isMissing = new Set(unavailable.map(({ line }) => line));
  const asked = items.filter((_, line) => !isMissing.has(line));
  if (lines.length !== asked.length || isMissing.size > items.length - asked.length) {
    throw new RangeError(`${lines.length} lines have a price, ${asked.length} need one`);
  }
  for (const [index, item] of asked.entries()) {
    const line = lines[index] as OrderLine;
    if (!isOf(item, line)) throw new RangeError(`Line ${index} is not of the product, variant and quantity asked for`);
    const texts = [line.sku, line.name, ...Object.entries(line.attributes).flat()];
    if (!texts.every(isText) || line.metadata !== undefined) {
      throw new RangeError(`Line ${index} has no valid SKU, name or attributes, or has metadata`);
    }
    if (!isPrice(line, currency)) throw new RangeError(`Line ${index} has no valid price or total in ${currency}`);
  }
}

function isOf({ productId, variantId, quantity }: LineRequest, line: OrderLine): boolean {
  return line.productId === productId && line.variantId === variantId && line.quantity === quantity;
}

function isPrice({ unitPrice, total, quantity }: OrderLine, currency: Currency): boolean {
  const isMoney = [unitPrice, total].every((price) => price instanceof Money && price.currency === currency);
  return isMoney && unitPrice.minor <= MAX_UNIT_PRICE && total.minor === unitPrice.minor * quantity;
}

/** The code of an extension may be untyped, so its texts are checked at run time. */
function isText(text: unknown): boolean {
  return typeof text === 'string' && isStorable(text);
}

function asGiven(line: OrderLine, item?: ItemRequest): OrderLine {
  const { metadata, unitPrice, tax, discount } = item ?? {};
  return {
    ...line,
    ...(unitPrice && { unitPrice, total: unitPrice.times(line.quantity) }),
    ...(metadata && { metadata }),
    ...(tax && { tax }),
    ...(discount !== undefined && { discount }),
  };
}

/** @throws InvalidOrderItems for invalid charges */
function quoteAsGiven({
  given,
  ...terms
}: Omit<Quote, 'charges' | 'subtotal' | 'total'> & { given: GivenCharges }): Quote {
  const lines = terms.lines.map(({ tax = [], discount = 0 }) => ({ tax, discount }));
  try {
    return quoteOf({ ...terms, charges: { ...given, lines } });
  } catch (error) {
    throw error instanceof RangeError ? new InvalidOrderItems(error.message) : error;
  }
}

function hasIds(item: UnitsRequest): item is LineRequest {
  return 'productId' in item;
}

/** Returns `''` for an item that is named by ids. */
function skuOfItem(item: UnitsRequest | undefined): string {
  return item && 'sku' in item ? item.sku : '';
}
