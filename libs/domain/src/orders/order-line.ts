import type { Money } from '../money/money.js';
import { InvalidOrderItems } from './placement-errors.js';
import type { Metadata } from '../shared/metadata.js';
import type { LineCharges } from './charges.js';

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
  /** The price list that gave the price. Absent: the catalog or the client. */
  readonly priceSource?: string;
  /** 1 to 999. */
  readonly quantity: number;
}

/**
 * An order line with its price. SKU, name, attributes and unit price are snapshots: later catalog edits do not change
 * them.
 */
export interface OrderLine extends OrderLineDraft, Partial<LineCharges> {
  /** The price of the line: unit price × quantity. */
  readonly total: Money;
  /** Absent means no metadata. */
  readonly metadata?: Metadata;
}

/** @throws InvalidOrderItems unless the quantity is an integer from 1 to 999. */
export function orderLineOf(draft: OrderLineDraft): OrderLine {
  const { unitPrice, quantity } = draft;
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY) {
    throw new InvalidOrderItems(`The quantity of a line must be an integer from 1 to ${MAX_QUANTITY}`);
  }
  return { ...draft, total: unitPrice.times(quantity) };
}
