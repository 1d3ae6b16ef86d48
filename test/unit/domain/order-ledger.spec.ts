import {
  bookingsOf,
  cancelOrder,
  changeLines,
  effectOf,
  ledgerOf,
  NO_CHARGES,
  taxLinesOf,
  NO_DETAILS,
  PlacedOrder,
  recordPayment,
  recordRefund,
  setStatuses,
  shipOrder,
  DomainError,
  FULFILLMENT_STATUSES,
  PAYMENT_STATUSES,
  type Booking,
  type ChargeableOrder,
  type Charges,
  type RecordedPayment,
  type LineCharges,
  type LineQuantity,
  type OrderChange,
  type PlacedLine,
  type PlacedOrderState,
  type RefundReason,
  type Tax,
} from '@app/domain';
import { aLine, cancellation, refunding, shipping, stateOf } from '../../builders/order-state.js';
import { seededRandom } from '../../support/seeded-random.js';

type Random = ReturnType<typeof seededRandom>;

const LIVES = 500;
const STEPS = 16;
const REASONS: readonly (RefundReason | null)[] = [
  null,
  null,
  'goods',
  'shipping',
  'goodwill',
  'chargeback',
  'repayment',
];

/**
 * The books that a merchant keeps independently of the service: one account for what a customer owes of an order. They
 * know the requests and the prices, but nothing that the service computes.
 */
class Books {
  /** What the customer owes minus what was paid. It is negative when the merchant owes. */
  private account = 0;
  /** What the customer would owe without any payment. */
  claim = 0;
  paid = 0;
  payments = 0;
  writtenOff = 0;
  repaid = 0;
  /** What the customer owes of a cancelled order. */
  fee = 0;
  /** The value of each unit of each line that is neither cancelled nor refunded, the next one first. */
  readonly units = new Map<number, number[]>();

  /** The same, without the credits beyond what the order costs now: nobody pays them out. */
  get balance(): number {
    return this.account - Math.min(0, this.claim);
  }

  sell(total: number): void {
    this.account += total;
    this.claim += total;
  }

  credit(amount: number): void {
    this.account -= amount;
    this.claim -= amount;
  }

  pay(amount: number): void {
    this.account -= amount;
    this.paid += amount;
    this.payments++;
  }

  /** @param amount a negative amount reverses a write-off. */
  writeOff(amount: number): void {
    this.writtenOff += amount;
    this.credit(amount);
  }

  get isPaidBack(): boolean {
    return this.paid > 0 && this.repaid >= this.paid && this.balance <= 0;
  }

  payBack(amount: number): void {
    this.account += amount;
    this.repaid += amount;
  }

  /** Units of each line that were cancelled, and that no refund was for. */
  readonly cancelled = new Map<number, number>();

  /** @returns the value of the units. */
  giveUp(units: readonly LineQuantity[]): number {
    for (const { line, quantity } of units) this.cancelled.set(line, (this.cancelled.get(line) ?? 0) + quantity);
    return this.take(units);
  }

  /** A refund covers cancelled units first. @returns the value of the others. */
  refund(units: readonly LineQuantity[]): number {
    const others = units.map(({ line, quantity }) => {
      const cancelled = Math.min(quantity, this.cancelled.get(line) ?? 0);
      this.cancelled.set(line, (this.cancelled.get(line) ?? 0) - cancelled);
      return { line, quantity: quantity - cancelled };
    });
    return this.take(others);
  }

  private take(units: readonly LineQuantity[]): number {
    return units.flatMap(({ line, quantity }) => this.units.get(line)?.splice(0, quantity) ?? []).reduce(sum, 0);
  }
}

const sum = (one: number, other: number) => one + other;

describe('the ledger of an order', () => {
  it(`is what double-entry books have, after each step of ${LIVES} lives`, () => {
    const reached = new Set<string>();
    for (let life = 0; life < LIVES; life++) live(seededRandom(life), reached);

    // Every kind of step was taken, and led to each status.
    expect([...reached].sort()).toEqual([
      ...['CANCELLED', 'FAILED', 'PENDING', 'REFUNDED', 'SUCCEEDED'],
      ...['cancel', 'fee', 'lines', 'pay', 'refund', 'ship'],
    ]);
  });

  it('is what its bookings add up to, also where operators set the statuses', () => {
    const kinds = new Set<string>();
    for (let life = 0; life < LIVES; life++) {
      const random = seededRandom(life);
      let state = stateOf({});
      const booked: Booking[] = [];
      for (let n = 0; n < STEPS; n++) {
        const order = new PlacedOrder(state);
        const { owed, paid, refunded: repaid } = ledgerOf(state);
        const books = new Books();
        books.sell(owed);
        books.pay(paid);
        books.payBack(repaid);
        const isSet = random(3) === 0;
        const [, change] = isSet ? setStatus(random, order) : step(random, order, books, { n, shop: null });
        if (!change) continue;
        booked.push(...bookingsOf(order, change));
        state = after(state, change);
        expect({ n, ...sumsOf(booked, 3500) }).toEqual({ n, ...amountsOf(state) });
      }
      for (const { kind } of booked) kinds.add(kind);
    }

    expect([...kinds].sort()).toEqual([
      ...['cancellation', 'chargeback', 'credit', 'lines', 'payment', 'refund', 'write_off'],
    ]);
  });
});

