export interface OrderAnswer {
  readonly id: string;
  readonly status: string;
  readonly fulfillment_status: string;
  readonly total_amount: number;
  readonly amount_credited: number;
  readonly amount_owed: number;
  readonly amount_paid: number;
  readonly amount_refunded: number;
  readonly amount_open: number;
  readonly refund_due: number;
  readonly line_items: readonly {
    readonly line: number;
    readonly product_id: string;
    readonly unit_price: number;
    readonly quantity: number;
    readonly shipped_quantity: number;
    readonly cancelled_quantity: number;
  }[];
  readonly shipments: readonly ShipmentAnswer[];
  readonly customer: { readonly id: string | null };
  readonly payments: readonly (MoneyAnswer & { readonly written_off: number })[];
  readonly refunds: readonly RefundAnswer[];
  readonly pipeline: readonly { readonly stage: string; readonly reference: string }[];
}

export interface Units {
  readonly line: number;
  readonly quantity: number;
}

interface ShipmentAnswer {
  readonly reference: string;
  readonly status: string;
  readonly items: readonly Units[];
  readonly carrier: string;
}

export interface MoneyAnswer {
  readonly reference: string;
  readonly amount: number;
}

interface RefundAnswer extends MoneyAnswer {
  readonly credited: number;
  readonly lines: readonly (Units & { readonly cancelled_quantity: number })[];
}

export function excessOf(order: OrderAnswer): string[] {
  const { line_items, shipments, payments, refunds } = order;
  const violations = line_items.flatMap(({ line, quantity, shipped_quantity: told, cancelled_quantity: cancelled }) => {
    const claimed = unitsOf(line, shipments.filter(isActive));
    const shipped = unitsOf(line, shipments.filter(hasLeft));
    return [
      ...(Math.max(claimed, told) + cancelled > quantity
        ? [`line ${line} has ${quantity} units, ${claimed} in shipments, ${told} shipped, ${cancelled} cancelled`]
        : []),
      ...(told === shipped ? [] : [`line ${line} tells ${told} shipped units, its shipments have ${shipped}`]),
    ];
  });
  const [paid, refunded] = [sumOf(payments), sumOf(refunds)];
  if (refunded > paid) violations.push(`${refunded} was refunded of ${paid}`);
  return [...violations, ...moneyViolations(order, paid, refunded)];
}

function moneyViolations(order: OrderAnswer, paid: number, refunded: number): string[] {
  const { status, fulfillment_status, total_amount, amount_credited: credited, payments } = order;
  const isOver = fulfillment_status === 'CANCELLED';
  const owed = isOver ? 0 : Math.max(0, total_amount - credited);
  const balance = owed - (paid - refunded);
  const expected = [owed, paid, refunded, Math.max(0, balance), Math.max(0, -balance)].join();
  const told = [
    order.amount_owed,
    order.amount_paid,
    order.amount_refunded,
    order.amount_open,
    order.refund_due,
  ].join();
  const settled =
    payments.length > 0 && balance <= 0 ? (refunded >= paid && paid > 0 ? 'REFUNDED' : 'SUCCEEDED') : 'open';
  const isWrong = settled === 'open' ? status === 'SUCCEEDED' || status === 'REFUNDED' : status !== settled;
  return [
    ...(told === expected ? [] : [`owed, paid, refunded, open and due are ${told}, not ${expected}`]),
    ...(isWrong && !isOver ? [`the payment is ${settled}, and the order is ${status}`] : []),
    ...(isOver ? [] : creditViolations(order)),
  ];
}

/** The orders have no charges: a unit is worth its price. */
function creditViolations({ amount_credited, total_amount, line_items, payments, refunds }: OrderAnswer): string[] {
  const recorded = payments.reduce((sum, { written_off }) => sum + written_off, 0);
  const rest = amount_credited - refunds.reduce((sum, { credited }) => sum + credited, recorded);
  const givenUp = line_items.reduce((sum, line) => sum + line.unit_price * line.cancelled_quantity, 0);
  // After a change to fewer lines, the order may cost less than was credited: no more is credited than the order costs.
  if (rest < 0 && amount_credited === total_amount) return [];
  return rest < 0 || rest > givenUp ? [`${rest} is credited for units that were given up, worth ${givenUp}`] : [];
}

export function isActive({ status }: Pick<ShipmentAnswer, 'status'>): boolean {
  return status !== 'void';
}

export function hasLeft({ status }: Pick<ShipmentAnswer, 'status'>): boolean {
  return status === 'shipped' || status === 'delivered';
}

export function unitsOf(line: number, shipments: readonly Pick<ShipmentAnswer, 'items'>[]): number {
  return shipments
    .flatMap(({ items }) => items)
    .filter((item) => item.line === line)
    .reduce((sum, { quantity }) => sum + quantity, 0);
}

export function contentOf(items: readonly Units[]): string {
  const lines = [...new Set(items.map(({ line }) => line))].sort((a, b) => a - b);
  return lines.map((line) => `${line}×${unitsOf(line, [{ items }])}`).join(' ');
}

export function sumOf(records: readonly MoneyAnswer[]): number {
  return records.reduce((sum, { amount }) => sum + amount, 0);
}
