import {
  CurrencyMismatch,
  InvalidOrderItems,
  ItemsUnavailable,
  LinesFixed,
  NoUnitsLeft,
  OrderCancelled,
  PaymentUnrecorded,
  PriceChanged,
  TotalOutOfRange,
  type UnavailableItem,
} from '../errors.js';
import type { Currency } from '../money/currency.js';
import { MAX_TOTAL, Money } from '../money/money.js';
import { sumDemand } from '../stock/stock-demand.js';
import { unitsByLine, type LineQuantity } from './line-units.js';
import { assertMetadataFits, metadataOf } from './change-metadata.js';
import type { LinesChange, OrderChange } from './order-change.js';
import { orderEvent } from './order-event.js';
import type { OrderLine } from './order-line.js';
import { isRecorded, paymentStatusOf } from './order-money.js';
import { furtherOf } from './order-status.js';
import { MAX_LINES } from './order.js';
import { PlacedOrder, type PlacedLine } from './placed-order.js';
import { costs } from './quote.js';
import { isVoid } from './shipment.js';

export interface LinesRequest {
  /** New quantities, each of another line; 0 = the line is given up. */
  readonly set: readonly LineQuantity[];
  /** New lines at the live prices. */
  readonly add: readonly OrderLine[];
  /** What cannot be added. */
  readonly unavailable: readonly UnavailableItem[];
  /** The currency of the store. */
  readonly currency: Currency;
  /** Absent when any total will do. */
  readonly expectedTotal?: Money;
}

/**
 * Lines keep their numbers and prices. One that is given up stays with the quantity 0: its number is never used again.
 * @throws OrderCancelled, LinesFixed, UnitsWithoutBin, NotFound, AlreadyShipped, BeingPicked
 * @throws ItemsUnavailable, CurrencyMismatch, InvalidOrderItems, MetadataTooLarge, NoUnitsLeft, PaymentUnrecorded, PriceChanged,
 *   TotalOutOfRange
 */
export function changeLines(order: PlacedOrder, request: LinesRequest): OrderChange {
  const { state } = order;
  assertOpen(order);
  order.assertLines(request.set);
  const set = unitsByLine(request.set);
  const before = state.lines;
  const kept = before.map((line) => ({ ...line, quantity: set.get(line.line) ?? line.quantity }));
  const less = givenUp(before, kept);
  order.assertUnclaimed(less);
  assertAddable(order, request);

  const added = request.add.map(({ unitPrice, ...line }, index) => {
    const units = { returnedQuantity: 0, cancelledQuantity: 0, binQuantity: line.quantity };
    return { ...line, line: before.length + index + 1, unitPrice: unitPrice.minor, ...units };
  });
  const amount = amountOf([...kept, ...added]) - amountOf(before);
  const totalAmount = state.totalAmount + amount;
  const after = new PlacedOrder({ ...state, totalAmount, lines: [...kept, ...added] });
  if (after.keptUnits.length === 0) throw new NoUnitsLeft();
  if (amount !== 0 && !isRecorded(state)) throw new PaymentUnrecorded();
  if (totalAmount < 0 || totalAmount > MAX_TOTAL) throw new TotalOutOfRange(totalAmount);
  const total = Money.ofMinor(totalAmount, state.currency);
  if (!costs({ total }, request.expectedTotal)) throw new PriceChanged(total);

  const quantities = kept.filter(({ quantity }, index) => quantity !== before[index]?.quantity);
  if (quantities.length === 0 && added.length === 0) return order.unchanged();
  const units = unitsOf(after.state.lines) - unitsOf(before);
  const { demand, wanted } = demandOf(before, request);
  const lines = { quantities, added: request.add, amount, totalAmount, units, demand, wanted };
  const restock = { kind: 'restock', movement: 'ORDER', lines: less, alsoLocks: demand } as const;
  return {
    ...stepTo(order, after),
    effects: [...(less.length > 0 ? [restock] : []), { kind: 'lines', ...lines }],
  };
}

function assertOpen(order: PlacedOrder): void {
  if (order.isCancelled) throw new OrderCancelled();
  if (!['PENDING', 'CONFIRMED', 'PROCESSING'].includes(order.state.fulfillmentStatus)) throw new LinesFixed();
  order.assertHasTakenStock();
}

function assertAddable({ state }: PlacedOrder, { add, unavailable, currency }: LinesRequest): void {
  if (unavailable.length > 0)
    throw new ItemsUnavailable(unavailable.map((item) => ({ ...item, list: 'add' as const })));
  if (add.length > 0 && currency !== state.currency) throw new CurrencyMismatch(currency);
  if (state.lines.length + add.length > MAX_LINES) {
    throw new InvalidOrderItems(`An order has at most ${MAX_LINES} lines, with those that it has given up`);
  }
  const added = add.flatMap(({ metadata }) => (metadata ? [metadata] : []));
  if (added.length > 0) assertMetadataFits([...metadataOf(state), ...added]);
}

function givenUp(before: readonly LineQuantity[], kept: readonly LineQuantity[]): LineQuantity[] {
  return before
    .map(({ line, quantity }, index) => ({ line, quantity: quantity - (kept[index]?.quantity ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
}

/** The stock that the order needs, and where in the request. */
function demandOf(before: readonly PlacedLine[], { set, add }: LinesRequest): Pick<LinesChange, 'demand' | 'wanted'> {
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
 * An order of which only shipped units are left has shipped, one of which all is paid has succeeded, and one whose payments do
 * not cover the new total is to be paid again.
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
  // The statuses follow from shipments and payments, and are undone with them.
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
