import { adjustmentOf, sumByRate, taxLinesOf, taxOf } from '@app/domain';
import type { OrderRecordLine } from '../schema/bundle.js';

/**
 * Describes where the amounts of an order contradict its parts. What the parts do not contain, such as the tax of each
 * line, is no contradiction.
 */
export function contradictionsOf(order: OrderRecordLine): string[] {
  return [...(order.line_items?.length ? ofLines(order) : []), ...ofAdjustment(order), ...ofCredits(order)];
}

function ofLines({
  amount,
  tax_amount: tax = 0,
  discount_amount: discount = 0,
  shipping_tax: shippingTax = [],
  line_items: lines = [],
}: OrderRecordLine): string[] {
  const sum = sumOf(lines, ({ unit_price, quantity }) => unit_price * quantity);
  const taxes = sumOf(lines, (line) => taxOf(line.tax ?? [])) + taxOf(shippingTax);
  const discounts = sumOf(lines, (line) => line.discount_amount ?? 0);
  const isTaxedByLine = shippingTax.length > 0 || lines.some((line) => line.tax?.length);
  const isDiscountedByLine = lines.some(({ discount_amount }) => discount_amount);
  return [
    ...(amount === sum ? [] : [`order.amount is ${amount}, but its line_items add up to ${sum}`]),
    ...(tax === taxes || !isTaxedByLine
      ? []
      : [
          `order.tax_amount is ${tax}, but the taxes of its line_items and its shipping add up to ${taxes}: ` +
            'tax_lines and the journal contain only the taxes of the lines and the shipping',
        ]),
    ...(discount === discounts || !isDiscountedByLine
      ? []
      : [`order.discount_amount is ${discount}, but the discounts of its line_items add up to ${discounts}`]),
  ];
}

function sumOf<Line>(lines: readonly Line[], amountOf: (line: Line) => number): number {
  return lines.reduce((sum, line) => sum + amountOf(line), 0);
}

function ofAdjustment(order: OrderRecordLine): string[] {
  const { amount, total_amount: total, tax_included: isTaxIncluded = false } = order;
  const { tax_amount: tax = 0, shipping_amount: shipping = 0, discount_amount: discount = 0 } = order;
  const adjustment = adjustmentOf({ amount, tax, shipping, discount, total });
  if (!isTaxIncluded || adjustment === -tax) return [];
  return [`order.adjustment_amount is ${adjustment}, but with tax_included it must be minus the tax: ${0 - tax}`];
}

/** Checks that bookings credit no more of a tax than the order has. */
function ofCredits({ bookings = [], line_items, shipping_tax: shippingTax = [], ...order }: OrderRecordLine): string[] {
  const lines = (line_items ?? []).map(({ tax = [] }) => ({ tax }));
  const sold = taxLinesOf({ isTaxIncluded: order.tax_included ?? false, shippingTax, lines });
  const credited = bookings.flatMap(({ kind, tax_lines = [] }) => (kind === 'lines' ? [] : tax_lines));
  return sumByRate(credited).flatMap(({ name, rate, amount }) => {
    const has = sold.find((tax) => tax.name === name && tax.rate === rate)?.amount ?? 0;
    // A credit note has, and credits, negative taxes.
    if (has < 0 ? amount >= has : amount <= has) return [];
    return [`order.bookings credit ${amount} of the tax ${name} of ${rate} percent, but the order has ${has}`];
  });
}
