import type { Money } from '../money/money.js';
import { InvalidOrderItems } from '../errors.js';

export const MAX_QUANTITY = 999;

/** A variant's option values by option name, for example `{ Size: '42' }`. */
export type VariantAttributes = Readonly<Record<string, string>>;

export interface OrderLineDraft {
  readonly productId: number;
  readonly variantId: number | null;
  readonly sku: string;
  readonly name: string;
  readonly attributes: VariantAttributes;
  readonly unitPrice: Money;
  /** 1 to 999. */
  readonly quantity: number;
}

/** One priced line. SKU, name, attributes and unit price are snapshots: later catalog edits do not change them. */
export class OrderLine {
  readonly productId: number;
  readonly variantId: number | null;
  readonly sku: string;
  readonly name: string;
  readonly attributes: VariantAttributes;
  readonly unitPrice: Money;
  readonly quantity: number;

  /** @throws InvalidOrderItems unless the quantity is an integer from 1 to 999. */
  constructor({ productId, variantId, sku, name, attributes, unitPrice, quantity }: OrderLineDraft) {
    if (!Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY) {
      throw new InvalidOrderItems(`The quantity of a line must be an integer from 1 to ${MAX_QUANTITY}`);
    }
    this.productId = productId;
    this.variantId = variantId;
    this.sku = sku;
    this.name = name;
    this.attributes = attributes;
    this.unitPrice = unitPrice;
    this.quantity = quantity;
  }

  get total(): Money {
    return this.unitPrice.times(this.quantity);
  }
}