function live(random: Random, reached: Set<string>): void {
  const shop = random(2) === 0 ? new Shop(random(2) === 0) : null;
  const lines = [aLine(1, 1 + random(5)), aLine(2, 1 + random(3)), aLine(3, 1 + random(2), { unitPrice: 333 })];
  const charged = lines.map((line) => ({ ...line, ...shop?.chargesOfLine(line) }));
  const goods = charged.map((line) => costOf(line, shop)).reduce(sum);
  const ordered = lines.map(({ unitPrice, quantity }) => unitPrice * quantity).reduce(sum);
  const { shippingAmount, shippingTax } = shop?.shippingFor(ordered) ?? { shippingAmount: 0, shippingTax: [] };
  const totalAmount = goods + shippingAmount + (shop?.isTaxIncluded ? 0 : taxOf(shippingTax));
  const amounts = { totalAmount, shippingAmount, shippingTax, isTaxIncluded: shop?.isTaxIncluded ?? false };
  let state = stateOf({ ...amounts, lines: charged });
  const books = new Books();
  books.sell(totalAmount);
  const booked: Booking[] = [];
  for (const line of charged) books.units.set(line.line, valuesOf(line, shop, 0));

  for (let n = 0; n < STEPS; n++) {
    const order = new PlacedOrder(state);
    const [kind, change] = step(random, order, books, { n, shop });
    if (!change) continue;
    booked.push(...bookingsOf(order, change));
    reached.add(kind);
    state = after(state, change);
    const { status, fulfillmentStatus } = state;
    reached.add(status);
    // A cancelled order is not owed without a fee, and neither is an order whose whole payment was paid back.
    if ((fulfillmentStatus === 'CANCELLED' && books.fee === 0) || status === 'CANCELLED')
      books.credit(Math.max(0, books.claim));

    const { owed, paid, refunded, open, refundDue } = ledgerOf(state);
    const told = { owed, paid, refunded, open, refundDue, status };
    const { balance } = books;
    expect({ n, kind, ...told }).toEqual({
      ...{ n, kind, owed: Math.max(0, books.claim), paid: books.paid, refunded: books.repaid },
      ...{ open: Math.max(0, balance), refundDue: Math.max(0, -balance) },
      status: statusIn(books, status),
    });
    expect({ n, ...sumsOf(booked, totalAmount) }).toEqual({ n, ...amountsOf(state) });
    // What is not owed is not taxed, and each tax is never more than was sold, and never negative.
    const taxes = taxesIn(booked, charged, shippingTax);
    const sold = byRate(taxLinesOf(state));
    expect({ n, kind, taxes: owed === 0 && totalAmount > 0 ? taxes : {} }).toEqual({ n, kind, taxes: {} });
    const isWithin = Object.entries(taxes).every(
      ([rate, amount]) => amount >= 0 && amount <= (sold[Number(rate)] ?? 0),
    );
    expect({ n, kind, taxes, sold, isWithin }).toEqual({ n, kind, taxes, sold, isWithin: true });
    // What clients record is booked with its reference.
    const ofKinds = (...these: readonly string[]) => booked.filter((booking) => these.includes(booking.kind));
    expect(sumsOf(ofKinds('payment'), 0)).toEqual({ ...NOTHING, paid: books.paid });
    expect(sumsOf(ofKinds('refund', 'chargeback'), 0)).toEqual({ ...NOTHING, refunded: books.repaid });
    expect(sumsOf(ofKinds('write_off'), 0)).toEqual({ ...NOTHING, credited: books.writtenOff });
    expect(ofKinds('payment', 'refund', 'chargeback', 'write_off').filter(({ reference }) => !reference)).toEqual([]);
  }
}

