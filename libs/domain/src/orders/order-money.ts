export interface MoneyRecord {
  /** Unique among the payments, or the refunds, of the order for ever. */
  readonly reference: string;
  /** In minor units of the order's currency. */
  readonly amount: number;
  readonly at: Date;
}

type Amounts = readonly Pick<MoneyRecord, 'amount'>[];

interface MoneyState {
  readonly status: string;
  readonly totalAmount: number;
  readonly payments: Amounts;
}

/** An operator or another system may have set an order as paid, and then as refunded, without a record. */
export function paidOf({ status, totalAmount, payments }: MoneyState): number {
  return Math.max(sumOf(payments), status === 'SUCCEEDED' || status === 'REFUNDED' ? totalAmount : 0);
}

/** In minor units: all that was paid of a cancelled order, and what exceeds the total of another. */
export function refundDueOf(
  order: MoneyState & { readonly fulfillmentStatus: string; readonly refunds: Amounts },
): number {
  const { status, fulfillmentStatus, totalAmount, refunds } = order;
  const isRefunded = status === 'REFUNDED';
  const isCancelled = status === 'CANCELLED' || fulfillmentStatus === 'CANCELLED';
  const refunded = Math.max(sumOf(refunds), isRefunded ? totalAmount : 0);
  const kept = isCancelled || isRefunded ? 0 : Math.max(0, totalAmount);
  return Math.max(0, paidOf(order) - refunded - kept);
}

export function sumOf(records: Amounts): number {
  return records.reduce((total, { amount }) => total + amount, 0);
}
