import { ChargesUnavailable, PricesUnavailable } from '@app/application';
import { domainErrors as refused, MAX_BINS_OF_ORDER, Money } from '@app/domain';
import { CreatedOrder, Order, OrderListItem, OrderPreview, type ResourceDocumentation } from '@app/representations';
import { ApiWrite } from '../openapi/endpoints.js';
import { PricedOrderRequest } from './create-order.request.js';
import { invalidField } from '../errors/invalid-fields.js';

export const ORDERS_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Orders',
  description: 'Orders of points of sale and of the website: read, placed, shipped, paid, refunded, cancelled.',
  schemas: [OrderListItem, Order, CreatedOrder, OrderPreview],
};

export const ORDER = {
  name: 'id',
  description: 'UUID, or receipt number in any letter case.',
  example: '652e11cd-af5e-469b-9ad6-28bda7a6431d',
};

const BODY = {
  type: PricedOrderRequest,
  example: { items: [{ product_id: 70, quantity: 1 }], customer: { name: 'Ada Lovelace' } },
  moreExamples: {
    bySku: {
      summary: 'By SKU, with your own number, the customer and charges, which count for a key with the scope `pricing`',
      value: {
        items: [
          {
            sku: 'LKM-KIT-010',
            quantity: 1,
            unit_price: 78.95,
            tax: [{ name: 'VAT', rate: 20, amount: 1579 }],
            discount_amount: 0,
          },
        ],
        customer: {
          name: 'Ada Lovelace',
          email: 'ada@example.com',
          phone: '+44 20 7946 0000',
          address: '12 St James Square',
          city: 'London',
          zip: 'SW1Y 4JH',
          country: 'GB',
        },
        payment_method: 'COD',
        shipping_amount: 500,
        notes: 'Please ring twice',
        external_reference: 'PO-2026-117',
      },
    },
    refused: {
      summary: 'More units than there are: refused with 422 `out_of_stock`, or listed in `problems` of a preview',
      value: { items: [{ product_id: 70, quantity: 999 }], customer: { name: 'Ada Lovelace' } },
    },
  },
};
const FAULTS = [
  new refused.AmbiguousSku([{ line: 2, sku: 'R-1-42' }]),
  new refused.MetadataTooLarge(),
  new refused.TooManyTaxes(50),
  new refused.UnknownCustomer(),
  new ChargesUnavailable(),
  new PricesUnavailable(),
  invalidField('customer.name is required'),
  invalidField('items[2].quantity must be an integer from 1 to 999'),
];

export const ApiCreateOrder = ApiWrite({
  operationId: 'createOrder',
  summary: 'Place an order',
  description:
    'Names come from the live catalog, unit prices from the price lists of the customer or else the catalog; prices in the ' +
    'request are ignored. The order runs the full pipeline: fraud analysis, inventory and notifications. Payment on delivery or offline only.',
  body: BODY,
  of: CreatedOrder,
  answer: {
    status: 201,
    description: 'The order was placed, by this request or by an earlier one with the same Idempotency-Key.',
  },
  isRepeatable: true,
  ignoresFields: true,
  failures: [
    ...FAULTS,
    new refused.ItemsUnavailable([{ line: 2, what: 'product', id: 77 }]),
    new refused.OutOfStock([{ line: 0, requested: 5, available: 3 }]),
    new refused.QuantityNotOffered([{ line: 0, requested: 5, minQuantity: 6, step: 6 }]),
    new refused.TooManyBinsOfOrder(MAX_BINS_OF_ORDER),
    new refused.CurrencyMismatch('USD'),
    new refused.PriceChanged(Money.ofMinor(5600, 'USD')),
    new refused.OrderRejected(),
    new refused.ExternalReferenceTaken(Order.example.id),
  ],
});

export const ApiPreviewOrder = ApiWrite({
  operationId: 'previewOrder',
  summary: 'Prices, totals and problems of an order that is not placed',
  description:
    'Takes the body of an order and returns the data of its 201 without `order_id` and `receipt_number`, with the ' +
    'charges and `problems`. Reserves nothing and writes nothing, so a key with the scope `read` suffices. The fraud ' +
    'analysis does not run: it may still refuse or hold the order. `items` and the totals omit lines with `item_unavailable` and ' +
    'contain those that are `out_of_stock`. Money is in major units: 10.99 is 10.99 USD.',
  body: BODY,
  of: OrderPreview,
  answer: {
    status: 200,
    description: 'The order was not placed. `problems` is empty if it can be placed now.',
  },
  ignoresFields: true,
  failures: FAULTS,
});
