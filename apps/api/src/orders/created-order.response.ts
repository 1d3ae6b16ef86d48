import { PAYMENT_METHODS, toDecimal, type Order, type Quote } from '@app/domain';
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

/** What an order costs. */
export const Quoted = object({
  subtotal: majorUnits('Sum of the lines.', 159.8),
  total: majorUnits('The amount owed.', 159.8),
  payment_method: oneOf(PAYMENT_METHODS, 'Payment method.'),
  items: arrayOf(QuotedItem, 'The lines, in the order of the request.'),
});

/** `data` of the 201. */
export const CreatedOrder = representation(
  'CreatedOrder',
  object({
    order_id: uuid('The order.'),
    receipt_number: text('The readable key of the order.', 'WEB-261120-7K3M9Q'),
    ...Quoted.properties,
  }),
  { money: 'major' },
);

export function toCreatedOrder(order: Order): SingleEnvelope<ValueOf<typeof CreatedOrder>> {
  return single({ order_id: order.id, receipt_number: order.receiptNumber, ...toQuote(order) });
}

export function toQuote({ subtotal, total, currency, paymentMethod, lines }: Quote): Static<typeof Quoted> {
  return {
    subtotal: toDecimal(subtotal.minor, currency),
    total: toDecimal(total.minor, currency),
    payment_method: paymentMethod,
    items: lines.map(({ productId, name, quantity, unitPrice }) => ({
      productId: String(productId),
      name,
      quantity,
      price: toDecimal(unitPrice.minor, currency),
    })),
  };
}
