import { sumByLine } from './line-units.js';
import { shareOf, shippingOf } from './line-shares.js';
import { ledgerOf } from './order-money.js';
import { partOf } from './parts.js';
import type { PlacedOrder } from './placed-order.js';
import { shareOfTaxes, sumByRate, taxLinesOf, type Tax, type TaxLine } from './tax.js';

/**
 * The taxes of what is owed of an order, by name and rate: those of the order as it was sold, less those of what is credited. Units
 * that were given up or refunded take their tax with them, refunded shipping its own, and any other credit, such as goodwill or a
 * write-off, its part of each tax that is left. Nothing is left once all is credited.
 */
export function owedTaxesOf(order: PlacedOrder): TaxLine[] {
  const { state } = order;
  const { isTaxIncluded: included, totalAmount } = state;
  const sold = taxLinesOf(state);
  if (sold.length === 0 || totalAmount <= 0) return sold;
  const credited = Math.min(ledgerOf(state).credited, totalAmount);
  const units = order.creditedUnits;
  const shippingCredit = Math.min(
    state.refunds.reduce((sum, refund) => sum + (refund.reason === 'shipping' ? refund.credited : 0), 0),
    shippingOf(state),
  );
  const named = shareOf(state, units, []) + shippingCredit;
  const ofNamed = sumByRate([
    ...sumByLine(units).flatMap(({ line, quantity }) => {
      const { tax = [], quantity: of = 0 } = state.lines.find((each) => each.line === line) ?? {};
      return shareOfTaxes(tax, quantity, of);
    }),
    ...shareOfTaxes(state.shippingTax, shippingCredit, shippingOf(state)),
  ]);
  const amountIn = (taxes: readonly Tax[], { name, rate }: Tax) =>
    taxes.find((tax) => tax.name === name && tax.rate === rate)?.amount ?? 0;
  return sold.map((tax) => {
    const taken = amountIn(ofNamed, tax);
    const creditedTax =
      credited < named
        ? partOf(taken, credited, named)
        : taken + partOf(tax.amount - taken, credited - named, totalAmount - named);
    return { ...tax, included, amount: tax.amount - creditedTax };
  });
}
