import type { OrderReceipt, QuotedAmounts } from '@app/application';
import { PAYMENT_METHODS, toDecimal } from '@app/domain';
import type { Static } from '@sinclair/typebox';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

/** The contract requires camel case here. */
export const QuotedItem = is.object({
  productId: is.text('The id of the product, as a string.', '70'),
  name: is.text('From the catalog.', 'Runner'),
  quantity: is.integer('Units.', 2),
  price: is.majorUnits('Unit price, as the order pays it.', 79.9),
});

export const Quoted = is.object({
  subtotal: is.majorUnits('Sum of the lines.', 159.8),
  total: is.majorUnits('Total of the order: the sum with tax and shipping, less any discount.', 159.8),
  payment_method: is.oneOf(PAYMENT_METHODS, 'Payment method.'),
  items: is.arrayOf(QuotedItem, 'The lines, in the order of the request.'),
});

export const CreatedOrder = representation(
  'CreatedOrder',
  is.object({
    order_id: is.uuid('The order.'),
    receipt_number: is.text('The readable key of the order.', 'WEB-261120-7K3M9Q'),
    ...Quoted.properties,
  }),
  { money: 'major' },
);

export function toCreatedOrder(receipt: OrderReceipt): ValueOf<typeof CreatedOrder> {
  return { order_id: receipt.orderId, receipt_number: receipt.receiptNumber, ...toQuote(receipt) };
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
