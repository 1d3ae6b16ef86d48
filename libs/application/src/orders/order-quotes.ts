import {
  AmbiguousSku,
  assertCharges,
  DomainError,
  InvalidOrderItems,
  isStorable,
  MAX_UNIT_PRICE,
  Money,
  quoteOf,
  sameStock,
  subtotalOf,
  type BillingAddress,
  type ChargeableOrder,
  type Charges,
  type Currency,
  type GivenCharges,
  type LineQuantity,
  type OrderCustomer,
  type OrderLine,
  type OrderSource,
  type PaymentMethod,
  type PostalAddress,
  type Quote,
  type StockItem,
  UnknownCustomer,
} from '@app/domain';
import { Injectable } from '@nestjs/common';
import { ApplicationError, ChargesUnavailable, PricesUnavailable } from '../failures.js';
import { CatalogPricing, type LineRequest, type PricedItems, type PriceRequest } from '../ports/catalog-pricing.js';
import { CustomerRepository } from '../ports/customer.repository.js';
import { OrderCharges } from '../ports/order-charges.js';
import type { OrderRecord } from '../ports/order.repository.js';
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
  /** The account of the order; absent = that of the e-mail of the customer. */
  readonly customerId?: string;
  readonly address: PostalAddress;
  /** Null means that the billing address is the shipping address. */
  readonly billing: BillingAddress | null;
  readonly paymentMethod: PaymentMethod;
  /** The charges that the client gives, with those of the items. When absent, it gives none. */
  readonly given?: GivenCharges;
}

export interface QuoteStore {
  readonly id: number;
  readonly currency: Currency;
}

interface QuoteCommand {
  readonly store: QuoteStore;
  readonly request: QuoteRequest;
}

/** What prices depend on in addition to the items. */
type PricingContext = Omit<PriceRequest, 'storeId' | 'currency' | 'lines'>;

const GUEST = { id: null, email: '' };

interface LinesEdit {
  readonly add: readonly ItemRequest[];
  readonly set: readonly LineQuantity[];
  /** Whether the client may price the lines itself. */
  readonly mayGive?: boolean;
}

type EditedOrder = Pick<OrderRecord, 'customerId' | 'customer' | 'source' | 'lines'>;

type FoundItem = LineRequest | Exclude<ResolvedSku, object>;

/** Computes what an order costs. */
@Injectable()
export class OrderQuotes {
  constructor(
    private readonly skus: SkuRepository,
    private readonly pricing: CatalogPricing,
    private readonly charges: OrderCharges,
    private readonly customers: CustomerRepository,
  ) {}

  /**
   * Prices the items of a new order. One additional statement resolves SKUs first. Lines take the metadata, price and
   * charges of their items. An item with a given price is offered in every quantity.
   * @param at the time whose prices apply.
   * @throws AmbiguousSku, PricesUnavailable, UnknownCustomer
   */
  async price({ store, request }: QuoteCommand, at: Date): Promise<PricedItems> {
    const { items, customer, customerId = null } = request;
    const context: PricingContext = { customer: { id: customerId, email: customer.email }, channel: 'WEBSITE', at };
    const [priced] = await Promise.all([
      this.priceItems(store, items, context),
      customerId === null ? null : this.assertCustomer(store.id, customerId),
    ]);
    return priced;
  }

  /**
   * Prices the items that a change of lines adds, by the rules of {@link price}, and checks the units of the order whose
   * quantity it changes. A client with its own prices may change the quantity of a line to any.
   * @param orderOf finds the order; unused where nothing depends on it.
   * @throws AmbiguousSku, PricesUnavailable
   */
  async priceEdit(
    store: QuoteStore,
    { add, set, mayGive = false }: LinesEdit,
    orderOf: () => Promise<EditedOrder>,
  ): Promise<PricedItems> {
    const at = new Date();
    if ((mayGive || set.length === 0) && add.every(({ unitPrice }) => unitPrice)) {
      return this.priceItems(store, add, { customer: GUEST, channel: 'WEBSITE', at }, 'add');
    }
    const { customerId, customer, source, lines } = await orderOf();
    const quantities = new Map(set.map(({ line, quantity }) => [line, quantity]));
    const kept = lines.flatMap(({ line, productId, variantId, quantity: before, cancelledQuantity }) => {
      const quantity = (quantities.get(line) ?? before) - cancelledQuantity;
      return productId !== null && quantity > 0 ? [{ productId, variantId, quantity }] : [];
    });
    const resized = set.flatMap(({ line, quantity }, index) => {
      const { productId = null, variantId = null, quantity: before } = lines[line - 1] ?? {};
      return productId !== null && quantity !== before && !mayGive ? [{ productId, variantId, index }] : [];
    });
    const checked = kept.filter((unit, index) => {
      const isFirst = kept.findIndex((other) => sameStock(other, unit)) === index;
      return isFirst && resized.some((line) => sameStock(line, unit));
    });
    const otherLines = kept.filter((unit) => !checked.includes(unit));
    const ordering = { id: customerId, email: customer.email };
    const context = { customer: ordering, channel: source as OrderSource, otherLines, at };
    const priced = await this.priceItems(store, [...add, ...checked], context, 'add');
    const unavailable = priced.unavailable.filter(({ line }) => line < add.length);
    return {
      lines: priced.lines.slice(0, add.length - unavailable.length),
      unavailable,
      notOffered: priced.notOffered?.flatMap((item) => {
        const unit = checked[item.line - add.length];
        const changes = resized.filter((line) => unit && sameStock(line, unit));
        return unit ? changes.map(({ index }) => ({ ...item, list: 'set' as const, line: index })) : [item];
      }),
    };
  }

