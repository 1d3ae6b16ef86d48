import {
  cancelOrder,
  changeLines,
  effectOf,
  ledgerOf,
  NO_DETAILS,
  PlacedOrder,
  recordPayment,
  recordRefund,
  shipOrder,
  DomainError,
  type KnownPayment,
  type LineQuantity,
  type OrderChange,
  type PlacedOrderState,
  type RefundReason,
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
 * The books of a merchant beside the service: one account for what a customer owes of an order. They know what was asked for, and
 * the prices; nothing that the service computes.
 */
class Books {
  /** What the customer owes, less what was paid. Negative: what the merchant owes. */
  balance = 0;
  /** What the customer would owe without any payment. */
  claim = 0;
  paid = 0;
  payments = 0;
  writtenOff = 0;
  repaid = 0;
  /** What the customer owes of a cancelled order. */
  fee = 0;
  /** The value of each unit of each line that is neither given up nor refunded, the next one first. */
  readonly units = new Map<number, number[]>();

  sell(total: number): void {
    this.balance += total;
    this.claim += total;
  }

  credit(amount: number): void {
    this.balance -= amount;
    this.claim -= amount;
  }

  pay(amount: number): void {
    this.balance -= amount;
    this.paid += amount;
    this.payments++;
  }

  /** @param amount negative: takes back what was written off. */
  writeOff(amount: number): void {
    this.writtenOff += amount;
    this.credit(amount);
  }

  get isPaidBack(): boolean {
    return this.paid > 0 && this.repaid >= this.paid && this.balance <= 0;
  }

  payBack(amount: number): void {
    this.balance += amount;
    this.repaid += amount;
  }

  /** Units of each line that were given up, and that no refund was for. */
  readonly cancelled = new Map<number, number>();

  /** @returns their value. */
  giveUp(units: readonly LineQuantity[]): number {
    for (const { line, quantity } of units) this.cancelled.set(line, (this.cancelled.get(line) ?? 0) + quantity);
    return this.take(units);
  }

  /** A refund is for units that were given up first. @returns the value of the others. */
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
});

function live(random: Random, reached: Set<string>): void {
  const hasCharges = random(2) === 0;
  const lines = [aLine(1, 1 + random(5)), aLine(2, 1 + random(3)), aLine(3, 1 + random(2), { unitPrice: 333 })];
  const goods = lines.map(({ unitPrice, quantity }) => unitPrice * quantity).reduce(sum);
  const [shippingAmount, taxLessDiscount] = hasCharges ? [490, random(900) - random(Math.floor(goods / 2))] : [0, 0];
  const totalAmount = goods + shippingAmount + taxLessDiscount;
  let state = stateOf({ lines, totalAmount, shippingAmount });
  const books = new Books();
  books.sell(totalAmount);
  let value = 0;
  let price = 0;
  for (const { line, unitPrice, quantity } of lines) {
    const before = value;
    price += unitPrice * quantity;
    value = halfUp((goods + taxLessDiscount) * price, goods);
    const share = (units: number) => halfUp((value - before) * units, quantity);
    books.units.set(
      line,
      Array.from({ length: quantity }, (_, n) => share(n + 1) - share(n)),
    );
  }

  for (let n = 0; n < STEPS; n++) {
    const order = new PlacedOrder(state);
    const [kind, change] = step(random, order, books, { n, hasCharges });
    if (!change) continue;
    reached.add(kind);
    state = after(state, change);
    const { status, fulfillmentStatus } = state;
    reached.add(status);
    // A cancelled order is not owed without a fee, and neither is one of which all was paid back.
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
  }
}

/** What the books say of the payment; they do not know whether an unpaid order still waits for it. */
function statusIn({ balance, claim, paid, repaid, payments }: Books, told: string): string {
  if (told === 'CANCELLED' && claim <= 0) return told;
  if (paid === 0 && payments > 0 && balance <= 0) return 'FAILED';
  if (balance > 0 || paid === 0) return told === 'FAILED' ? told : 'PENDING';
  return repaid >= paid ? 'REFUNDED' : 'SUCCEEDED';
}

type Step = readonly [kind: string, change: OrderChange | null];

function step(
  random: Random,
  order: PlacedOrder,
  books: Books,
  { n, hasCharges }: { n: number; hasCharges: boolean },
): Step {
  const { state } = order;
  const some = (units: readonly LineQuantity[]) =>
    units.filter(() => random(2) === 0).map(({ line, quantity }) => ({ line, quantity: 1 + random(quantity) }));
  if (random(25) === 0) return ['fee', cancelFor(1 + random(Math.max(1, books.claim + 200)), order, books)];
  switch (random(hasCharges ? 8 : 9)) {
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
      // What was written off is owed again, unless all is, and no more than the fee.
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
      const change = made(() => changeLines(order, request));
      const { unitPrice = 0 } = state.lines[line - 1] ?? {};
      if (change?.effects.length) {
        books.sell(unitPrice * more);
        books.units.get(line)?.push(...Array.from({ length: more }, () => unitPrice));
      }
      return ['lines', change];
    }
    default:
      return ['refund', refund(random, order, books, n)];
  }
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

/** Null for a step that the order refuses. */
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
    const quantity = changed?.quantities.find((each) => each.line === line.line)?.quantity ?? line.quantity;
    return { ...line, quantity, binQuantity: quantity, cancelledQuantity: line.cancelledQuantity + gone };
  });
  return {
    ...state,
    ...{ status, fulfillmentStatus, lines },
    totalAmount: changed?.totalAmount ?? state.totalAmount,
    cancelledAmount: state.cancelledAmount + (cancelled?.amount ?? 0) + (fee?.credited ?? 0),
    cancellationFee: fee?.amount ?? state.cancellationFee,
    payments: payment ? [...state.payments, payment satisfies KnownPayment] : state.payments,
    refunds: refunded ? [...state.refunds, refunded] : state.refunds,
    shipments: shipment ? new PlacedOrder(state).shipmentsWith(shipment.shipment) : state.shipments,
  };
}

function halfUp(product: number, by: number): number {
  return Math.floor((2 * product + by) / (2 * by));
}
