import type { OrderReceipt, QuotedAmounts } from '@app/application';
import { PAYMENT_METHODS, toDecimal } from '@app/domain';
import {
  arrayOf,
  integer,
  majorUnits,
  object,
  oneOf,
  representation,
  text,
  uuid,
  type ValueOf,
} from '@app/representations';
import type { Static } from '@sinclair/typebox';
import { single, type SingleEnvelope } from '../envelope.js';

/** The camel case is the contract's. */
const QuotedItem = object({
  productId: text('The id of the product, as a string.', '70'),
  name: text('From the catalog.', 'Runner'),
  quantity: integer('Units.', 2),
  price: majorUnits('Unit price, from the catalog.', 79.9),
});

export const Quoted = object({
  subtotal: majorUnits('Sum of the lines.', 159.8),
  total: majorUnits('The amount owed.', 159.8),
  payment_method: oneOf(PAYMENT_METHODS, 'Payment method.'),
  items: arrayOf(QuotedItem, 'The lines, in the order of the request.'),
});

export const CreatedOrder = representation(
  'CreatedOrder',
  object({
    order_id: uuid('The order.'),
    receipt_number: text('The readable key of the order.', 'WEB-261120-7K3M9Q'),
    ...Quoted.properties,
  }),
  { money: 'major' },
);

export type CreatedOrderResponse = SingleEnvelope<ValueOf<typeof CreatedOrder>>;

export function toCreatedOrder(receipt: OrderReceipt): CreatedOrderResponse {
  return single({ order_id: receipt.orderId, receipt_number: receipt.receiptNumber, ...toQuote(receipt) });
}

export function toQuote({ currency, subtotal, total, paymentMethod, items }: QuotedAmounts): Static<typeof Quoted> {
  return {
    subtotal: toDecimal(subtotal, currency),
    total: toDecimal(total, currency),
    payment_method: paymentMethod,
    items: items.map(({ productId, name, quantity, unitPrice }) => ({
      productId: String(productId),
      name,
      quantity,
      price: toDecimal(unitPrice, currency),
    })),
  };
}
