import {
  AmbiguousSku,
  DomainError,
  quoteOf,
  type Currency,
  type OrderCustomer,
  type OrderLine,
  type PaymentMethod,
  type PostalAddress,
  type Quote,
} from '@app/domain';
import { Injectable } from '@nestjs/common';
import { ApplicationError, ChargesUnavailable } from '../errors.js';
import { CatalogPricing, type LineRequest, type PricedItems } from '../ports/catalog-pricing.js';
import { OrderCharges } from '../ports/order-charges.js';
import { SkuRepository, type ResolvedSku } from '../ports/sku.repository.js';

/** A SKU means what it means in a change of stock. */
interface SkuRequest {
  readonly sku: string;
  readonly quantity: number;
}

export type ItemRequest = LineRequest | SkuRequest;

export interface QuoteRequest {
  readonly items: readonly ItemRequest[];
  readonly customer: OrderCustomer;
  readonly address: PostalAddress;
  readonly paymentMethod: PaymentMethod;
}

interface QuoteCommand {
  readonly store: { readonly id: number; readonly currency: Currency };
  readonly request: QuoteRequest;
}

type FoundItem = LineRequest | Exclude<ResolvedSku, object>;

/** What an order costs. */
@Injectable()
export class OrderQuotes {
  constructor(
    private readonly skus: SkuRepository,
    private readonly pricing: CatalogPricing,
    private readonly charges: OrderCharges,
  ) {}

  /** Prices the items of a request. Those with a SKU are found first, by one statement more. @throws AmbiguousSku */
  async price({ store, request: { items } }: QuoteCommand): Promise<PricedItems> {
    if (items.every(hasIds)) return this.pricing.price(store.id, store.currency, items);
    const found = await this.find(store.id, items);
    const skuOf = (line: number) => skuOfItem(items[line]);
    const linesOf = (outcome: FoundItem) => found.flatMap((item, line) => (item === outcome ? [line] : []));

    const ambiguous = linesOf('ambiguous').map((line) => ({ line, sku: skuOf(line) }));
    if (ambiguous.length > 0) throw new AmbiguousSku(ambiguous);
    const known = found.flatMap((item, line) => (typeof item === 'object' ? [{ ...item, line }] : []));
    const { lines, unavailable } = await this.pricing.price(store.id, store.currency, known);
    const missing = [
      ...linesOf('unknown').map((line) => ({ line, what: 'sku', id: skuOf(line) }) as const),
      ...unavailable.map((item) => {
        const line = known[item.line]?.line ?? item.line;
        return skuOf(line) === '' ? { ...item, line } : ({ line, what: 'sku', id: skuOf(line) } as const);
      }),
    ];
    return { lines, unavailable: missing.sort((a, b) => a.line - b.line) };
  }

  /** @throws ChargesUnavailable, or the DomainError by which the charges refuse the order */
  async charge({ store, request }: QuoteCommand, lines: readonly OrderLine[]): Promise<Quote> {
    const { paymentMethod, customer, address } = request;
    const terms = { currency: store.currency, paymentMethod, lines };
    const uncharged = quoteOf(terms);
    if (lines.length === 0) return uncharged;
    try {
      const order = { ...terms, subtotal: uncharged.subtotal, customer, address };
      const { tax, isTaxIncluded, shipping, discount } = await this.charges.chargesOf(store.id, order);
      return quoteOf({ ...terms, charges: { tax, isTaxIncluded, shipping, discount } });
    } catch (error) {
      if (error instanceof DomainError || error instanceof ApplicationError) throw error;
      throw new ChargesUnavailable({ cause: error });
    }
  }

  private async find(storeId: number, items: readonly ItemRequest[]): Promise<FoundItem[]> {
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

function hasIds(item: ItemRequest): item is LineRequest {
  return 'productId' in item;
}

/** `''` for an item with ids. */
function skuOfItem(item: ItemRequest | undefined): string {
  return item && 'sku' in item ? item.sku : '';
}
