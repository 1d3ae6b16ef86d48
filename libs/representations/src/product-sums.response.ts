import type { ProductSums as Sums } from '@app/application';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const ProductSums = representation(
  'ProductSums',
  is.object({
    product_id: is.orNull(is.id('The product. Null for lines of imported orders without one.', 70)),
    variant_id: is.orNull(is.id('The variant. Null for the product itself, and with `by=product`.', 12)),
    sku: is.text('The SKU of the variant or the product as it is now; without a product, that of the lines.', 'R-1-42'),
    name: is.text('The name of the product as it is now; without a product, that of the lines.', 'Runner'),
    units: is.integer('Units in the lines of the orders, without cancelled ones.', 31, 'int64'),
    amount: is.minorUnits('Sum of their unit prices, before discounts.', 254200),
    returned: is.integer('Shipped units that went back to bins, now or later than the period.', 2, 'int64'),
    cancelled: is.integer('Units that the orders gave up, and all units of cancelled orders.', 1, 'int64'),
  }),
  { money: 'minor' },
);

export function toProductSums(sums: Sums): ValueOf<typeof ProductSums> {
  return {
    product_id: sums.productId,
    variant_id: sums.variantId,
    sku: sums.sku,
    name: sums.name,
    units: sums.units,
    amount: sums.amount,
    returned: sums.returned,
    cancelled: sums.cancelled,
  };
}
