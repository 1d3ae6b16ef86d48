export interface MoneyRecord {
  /** Unique among the payments, or the refunds, of the order for ever. */
  readonly reference: string;
  /** In minor units of the order's currency. */
  readonly amount: number;
  readonly at: Date;
}

type Amounts = readonly Pick<MoneyRecord, 'amount'>[];

export interface MoneyState {
  readonly status: string;
  readonly fulfillmentStatus: string;
  readonly totalAmount: number;
  readonly lines: readonly { readonly unitPrice: number; readonly cancelledQuantity: number }[];
  readonly payments: Amounts;
  readonly refunds: Amounts;
}

/** The total without the units that were given up. */
function priceOf({ totalAmount, lines }: MoneyState): number {
  return lines.reduce((price, { unitPrice, cancelledQuantity }) => price - unitPrice * cancelledQuantity, totalAmount);
}

/** In minor units. Nothing of a cancelled order. */
export function amountOwedOf(order: MoneyState): number {
  const isCancelled = order.status === 'CANCELLED' || order.fulfillmentStatus === 'CANCELLED';
  return isCancelled || order.status === 'REFUNDED' ? 0 : Math.max(0, priceOf(order));
}

export function paidOf(order: MoneyState): number {
  return recordedOf(order.payments, order.status === 'SUCCEEDED' || order.status === 'REFUNDED', order);
}

/** In minor units: what was paid, and neither refunded nor owed. */
export function refundDueOf(order: MoneyState): number {
  const refunded = recordedOf(order.refunds, order.status === 'REFUNDED', order);
  return Math.max(0, paidOf(order) - refunded - amountOwedOf(order));
}

/** An operator or another system may have set an order as paid, and then as refunded, without all records, or any. */
function recordedOf(records: Amounts, isSet: boolean, order: MoneyState): number {
  const least = records.length === 0 ? order.totalAmount : priceOf(order);
  return Math.max(sumOf(records), isSet ? least : 0);
}

export function sumOf(records: Amounts): number {
  return records.reduce((total, { amount }) => total + amount, 0);
}
