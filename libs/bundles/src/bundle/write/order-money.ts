import { isCrediting, shareOf, unitsByLine, type MoneyState, type RefundReason } from '@app/domain';
import type { OrderRecordLine } from '../schema/bundle.js';

type BundleRefund = NonNullable<OrderRecordLine['refunds']>[number];

/** A refund whose omitted fields are filled in, except `lines` and `restock`. */
export type CompleteRefund = BundleRefund & { readonly reason: RefundReason; readonly credited: number };

/**
 * Returns the amounts of an order. Bundles of earlier releases lack `cancelled_amount` and `credited`: the credits of
 * cancelled units and of refunds are then computed.
 */
export function moneyOf(line: OrderRecordLine): MoneyState & { readonly refunds: readonly CompleteRefund[] } {
  const { status, fulfillment_status: fulfillmentStatus, total_amount: totalAmount, payments = [] } = line;
  const cancellationFee = line.cancellation_fee || null;
  // A cancelled order owes at most its cancellation fee, or nothing without one.
  const isCancelled = status === 'CANCELLED' || cancellationFee !== null;
  const defaultCredit = isCancelled ? Math.max(0, totalAmount - (cancellationFee ?? 0)) : shareOfCancelled(line);
  const cancelledAmount = line.cancelled_amount ?? defaultCredit;
  const paid = payments.map(({ amount, written_off: writtenOff = 0 }) => ({ amount, writtenOff }));
  const notOwed = paid.reduce((sum, { writtenOff }) => sum + writtenOff, cancelledAmount);
  const surplus = paid.reduce((sum, { amount }) => sum + amount, 0) - Math.max(0, totalAmount - notOwed);
  const refunds = refundsOf(line, { owed: Math.max(0, totalAmount - notOwed), surplus: Math.max(0, surplus) });
  return { status, fulfillmentStatus, totalAmount, cancelledAmount, cancellationFee, payments: paid, refunds };
}

function shareOfCancelled(order: OrderRecordLine): number {
  const { total_amount: totalAmount, shipping_amount: shippingAmount = 0, line_items = [] } = order;
  const { shipping_tax: shippingTax = [], tax_included: isTaxIncluded = false } = order;
  const lines = line_items.map(
    ({ unit_price: unitPrice, quantity, tax = [], discount_amount: discount = 0 }, index) => {
      return { line: index + 1, unitPrice, quantity, tax, discount };
    },
  );
  const cancelled = line_items.map(({ cancelled_quantity: quantity = 0 }, index) => ({ line: index + 1, quantity }));
  return shareOf({ totalAmount, shippingAmount, shippingTax, isTaxIncluded, lines }, cancelled, []);
}

/** Counts each refund first against overpayments. Only the rest is a credit. */
function refundsOf(line: OrderRecordLine, money: { owed: number; surplus: number }): CompleteRefund[] {
  let { owed, surplus } = money;
  const cancelled = unitsByLine(
    (line.line_items ?? []).map(({ cancelled_quantity: quantity = 0 }, index) => ({ line: index + 1, quantity })),
  );
  return (line.refunds ?? []).map((refund) => {
    const repaid = Math.min(refund.amount, surplus);
    const isCredit = !refund.reason || isCrediting(refund.reason);
    const credited = refund.credited ?? (isCredit ? Math.min(owed, refund.amount - repaid) : 0);
    surplus -= repaid;
    owed -= Math.min(owed, credited);
    const reason = refund.reason ?? (refund.lines ? 'goods' : credited > 0 ? 'goodwill' : 'repayment');
    const lines = refund.lines?.map((units) => {
      const left = refund.restock ? 0 : (cancelled.get(units.line) ?? 0);
      const { line, quantity, cancelled_quantity = Math.min(quantity, left) } = units;
      cancelled.set(line, left - cancelled_quantity);
      return { line, quantity, ...(cancelled_quantity > 0 && { cancelled_quantity }) };
    });
    return { ...refund, reason, credited, ...(lines && { lines }) };
  });
}
