import { sumByLine } from './line-units.js';
import { creditedUnitsOf, shareOf, shippingOf, type CreditedOrder, type PricedOrder } from './line-shares.js';
import { ledgerOf, type MoneyState, type RefundRecord } from './order-money.js';
import { partOf } from './parts.js';
import { shareOfTaxes, sumByRate, taxLinesOf, type Tax, type TaxLine } from './tax.js';

type TaxedLine = PricedOrder['lines'][number] & CreditedOrder['lines'][number];

interface TaxedOrder extends Omit<MoneyState, 'refunds'>, Omit<PricedOrder, 'lines'> {
  readonly lines: readonly TaxedLine[];
  readonly refunds: readonly Pick<RefundRecord, 'amount' | 'reason' | 'credited' | 'lines'>[];
}

/**
 * The taxes of what is owed of an order, by name and rate: those of the order as it was sold, less those of what is credited. Units
 * that were given up or refunded take their tax with them, refunded shipping its own, and any other credit, such as goodwill or a
 * write-off, its part of each tax that is left. Nothing is left once all is credited.
 */
export function owedTaxesOf(state: TaxedOrder): TaxLine[] {
  const { isTaxIncluded: included, totalAmount } = state;
  const sold = taxLinesOf(state);
  if (sold.length === 0 || totalAmount <= 0) return sold;
  const credited = Math.min(ledgerOf(state).credited, totalAmount);
  const units = creditedUnitsOf(state);
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
