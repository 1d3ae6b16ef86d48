import { PAYMENT_METHODS, toDecimal, type Order, type Quote } from '@app/domain';
import { single, type SingleEnvelope } from '../envelope.js';
import { arrayOf, integer, majorUnits, object, oneOf, text, uuid } from '../openapi/schema.js';

/** What an order costs. Money is in major units; the camel case of the items is the contract's. */
export interface QuoteResponse {
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

/** `data` of the 201. */
export interface CreatedOrderResponse extends QuoteResponse {
  readonly order_id: string;
  readonly receipt_number: string;
}

export function toCreatedOrder(order: Order): SingleEnvelope<CreatedOrderResponse> {
  return single({ order_id: order.id, receipt_number: order.receiptNumber, ...toQuote(order) });
}

export function toQuote({ subtotal, total, currency, paymentMethod, lines }: Quote): QuoteResponse {
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

export const QUOTE = object<QuoteResponse>({
  subtotal: majorUnits('Sum of the lines.'),
  total: majorUnits('The amount owed.'),
  payment_method: oneOf(PAYMENT_METHODS, 'Payment method.'),
  items: arrayOf(
    object<QuoteResponse['items'][number]>({
      productId: text('The id of the product, as a string.', '1'),
      name: text('From the catalog.', 'Mug'),
      quantity: integer('Units.', 2),
      price: majorUnits('Unit price, from the catalog.'),
    }),
    'The lines, in the order of the request.',
  ),
});

export const CREATED_ORDER = object<CreatedOrderResponse>({
  order_id: uuid('The order.'),
  receipt_number: text('The readable key of the order.', 'WEB-261120-7K3M9Q'),
  ...QUOTE.properties,
});
