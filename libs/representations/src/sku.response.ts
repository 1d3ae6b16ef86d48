import type { SkuRecord } from '@app/application';
import { toDecimal, type Currency } from '@app/domain';
import { representation, type ValueOf } from './resource.js';
import { arrayOf, attributes, id, integer, majorUnits, object, oneOf, optional, orNull, text } from './schema.js';

export const SkuListItem = representation(
  'SkuListItem',
  object({
    sku: text('`""` when there is none. Different units may have the same SKU.', 'R-1-42'),
    product_id: id('The product, as `items[].product_id` of an order.', 70),
    variant_id: orNull(
      id('The variant, as `items[].variant_id` of an order. Null for a product without variants.', 12),
    ),
    product_slug: text('The product in URLs.', 'runner'),
    name: text('Name of the product, as on order lines. `attributes` distinguish its variants.', 'Runner'),
    attributes: attributes('Attributes of the variant, by name. Empty for a product without variants.'),
    price: majorUnits('Unit price.', 79.9),
    quantity: integer(
      'Available units of exactly this variant or product: what open orders have taken is not in it.',
      7,
    ),
    warehouses: optional(
      arrayOf(
        object({
          warehouse: text('Code of an active warehouse.', 'MAIN'),
          quantity: integer('Available units in its bins.', 7),
        }),
        'Available units by warehouse, sorted by code. They add up to `quantity`. Only with `warehouses=true`.',
      ),
    ),
    status: oneOf(['ACTIVE'], 'Status of the product. Other products are not shown.'),
  }),
  { money: 'major' },
);
export type SkuResponse = ValueOf<typeof SkuListItem>;

export function toSkuListItem(unit: SkuRecord, currency: Currency): SkuResponse {
  return {
    sku: unit.sku,
    product_id: unit.productId,
    variant_id: unit.variantId,
    product_slug: unit.productSlug,
    name: unit.name,
    attributes: unit.attributes,
    price: toDecimal(unit.price, currency),
    quantity: unit.quantity,
    ...(unit.warehouses && { warehouses: unit.warehouses }),
    status: unit.status,
  };
}
