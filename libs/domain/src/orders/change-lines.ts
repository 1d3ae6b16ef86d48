import {
  ChargesGiven,
  CurrencyMismatch,
  InvalidOrderItems,
  ItemsUnavailable,
  LinesFixed,
  NoUnitsLeft,
  OrderCancelled,
  PaymentUnrecorded,
  PriceChanged,
  QuantityNotOffered,
  TotalOutOfRange,
  type UnavailableItem,
  type UnofferedQuantity,
} from '../errors.js';
import type { Currency } from '../values/currency.js';
import { MAX_TOTAL, Money } from '../money/money.js';
import { sumDemand } from '../stock/stock-demand.js';
import type { LineQuantity } from './line-units.js';
import { assertMetadataFits, metadataOf } from './change-metadata.js';
import type { GivenCharges } from './charges.js';
import type { ChargedLine, LinesChange, OrderChange } from './order-change.js';
import { orderEvent } from './order-event.js';
import type { OrderLine } from './order-line.js';
import { isRecorded, paymentStatusOf } from './order-money.js';
import { furtherOf } from './order-status.js';
import { MAX_LINES, type BilledContact } from './order.js';
import { PlacedOrder, type PlacedLine } from './placed-order.js';
import { costs } from './quote.js';
import { chargedAsGiven, recharged, type ChargesOf } from './recharge.js';
import { isVoid } from './shipment.js';
import type { Tax } from './tax.js';

export interface LinesRequest {
  /** New quantities, at most one for each line; 0 cancels the line. Other absent fields keep their value. */
  readonly set: readonly (LineQuantity & Partial<ChargedLine>)[];
  /** New lines, at the current catalog prices. */
  readonly add: readonly OrderLine[];
  /** Requested lines that cannot be added. */
  readonly unavailable: readonly UnavailableItem[];
  /** Lines of `set` and `add` whose units are not sold in this quantity; absent: none. */
  readonly notOffered?: readonly UnofferedQuantity[];
  /** The store's currency. */
  readonly currency: Currency;
  /** The total that the client expects. When absent, any total is accepted. */
  readonly expectedTotal?: Money;
  /**
   * The charges that the client gives, including those of `set` and `add`. Absent parts keep their value; when all is
   * absent, the client gives no charges.
   */
  readonly given?: Partial<GivenCharges>;
  /** Whether the client may give charges, and so change the lines of an order that has given ones. */
  readonly mayGive?: boolean;
}

/**
 * Lines keep their numbers and prices. A cancelled line stays with quantity 0, because its number is never used again.
 * @throws OrderCancelled, LinesFixed, UnitsWithoutBin, NotFound, AlreadyShipped, BeingPicked, ChargesGiven
 * @throws ItemsUnavailable, CurrencyMismatch, QuantityNotOffered, InvalidOrderItems, MetadataTooLarge, NoUnitsLeft
 * @throws PaymentUnrecorded, PriceChanged, TooManyTaxes, TotalOutOfRange
 */
export function changeLines(order: PlacedOrder, request: LinesRequest, chargesOf: ChargesOf): OrderChange {
  const { state } = order;
  assertOpen(order);
  order.assertLines(request.set);
  const before = state.lines;
  const given = new Map(request.set.map((line) => [line.line, line]));
  const kept = before.map((line) => {
    const edited = { ...line, ...given.get(line.line) };
    return edited.quantity === 0 ? { ...edited, tax: [], discount: 0 } : edited;
  });
  const less = givenUp(before, kept);
  order.assertUnclaimed(less);
  assertAddable(order, request);

  const added = order.addedLines(request.add);
  const lines = [...kept, ...added];
  const totalAmount = state.totalAmount + amountOf(lines) - amountOf(before);
  const edited = new PlacedOrder({ ...state, totalAmount, lines });
  if (edited.keptUnits.length === 0) throw new NoUnitsLeft();
  const isEdited = added.length > 0 || kept.some((line, index) => !isSameLine(line, before[index])) || !!request.given;
  const after = isEdited ? charged(order, edited, request, chargesOf) : edited;
  assertTotal(order, after, request.expectedTotal);
  if (!isEdited) return order.unchanged();

  const change = linesChange(order, after, request);
  if (isSame(order, change)) return order.unchanged();
  const restock = { kind: 'restock', movement: 'ORDER', lines: less, alsoLocks: change.demand } as const;
  return {
    ...stepTo(order, after),
    effects: [...(less.length > 0 ? [restock] : []), { kind: 'lines', ...change }],
  };
}

