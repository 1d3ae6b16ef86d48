import { InvalidOrderItems } from './placement-errors.js';
import { Money, partOf } from '../money/money.js';
import { unitsByLine } from './line-units.js';
import type { ChargeableOrder } from './chargeable-order.js';
import {
  addedBy,
  excessOfTaxes,
  NO_CHARGES,
  sumsOf,
  type Charges,
  type GivenCharges,
  type LineCharges,
} from './charges.js';
import type { OrderLine } from './order-line.js';
import { PlacedOrder, type PlacedLine } from './placed-order.js';
import { subtotalOf } from './quote.js';
import { assertFewTaxes, shareOfTaxes, sumByRate, type Tax } from './tax.js';

/** Returns the charges of an order. Throws when they must be requested from an extension first. */
export type ChargesOf = (order: ChargeableOrder) => Charges;

/**
 * Charges the lines again after they, or the address, have changed. A line with shipped or cancelled units keeps its
 * taxes and its discount per unit, and an order with shipped units keeps its shipping. An imported order, and one whose
 * client gave the charges, keeps all of them.
 * @param after the order with other lines or another contact, and the previous charges.
 * @throws TooManyTaxes
 */
export function recharged(before: PlacedOrder, after: PlacedOrder, chargesOf: ChargesOf): PlacedOrder {
  if (!before.state.isPlaced || before.state.hasGivenCharges) return after;
  const { hasShipped, state } = before;
  const linesBefore = new Map(state.lines.map((line) => [line.line, line]));
  const unshipped = unitsByLine(before.unshippedUnits);
  const isOpen = ({ line }: PlacedLine) => (linesBefore.get(line)?.quantity ?? 0) === (unshipped.get(line) ?? 0);
  const open = after.state.lines.filter((line) => line.quantity > 0 && isOpen(line));
  const charges = open.length > 0 ? chargesOf(chargeable(after, open)) : NO_CHARGES;
  const newCharges = new Map(open.map(({ line }, index) => [line, charges.lines[index] ?? NO_LINE_CHARGES]));
  const lines = after.state.lines.map((line) => {
    const { tax, discount, quantity } = linesBefore.get(line.line) ?? line;
    const previous = isOpen(line)
      ? NO_LINE_CHARGES
      : { tax: shareOfTaxes(tax, line.quantity, quantity), discount: partOf(discount, line.quantity, quantity) };
    const { tax: taxes, discount: less } = newCharges.get(line.line) ?? previous;
    return { ...line, tax: sumByRate(taxes), discount: less };
  });
  const isShippingKept = hasShipped || open.length === 0;
  const shipping = isShippingKept
    ? { shippingAmount: state.shippingAmount, shippingTax: state.shippingTax }
    : { shippingAmount: charges.shipping, shippingTax: sumByRate(charges.shippingTax) };
  const isTaxIncluded = open.length > 0 ? charges.isTaxIncluded : state.isTaxIncluded;
  return chargedAs(before, after, { ...shipping, lines, isTaxIncluded });
}

const NO_LINE_CHARGES: LineCharges = { tax: [], discount: 0 };

interface ChargedState {
  readonly lines: readonly PlacedLine[];
  readonly shippingAmount: number;
  readonly shippingTax: readonly Tax[];
  readonly isTaxIncluded: boolean;
}

/** Returns the order with other charges, and the total that follows from them. @throws TooManyTaxes */
function chargedAs({ state }: PlacedOrder, after: PlacedOrder, charged: ChargedState): PlacedOrder {
  assertFewTaxes(charged);
  const chargesOf = (of: ChargedState): Charges => ({ ...of, shipping: of.shippingAmount });
  const [charges, chargesBefore] = [chargesOf(charged), chargesOf(state)];
  const [sums, sumsBefore] = [sumsOf(charges), sumsOf(chargesBefore)];
  return new PlacedOrder({
    ...after.state,
    ...charged,
    taxAmount: state.taxAmount + sums.tax - sumsBefore.tax,
    discountAmount: state.discountAmount + sums.discount - sumsBefore.discount,
    totalAmount: after.state.totalAmount + addedBy(charges) - addedBy(chargesBefore),
  });
}

/**
 * Returns the order with the charges that a client gives; those of its lines are in `after`. Absent charges keep their
 * value.
 * @throws TooManyTaxes, or InvalidOrderItems for a discount above the price of its line, and for taxes above the price
 * that includes them.
 */
export function chargedAsGiven(before: PlacedOrder, after: PlacedOrder, given: Partial<GivenCharges>): PlacedOrder {
  const { state } = before;
  const {
    isTaxIncluded = state.isTaxIncluded,
    shipping = state.shippingAmount,
    shippingTax = state.shippingTax,
  } = given;
  const { lines } = after.state;
  for (const { line, unitPrice, quantity, discount } of lines) {
    if (discount > unitPrice * quantity) throw new InvalidOrderItems(`The discount of line ${line} exceeds its price`);
  }
  const charged = { isTaxIncluded, shippingAmount: shipping, shippingTax, lines };
  const prices = lines.map(({ unitPrice, quantity }) => unitPrice * quantity);
  const excess = excessOfTaxes({ isTaxIncluded, shipping, shippingTax, lines }, prices);
  if (excess !== null) throw new InvalidOrderItems(excess);
  return new PlacedOrder({ ...chargedAs(before, after, charged).state, hasGivenCharges: true });
}

function chargeable({ state }: PlacedOrder, open: readonly PlacedLine[]): ChargeableOrder {
  const { paymentMethod, contact } = state;
  const currency = state.currency;
  const toLine = ({ productId, variantId, sku, name, attributes, unitPrice, quantity }: PlacedLine): OrderLine => {
    const price = Money.ofMinor(unitPrice, currency);
    // Only imported orders have lines without a product.
    const item = { productId: productId as number, variantId, sku, name, attributes };
    return { ...item, quantity, unitPrice: price, total: price.times(quantity) };
  };
  const subtotal = subtotalOf(state.lines.map(toLine), currency);
  return {
    ...{ currency, paymentMethod, lines: open.map(toLine), subtotal },
    customer: contact.customer,
    address: contact.shippingAddress,
    billing: contact.billingAddress,
  };
}