/** Sums the taxes of the placing and of all bookings, by rate. Those of a credit are subtracted. */
function taxesIn(bookings: readonly Booking[], lines: readonly PlacedLine[], shippingTax: readonly Tax[]) {
  const booked = bookings.flatMap(({ kind, taxLines }) =>
    taxLines.map((tax) => ({ ...tax, amount: kind === 'lines' ? tax.amount : -tax.amount })),
  );
  return byRate([...lines.flatMap(({ tax }) => tax), ...shippingTax, ...booked]);
}

function byRate(taxes: readonly Tax[]): Readonly<Record<number, number>> {
  const sums: Record<number, number> = {};
  for (const { rate, amount } of taxes) sums[rate] = (sums[rate] ?? 0) + amount;
  return Object.fromEntries(Object.entries(sums).filter(([, amount]) => amount !== 0));
}

const NOTHING = { charged: 0, credited: 0, paid: 0, refunded: 0 };

/** @param charged the charge for the placing, which is not among the bookings. */
function sumsOf(bookings: readonly Booking[], charged: number) {
  const sumOf = (field: keyof typeof NOTHING) => bookings.map((booking) => booking[field]).reduce(sum, 0);
  return {
    charged: charged + sumOf('charged'),
    ...{ credited: sumOf('credited'), paid: sumOf('paid'), refunded: sumOf('refunded') },
  };
}

function amountsOf(state: PlacedOrderState) {
  const { credited, paid, refunded } = ledgerOf(state);
  return { charged: state.totalAmount, credited, paid, refunded };
}

/** What the books say of the payment; they do not know whether an unpaid order still waits for it. */
function statusIn({ balance, claim, paid, repaid, payments }: Books, told: string): string {
  if (told === 'CANCELLED' && claim <= 0) return told;
  if (paid === 0 && payments > 0 && balance <= 0) return 'FAILED';
  if (balance > 0 || paid === 0) return told === 'FAILED' ? told : 'PENDING';
  return repaid >= paid ? 'REFUNDED' : 'SUCCEEDED';
}

type Step = readonly [kind: string, change: OrderChange | null];

function step(random: Random, order: PlacedOrder, books: Books, { n, shop }: { n: number; shop: Shop | null }): Step {
  const { state } = order;
  const some = (units: readonly LineQuantity[]) =>
    units.filter(() => random(2) === 0).map(({ line, quantity }) => ({ line, quantity: 1 + random(quantity) }));
  if (random(25) === 0) return ['fee', cancelFor(1 + random(Math.max(1, books.claim + 200)), order, books)];
  switch (random(9)) {
    case 0:
    case 1:
    case 2: {
      const open = Math.max(0, books.balance);
      const how = random(6);
      const wanted = Math.max(1, open + books.writtenOff);
      const amount =
        how === 0 ? state.totalAmount : how === 1 ? random(2) * Math.max(0, open - random(300)) : 1 + random(wanted);
      const kinds = { partial: how > 1 && how < 5, settles: how === 1, excess: how === 5 };
      const request = { reference: `pi_${n}`, amount, currency: 'USD', ...kinds, ...NO_DETAILS };
      const change = made(() => recordPayment(order, { ...request, at: null, requestHash: 'hash' }));
      if (!change) return ['pay', null];
      // What was written off is owed again, unless everything is, and no more than the fee.
      const isOver = (order.isCancelled && books.fee === 0) || books.isPaidBack;
      const most = books.fee > 0 ? books.fee - Math.max(0, books.claim) : books.writtenOff;
      const takenBack = isOver ? 0 : Math.min(books.writtenOff, most, Math.max(0, amount - open));
      books.pay(amount);
      books.writeOff(request.settles ? open - amount : -takenBack);
      return ['pay', change];
    }
    case 3: {
      const items = some(order.unshippedUnits);
      return [
        'ship',
        items.length === 0 ? null : made(() => shipOrder(order, shipping({ reference: `S-${n}`, items }))),
      ];
    }
    case 4: {
      const items = some(order.unshippedUnits);
      if (items.length === 0) return ['cancel', null];
      const change = made(() => cancelOrder(order, { ...cancellation, restock: null }, items));
      if (change) books.credit(Math.min(Math.max(0, books.claim), books.giveUp(items)));
      return ['cancel', change];
    }
    case 8: {
      const line = 1 + random(3);
      const more = 1 + random(3);
      const quantity = (state.lines[line - 1]?.quantity ?? 0) + more;
      const request = { set: [{ line, quantity }], add: [], unavailable: [], currency: 'USD' as never };
      const change = made(() => changeLines(order, request, (asked) => shop?.chargesOf(asked) ?? NO_CHARGES));
      if (change?.effects.length) resell(order, books, { line, quantity }, shop);
      return ['lines', change];
    }
    default:
      return ['refund', refund(random, order, books, n)];
  }
}

