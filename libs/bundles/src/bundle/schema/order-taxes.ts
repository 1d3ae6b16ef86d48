import { taxDifference, taxLinesOf, type TaxLine } from '@app/domain';
import type { OrderRecordLine } from './bundle.js';

/** Returns the taxes of the lines and the shipping, by name and rate. */
export function soldTaxesOf({
  line_items = [],
  shipping_tax: shippingTax = [],
  tax_included: isTaxIncluded = false,
}: OrderRecordLine): TaxLine[] {
  return taxLinesOf({ isTaxIncluded, shippingTax, lines: line_items.map(({ tax = [] }) => ({ tax })) });
}

/** Returns the taxes at the placing. Null means the current ones, because no change of lines has booked a tax. */
export function placedTaxesOf(line: OrderRecordLine): TaxLine[] | null {
  const changed = (line.bookings ?? []).flatMap(({ kind, tax_lines = [] }) => (kind === 'lines' ? tax_lines : []));
  return changed.length > 0 ? taxDifference(changed, soldTaxesOf(line)) : null;
}

/** Returns the taxes that the bookings have credited, minus reversals. */
export function creditedTaxesOf({ bookings = [] }: OrderRecordLine): TaxLine[] {
  return taxDifference(
    [],
    bookings.flatMap(({ kind, tax_lines = [] }) => (kind === 'lines' ? [] : tax_lines)),
  );
}
