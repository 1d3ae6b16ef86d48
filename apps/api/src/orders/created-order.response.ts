import { toDecimal, type Order } from '@app/domain';
import { single, type SingleEnvelope } from '../envelope.js';

/** `data` of the 201. Money is in major units; the camel case of the items is the contract's. */
export interface CreatedOrderResponse {
  readonly order_id: string;
  readonly receipt_number: string;
  readonly subtotal: number;
  readonly total: number;
  readonly payment_method: string;
  readonly items: readonly {
    readonly productId: string;
    readonly name: string;
    readonly quantity: number;
    readonly price: number;
  }[];
}

export function toCreatedOrder(order: Order): SingleEnvelope<CreatedOrderResponse> {
  return single({
    order_id: order.id,
    receipt_number: order.receiptNumber,
    subtotal: toDecimal(order.subtotal.minor, order.currency),
    total: toDecimal(order.total.minor, order.currency),
    payment_method: order.paymentMethod,
    items: order.lines.map(({ productId, name, quantity, unitPrice }) => ({
      productId: String(productId),
      name,
      quantity,
      price: toDecimal(unitPrice.minor, order.currency),
    })),
  });
}