function setStatus(random: Random, order: PlacedOrder): Step {
  const [status, fulfillmentStatus] = [PAYMENT_STATUSES, FULFILLMENT_STATUSES].map(
    (words) => words[random(words.length)],
  );
  const change = (random(2) === 0 ? { status } : { fulfillmentStatus }) as Parameters<typeof setStatuses>[1];
  return ['status', made(() => setStatuses(order, change))];
}

function cancelFor(fee: number, order: PlacedOrder, books: Books): OrderChange | null {
  const change = made(() => cancelOrder(order, { ...cancellation, restock: null, fee }));
  if (!change?.effects.length) return change;
  expect(fee).toBeLessThanOrEqual(books.claim);
  books.credit(books.claim - fee);
  books.fee = fee;
  books.giveUp([...books.units].map(([line, units]) => ({ line, quantity: units.length })));
  return change;
}

/** The rules of docs/erp.md, on the balance of the books. */
function refund(random: Random, order: PlacedOrder, books: Books, n: number): OrderChange | null {
  const reason = REASONS[random(REASONS.length)] ?? null;
  const isOfGoods = reason === 'goods' || (reason === null && random(2) === 0);
  const left = new Map(
    [...books.units].map(([line, units]) => [line, units.length + (books.cancelled.get(line) ?? 0)]),
  );
  const lines = isOfGoods
    ? [...left]
        .filter(([, units]) => units > 0 && random(2) === 0)
        .map(([line, units]) => ({ line, quantity: 1 + random(units) }))
    : [];
  const amount = random(3) === 0 ? 0 : random(Math.max(1, books.paid - books.repaid + 1));
  const request = refunding({ reference: `re_${n}`, amount, reason, lines: lines.length > 0 ? lines : null });
  const earlier = new Map(books.cancelled);
  const [claim, due] = [Math.max(0, books.claim), Math.max(0, -books.balance)];
  const change = made(() => recordRefund(order, request));
  if (!change) return null;
  books.payBack(amount);
  const isRepayment = lines.length === 0 && amount <= due;
  const why = reason ?? (lines.length > 0 ? 'goods' : isRepayment ? 'repayment' : 'goodwill');
  const share = books.refund(lines);
  if (why === 'chargeback' || why === 'repayment') return change;
  const beyond = reason === null || reason === 'goods' ? amount - due : amount;
  books.credit(Math.min(claim, Math.max(share, beyond)));
  const named = effectOf(change, 'refund')?.lines ?? [];
  const unnamed = (effectOf(change, 'cancelledUnits')?.lines ?? []).map(({ line, quantity }) => {
    const ofRefund = Math.max(
      0,
      (named.find((each) => each.line === line)?.cancelledQuantity ?? 0) - (earlier.get(line) ?? 0),
    );
    return { line, quantity: quantity - ofRefund };
  });
  books.giveUp(unnamed);
  return change;
}

/** Returns null for a step that the order refuses. */
function made(change: () => OrderChange): OrderChange | null {
  try {
    const decided = change();
    return decided.refusal ? null : decided;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return null;
  }
}

function after(state: PlacedOrderState, change: OrderChange): PlacedOrderState {
  const { status, fulfillmentStatus } = change;
  const [payment, refunded, cancelled] = [
    effectOf(change, 'payment'),
    effectOf(change, 'refund'),
    effectOf(change, 'cancelledUnits'),
  ];
  const fee = effectOf(change, 'cancellationFee');
  const [shipment, changed] = [effectOf(change, 'shipment'), effectOf(change, 'lines')];
  const lines = state.lines.map((line) => {
    const gone = cancelled?.lines.find((each) => each.line === line.line)?.quantity ?? 0;
    const edited = { ...line, ...changed?.changed.find((each) => each.line === line.line) };
    return { ...edited, binQuantity: edited.quantity, cancelledQuantity: line.cancelledQuantity + gone };
  });
  return {
    ...state,
    ...{ status, fulfillmentStatus, lines },
    totalAmount: changed?.totalAmount ?? state.totalAmount,
    shippingAmount: changed?.shippingAmount ?? state.shippingAmount,
    shippingTax: changed?.shippingTax ?? state.shippingTax,
    cancelledAmount: state.cancelledAmount + (cancelled?.amount ?? 0) + (fee?.credited ?? 0),
    cancellationFee: fee?.amount ?? state.cancellationFee,
    credits: [...state.credits, ...creditsOf(new PlacedOrder(state), change)],
    payments: payment ? [...state.payments, payment satisfies RecordedPayment] : state.payments,
    refunds: refunded ? [...state.refunds, refunded] : state.refunds,
    shipments: shipment ? new PlacedOrder(state).shipmentsWith(shipment.shipment) : state.shipments,
  };
}