/** @throws ChargesGiven, InvalidOrderItems, TooManyTaxes */
function charged(
  order: PlacedOrder,
  edited: PlacedOrder,
  { given, mayGive }: LinesRequest,
  chargesOf: ChargesOf,
): PlacedOrder {
  if (given) return chargedAsGiven(order, edited, given);
  if (!order.state.hasGivenCharges) return recharged(order, edited, chargesOf);
  if (!mayGive) throw new ChargesGiven();
  return chargedAsGiven(order, edited, {});
}

/** @throws PaymentUnrecorded, TotalOutOfRange, PriceChanged */
function assertTotal({ state }: PlacedOrder, after: PlacedOrder, expected?: Money): void {
  const { totalAmount } = after.state;
  if (totalAmount !== state.totalAmount && !isRecorded(state)) throw new PaymentUnrecorded();
  if (totalAmount < 0 || totalAmount > MAX_TOTAL) throw new TotalOutOfRange(totalAmount);
  const total = Money.ofMinor(totalAmount, state.currency);
  if (!costs({ total }, expected)) throw new PriceChanged(total);
}

/** Returns the change that gives an order the lines and charges of `after`. */
function linesChange(
  { state }: PlacedOrder,
  after: PlacedOrder,
  request: Pick<LinesRequest, 'set' | 'add'>,
): LinesChange {
  const { totalAmount, taxAmount, discountAmount, shippingAmount, shippingTax, lines } = after.state;
  const { isTaxIncluded, hasGivenCharges } = after.state;
  const before = state.lines;
  return {
    ...{ totalAmount, taxAmount, discountAmount, shippingAmount, shippingTax, isTaxIncluded, hasGivenCharges },
    changed: lines.slice(0, before.length).flatMap(({ line, quantity, unitPrice, tax, discount }, index) => {
      const changed = { line, quantity, unitPrice, tax, discount };
      return isSameLine(changed, before[index]) ? [] : [changed];
    }),
    added: request.add.map((line, index) => {
      const { tax = [], discount = 0 } = lines[before.length + index] ?? {};
      return { ...line, tax, discount };
    }),
    amount: amountOf(lines) - amountOf(before),
    units: unitsOf(lines) - unitsOf(before),
    ...demandOf(before, request),
  };
}

function isSameLine(one: ChargedLine, other?: ChargedLine): boolean {
  const isSamePrice = one.unitPrice === other?.unitPrice && one.discount === other.discount;
  return isSamePrice && one.quantity === other.quantity && isSameTax(one.tax, other.tax);
}

function isSame({ state }: PlacedOrder, { changed, added, ...after }: LinesChange): boolean {
  const isSameShipping =
    isSameTax(after.shippingTax, state.shippingTax) && after.shippingAmount === state.shippingAmount;
  const hasSameLines = changed.length === 0 && added.length === 0;
  return hasSameLines && isSameShipping && after.totalAmount === state.totalAmount;
}

function isSameTax(one: readonly Tax[], other: readonly Tax[]): boolean {
  const isSame = (tax: Tax, index: number) => {
    const { name, rate, amount } = other[index] ?? {};
    return tax.name === name && tax.rate === rate && tax.amount === amount;
  };
  return one.length === other.length && one.every(isSame);
}

/**
 * Charges an order again after a change of, for example, its country or VAT id. When the order costs the same, its
 * charges stay.
 * @param contact the contact afterwards.
 * @throws PaymentUnrecorded, TooManyTaxes, TotalOutOfRange
 */
export function chargeAgain(order: PlacedOrder, contact: BilledContact, chargesOf: ChargesOf): OrderChange {
  const { state } = order;
  const after = recharged(order, new PlacedOrder({ ...state, contact }), chargesOf);
  assertTotal(order, after);
  const change = linesChange(order, after, { set: [], add: [] });
  if (isSame(order, change)) return order.unchanged();
  const { status } = stepTo(order, after);
  return {
    ...order.unchanged(),
    status,
    events: [
      orderEvent('lines_changed', '', { items: [], totalBefore: state.totalAmount, totalAfter: change.totalAmount }),
      ...order.statusEventsTo({ ...state, status }, state.payments.at(-1)?.reference),
    ],
    effects: [{ kind: 'lines', ...change }],
  };
}

