import { InvalidOrderItems } from '../errors.js';
import { Money } from '../money/money.js';
import { unitsByLine } from './line-units.js';
import type { ChargeableOrder } from './chargeable-order.js';
import { addedBy, NO_CHARGES, sumsOf, type Charges, type GivenCharges } from './charges.js';
import type { OrderLine } from './order-line.js';
import { partOf } from './parts.js';
import { PlacedOrder, type PlacedLine } from './placed-order.js';
import { subtotalOf } from './quote.js';
import { shareOfTaxes, sumByRate, taxOf, type Tax } from './tax.js';

/** Returns the charges of an order. Throws where they must be asked for first. */
export type ChargesOf = (order: ChargeableOrder) => Charges;

/**
 * The order once its lines, or where it goes, have changed: what has not shipped is charged again. What has shipped or was given
 * up keeps its tax and its discount, and an order of which something has shipped its shipping. An imported order keeps all, and one
 * whose client has given its charges.
 * @param after the order with other lines or another contact, and the charges of before.
 */
export function recharged(before: PlacedOrder, after: PlacedOrder, chargesOf: ChargesOf): PlacedOrder {
  if (!before.state.isPlaced || before.state.hasGivenCharges) return after;
  const { hasShipped, state } = before;
  const kept = keptParts(before);
  const open = after.state.lines
    .map((line) => ({ ...line, quantity: line.quantity - (kept.get(line.line)?.quantity ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
  const charges =
    open.length > 0 ? chargesOf(chargeable(after, open)) : { ...NO_CHARGES, shipping: state.shippingAmount };

  const charged = new Map(open.map(({ line }, index) => [line, charges.lines[index]]));
  const lines = after.state.lines.map((line) => {
    const [old, fresh] = [kept.get(line.line), charged.get(line.line)];
    return {
      ...line,
      tax: sumByRate([...(old?.tax ?? []), ...(fresh?.tax ?? [])]),
      discount: (old?.discount ?? 0) + (fresh?.discount ?? 0),
    };
  });
  const isShippingKept = hasShipped || open.length === 0;
  const shippingAmount = isShippingKept ? state.shippingAmount : charges.shipping;
  const shippingTax = isShippingKept ? state.shippingTax : charges.shippingTax;

  const sums = sumsOf(isShippingKept ? { ...charges, shippingTax: [] } : charges);
  const keptTax = [...kept.values()].reduce(
    (sum, { tax }) => sum + taxOf(tax),
    isShippingKept ? taxOf(state.shippingTax) : 0,
  );
  const taxBefore = state.lines.reduce((sum, { tax }) => sum + taxOf(tax), taxOf(state.shippingTax));
  const discount = lines.reduce((sum, line) => sum + line.discount, 0) - sumOfDiscounts(state.lines);
  const added =
    (state.isTaxIncluded ? 0 : keptTax - taxBefore) +
    (charges.isTaxIncluded ? 0 : sums.tax) +
    (shippingAmount - state.shippingAmount) -
    discount;
  return new PlacedOrder({
    ...after.state,
    ...{ lines, shippingAmount, shippingTax },
    isTaxIncluded: open.length > 0 ? charges.isTaxIncluded : state.isTaxIncluded,
    taxAmount: state.taxAmount + keptTax + sums.tax - taxBefore,
    discountAmount: state.discountAmount + discount,
    totalAmount: after.state.totalAmount + added,
  });
}

/**
 * The order with the charges that a client gives: those of its lines are in `after`. What is absent stays.
 * @throws InvalidOrderItems for a discount above the price of its line.
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
  const charges = { isTaxIncluded, shipping, shippingTax, lines };
  const chargesBefore = { ...state, shipping: state.shippingAmount };
  const [sums, sumsBefore] = [sumsOf(charges), sumsOf(chargesBefore)];
  return new PlacedOrder({
    ...after.state,
    ...{ isTaxIncluded, shippingTax, shippingAmount: shipping, hasGivenCharges: true },
    taxAmount: state.taxAmount + sums.tax - sumsBefore.tax,
    discountAmount: state.discountAmount + sums.discount - sumsBefore.discount,
    totalAmount: after.state.totalAmount + addedBy(charges) - addedBy(chargesBefore),
  });
}

interface KeptPart {
  readonly quantity: number;
  readonly tax: readonly Tax[];
  readonly discount: number;
}

/** The units of each line that have shipped or were given up, with their share of its charges. */
function keptParts(order: PlacedOrder): Map<number, KeptPart> {
  const unshipped = unitsByLine(order.unshippedUnits);
  return new Map(
    order.state.lines.map(({ line, quantity: of, tax, discount }) => {
      const quantity = of - (unshipped.get(line) ?? 0);
      const share = {
        tax: quantity > 0 ? shareOfTaxes(tax, quantity, of) : [],
        discount: partOf(discount, quantity, of),
      };
      return [line, { quantity, ...share }];
    }),
  );
}

function chargeable({ state }: PlacedOrder, open: readonly PlacedLine[]): ChargeableOrder {
  const { paymentMethod, contact } = state;
  const currency = state.currency;
  const lines = open.map(({ productId, variantId, sku, name, attributes, unitPrice, quantity }): OrderLine => {
    const price = Money.ofMinor(unitPrice, currency);
    // Only imported orders have lines without a product.
    const item = { productId: productId as number, variantId, sku, name, attributes };
    return { ...item, quantity, unitPrice: price, total: price.times(quantity) };
  });
  return {
    ...{ currency, paymentMethod, lines, subtotal: subtotalOf(lines, currency) },
    customer: contact.customer,
    address: contact.shippingAddress,
    billing: contact.billingAddress,
  };
}

function sumOfDiscounts(lines: readonly PlacedLine[]): number {
  return lines.reduce((sum, { discount }) => sum + discount, 0);
}