/**
 * A shop independent of the service: 19 or 7 percent, a tenth off from four units of a line, shipping for 4.90 below
 * 40.00. It knows only the prices of an order.
 */
class Shop {
  constructor(readonly isTaxIncluded: boolean) {}

  chargesOf({ lines, subtotal }: ChargeableOrder): Charges {
    const { shippingAmount: shipping, shippingTax } = this.shippingFor(subtotal.minor);
    const charges = lines.map(({ productId, unitPrice, quantity }) =>
      this.chargesOfLine({ line: productId, unitPrice: unitPrice.minor, quantity }),
    );
    return { isTaxIncluded: this.isTaxIncluded, shipping, shippingTax, lines: charges };
  }

  chargesOfLine({ line, unitPrice, quantity }: Pick<PlacedLine, 'line' | 'unitPrice' | 'quantity'>): LineCharges {
    const price = unitPrice * quantity;
    const discount = quantity > 3 ? Math.floor(price / 10) : 0;
    return { discount, tax: [this.tax(price - discount, line === 2 ? 7 : 19)] };
  }

  shippingFor(goods: number) {
    const shippingAmount = goods < 4_000 ? 490 : 0;
    return { shippingAmount, shippingTax: [this.tax(shippingAmount, 19)] };
  }

  private tax(price: number, rate: number): Tax {
    return { name: 'VAT', rate, amount: halfUp(price * rate, this.isTaxIncluded ? 100 + rate : 100) };
  }
}

function taxOf(taxes: readonly Tax[]): number {
  return taxes.map(({ amount }) => amount).reduce(sum, 0);
}

function costOf({ unitPrice, quantity, discount, tax }: PlacedLine, shop: Shop | null): number {
  return unitPrice * quantity - discount + (shop?.isTaxIncluded ? 0 : taxOf(tax));
}

/** The values of the units of a line after its first ones. */
function valuesOf(line: PlacedLine, shop: Shop | null, first: number): number[] {
  const cost = costOf(line, shop);
  const value = (units: number) => halfUp(cost * units, line.quantity);
  return Array.from({ length: line.quantity - first }, (_, n) => value(first + n + 1) - value(first + n));
}

/** Lines of which all units are left to ship are sold again, as the shop sells them now; the others keep what a unit costs. */
function resell(
  { state, unshippedUnits, hasShipped }: PlacedOrder,
  books: Books,
  set: LineQuantity,
  shop: Shop | null,
) {
  const lines = state.lines.map((before) => {
    const open = unshippedUnits.find(({ line }) => line === before.line)?.quantity ?? 0;
    const quantity = before.line === set.line ? set.quantity : before.quantity;
    const part = (whole: number) => halfUp(whole * quantity, Math.max(1, before.quantity));
    const isOpen = open === before.quantity;
    const kept = { discount: part(before.discount), tax: [{ name: '', rate: 0, amount: part(taxOf(before.tax)) }] };
    const charges = isOpen && shop ? shop.chargesOfLine({ ...before, quantity }) : kept;
    return { before, isOpen, line: { ...before, quantity, ...charges } };
  });
  for (const { before, line } of lines) {
    books.sell(costOf(line, shop) - costOf(before, shop));
    const credited = before.quantity - (books.units.get(line.line)?.length ?? 0);
    books.units.set(line.line, valuesOf(line, shop, credited));
  }
  if (hasShipped || !shop || !lines.some(({ isOpen, line }) => isOpen && line.quantity > 0)) return;
  const shipped = shop.shippingFor(lines.map(({ line }) => line.unitPrice * line.quantity).reduce(sum));
  const cost = (shipping: number, tax: readonly Tax[]) => shipping + (shop.isTaxIncluded ? 0 : taxOf(tax));
  books.sell(cost(shipped.shippingAmount, shipped.shippingTax) - cost(state.shippingAmount, state.shippingTax));
}

function creditsOf(order: PlacedOrder, change: OrderChange): readonly Booking[] {
  return bookingsOf(order, change).filter(({ kind, credited, taxLines }) => {
    return kind !== 'lines' && (credited !== 0 || taxLines.length > 0);
  });
}

function halfUp(product: number, by: number): number {
  return Math.floor((2 * product + by) / (2 * by));
}