function assertOpen(order: PlacedOrder): void {
  if (order.isCancelled) throw new OrderCancelled();
  if (!['PENDING', 'CONFIRMED', 'PROCESSING'].includes(order.state.fulfillmentStatus)) throw new LinesFixed();
  order.assertHasTakenStock();
}

function assertAddable({ state }: PlacedOrder, { add, unavailable, notOffered = [], currency }: LinesRequest): void {
  if (unavailable.length > 0)
    throw new ItemsUnavailable(unavailable.map((item) => ({ ...item, list: 'add' as const })));
  if (add.length > 0 && currency !== state.currency) throw new CurrencyMismatch(currency);
  if (notOffered.length > 0) throw new QuantityNotOffered(notOffered);
  if (state.lines.length + add.length > MAX_LINES) {
    throw new InvalidOrderItems(`An order can have at most ${MAX_LINES} lines, including cancelled ones`);
  }
  const added = add.flatMap(({ metadata }) => (metadata ? [metadata] : []));
  if (added.length > 0) assertMetadataFits([...metadataOf(state), ...added]);
}

function givenUp(before: readonly LineQuantity[], kept: readonly LineQuantity[]): LineQuantity[] {
  return before
    .map(({ line, quantity }, index) => ({ line, quantity: quantity - (kept[index]?.quantity ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
}

/** Returns the stock that the order still needs, and which part of the request needs it. */
function demandOf(
  before: readonly PlacedLine[],
  { set, add }: Pick<LinesRequest, 'set' | 'add'>,
): Pick<LinesChange, 'demand' | 'wanted'> {
  const more = set.flatMap(({ line, quantity }, index) => {
    const { productId = null, variantId = null, quantity: had = 0 } = before[line - 1] ?? {};
    if (productId === null || quantity <= had) return [];
    const place = { list: 'set' as const, line: index };
    return [{ productId, variantId, quantity: quantity - had, position: line - 1, place }];
  });
  const others = add.map((line, index) => {
    return { ...line, position: before.length + index, place: { list: 'add' as const, line: index } };
  });
  const wanted = [...more, ...others];
  return { demand: sumDemand(wanted), wanted: wanted.map(({ position, place }) => ({ position, place })) };
}

/**
 * Moves the statuses: an order with only shipped units left has shipped, a fully paid one has succeeded, and one whose
 * payments do not cover the new total is pending again.
 */
function stepTo(order: PlacedOrder, after: PlacedOrder): Omit<OrderChange, 'effects'> {
  const { status, fulfillmentStatus, shipments, payments, lines, totalAmount } = order.state;
  const isCovered = isRecorded(after.state) || !isRecorded(order.state);
  const state = {
    status: isCovered ? paymentStatusOf(after.state, order.state) : ('PENDING' as const),
    fulfillmentStatus: furtherOf(after.fulfillmentWith(shipments), fulfillmentStatus),
  };
  const items = after.state.lines.flatMap(({ line, quantity }, index) => {
    const before = lines[index]?.quantity ?? 0;
    return quantity === before ? [] : [{ line, before, after: quantity }];
  });
  // These statuses follow from shipments and payments, and are undone with them.
  const shipment = shipments.findLast((one) => !isVoid(one))?.reference;
  return {
    ...state,
    events: [
      orderEvent('lines_changed', '', { items, totalBefore: totalAmount, totalAfter: after.state.totalAmount }),
      ...order.statusEventsTo({ ...state, fulfillmentStatus }, payments.at(-1)?.reference),
      ...order.statusEventsTo({ ...state, status }, shipment),
    ],
  };
}

function amountOf(lines: readonly Pick<PlacedLine, 'unitPrice' | 'quantity'>[]): number {
  return lines.reduce((amount, { unitPrice, quantity }) => amount + unitPrice * quantity, 0);
}

function unitsOf(lines: readonly LineQuantity[]): number {
  return lines.reduce((units, { quantity }) => units + quantity, 0);
}
