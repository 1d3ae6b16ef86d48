import type { OrderSums as Sums } from '@app/application';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const OrderSums = representation(
  'OrderSums',
  is.object({
    period: is.text('A day, or a month such as `2026-03`, in the time zone of the store.', '2026-03-29'),
    group: is.optional(
      is.text('The payment method, the source or the country of the orders; `""` for none. Only with `group`.', 'COD'),
    ),
    orders: is.integer('Orders placed in the period, cancelled ones included.', 12, 'int64'),
    cancelled: is.integer('Orders whose payment or fulfillment status is now `CANCELLED`.', 1, 'int64'),
    units: is.integer('Units in the lines of the orders.', 31, 'int64'),
    amount: is.minorUnits('Sum of the `total_amount` of the orders.', 562800),
    tax: is.minorUnits('Sum of the taxes of the orders, as they were sold.', 89800),
    shipping: is.minorUnits('Sum of their shipping.', 4900),
    discount: is.minorUnits('Sum of their discounts.', 0),
    refunded: is.minorUnits('Sum of the refunds of the period by their `at`, whenever the order was placed.', 46900),
    paid: is.minorUnits('Sum of what was paid in the period by the journal, whenever the order was placed.', 515900),
    credited: is.minorUnits(
      'Sum of the credits of the period by the journal: for goods, shipping, goodwill and cancelled units.',
      31000,
    ),
    given_up: is.minorUnits('Sum of what cancellations and write-offs of the period credit.', 46900),
  }),
  { money: 'minor' },
);

export function toOrderSums({ givenUp, ...sums }: Sums): ValueOf<typeof OrderSums> {
  return { ...sums, given_up: givenUp };
}