  /** Prices one unit of each for a customer. @throws PricesUnavailable */
  priceUnitsFor(store: QuoteStore, customerId: string, units: readonly StockItem[], at: Date): Promise<PricedItems> {
    const lines = units.map(({ productId, variantId }) => ({ productId, variantId, quantity: 1 }));
    return this.priceByIds(store, lines, { customer: { id: customerId, email: '' }, channel: 'WEBSITE', at });
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

  private async assertCustomer(storeId: number, id: string): Promise<void> {
    // @protects known-customer
    if ((await this.customers.findById(storeId, id)) === null) throw new UnknownCustomer();
  }

  /** @param list the list of a change of lines; absent for a new order. */
  private async priceItems(
    store: QuoteStore,
    items: readonly ItemRequest[],
    context: PricingContext,
    list?: 'add',
  ): Promise<PricedItems> {
    const isGiven = items.every(({ unitPrice }) => unitPrice);
    const priced = await this.priceUnits(store, items, isGiven ? { ...context, customer: GUEST } : context, list);
    const { lines, unavailable, notOffered = [] } = priced;
    const isMissing = new Set(unavailable.map(({ line }) => line));
    const available = items.filter((_, line) => !isMissing.has(line));
    return {
      lines: lines.map((line, index) => asGiven(line, available[index])),
      unavailable,
      notOffered: notOffered.flatMap((item) =>
        items[item.line]?.unitPrice ? [] : [{ ...item, ...(list && { list }) }],
      ),
    };
  }

  private async priceUnits(
    store: QuoteStore,
    items: readonly UnitsRequest[],
    context: PricingContext,
    list?: 'add',
  ): Promise<PricedItems> {
    if (items.every(hasIds)) return this.priceByIds(store, items, context);
    const found = await this.find(store.id, items);
    const skuOf = (line: number) => skuOfItem(items[line]);
    const linesOf = (outcome: FoundItem) => found.flatMap((item, line) => (item === outcome ? [line] : []));

    const ambiguous = linesOf('ambiguous').map((line) => ({ line, sku: skuOf(line), ...(list && { list }) }));
    if (ambiguous.length > 0) throw new AmbiguousSku(ambiguous);
    const known = found.flatMap((item, line) => (typeof item === 'object' ? [{ ...item, line }] : []));
    const { lines, unavailable, notOffered = [] } = await this.priceByIds(store, known, context);
    const lineOf = (line: number) => known[line]?.line ?? line;
    const missing = [
      ...linesOf('unknown').map((line) => ({ line, what: 'sku', id: skuOf(line) }) as const),
      ...unavailable.map((item) => {
        const line = lineOf(item.line);
        return skuOf(line) === '' ? { ...item, line } : ({ line, what: 'sku', id: skuOf(line) } as const);
      }),
    ];
    return {
      lines,
      unavailable: missing.sort((a, b) => a.line - b.line),
      notOffered: notOffered.map((item) => ({ ...item, line: lineOf(item.line) })),
    };
  }

  private async priceByIds(
    { id, currency }: QuoteStore,
    items: readonly LineRequest[],
    context: PricingContext,
  ): Promise<PricedItems> {
    try {
      const priced = await this.pricing.price({ storeId: id, currency, lines: items, ...context });
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
    const texts = [line.sku, line.name, line.priceSource ?? '', ...Object.entries(line.attributes).flat()];
    if (!texts.every(isText) || line.metadata !== undefined) {
      throw new RangeError(`Line ${index} has no valid SKU, name, source of its price or attributes, or has metadata`);
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

function asGiven({ priceSource, ...line }: OrderLine, item?: ItemRequest): OrderLine {
  const { metadata, unitPrice, tax, discount } = item ?? {};
  return {
    ...line,
    ...(unitPrice
      ? { unitPrice, total: unitPrice.times(line.quantity) }
      : priceSource !== undefined && { priceSource }),
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
