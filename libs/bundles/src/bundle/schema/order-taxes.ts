import { taxDifference, taxLinesOf, type TaxLine } from '@app/domain';
import type { OrderRecordLine } from './bundle.js';

/** The taxes of the lines and the shipping, by name and rate. */
export function soldTaxesOf({
  line_items = [],
  shipping_tax: shippingTax = [],
  tax_included: isTaxIncluded = false,
}: OrderRecordLine): TaxLine[] {
  return taxLinesOf({ isTaxIncluded, shippingTax, lines: line_items.map(({ tax = [] }) => ({ tax })) });
}

/** The taxes of the placing: null = the same, for no change of its lines has booked one. */
export function placedTaxesOf(line: OrderRecordLine): TaxLine[] | null {
  const changed = (line.bookings ?? []).flatMap(({ kind, tax_lines = [] }) => (kind === 'lines' ? tax_lines : []));
  return changed.length > 0 ? taxDifference(changed, soldTaxesOf(line)) : null;
}

/** The taxes that its bookings have credited, and not taken back. */
export function creditedTaxesOf({ bookings = [] }: OrderRecordLine): TaxLine[] {
  return taxDifference(
    [],
    bookings.flatMap(({ kind, tax_lines = [] }) => (kind === 'lines' ? [] : tax_lines)),
  );
}
