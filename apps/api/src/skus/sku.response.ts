import type { SkuRecord } from '@app/application';
import { toDecimal, type Currency } from '@app/domain';
import { id, integer, majorUnits, object, oneOf, orNull, text } from '../openapi/schema.js';

export type SkuListItem = ReturnType<typeof toSkuListItem>;

/** `price` is in major units. */
export function toSkuListItem(unit: SkuRecord, currency: Currency) {
  return {
    sku: unit.sku,
    product_id: unit.productId,
    variant_id: unit.variantId,
    product_slug: unit.productSlug,
    name: unit.name,
    attributes: unit.attributes,
    price: toDecimal(unit.price, currency),
    quantity: unit.quantity,
    status: unit.status,
  };
}

export const SKU_LIST_ITEM = object<SkuListItem>({
  sku: text('`""` when there is none. Different units may have the same SKU.', 'R-1-42'),
  product_id: id('The product, as `items[].product_id` of an order.'),
  variant_id: orNull(id('The variant, as `items[].variant_id` of an order. Null for a product without variants.')),
  product_slug: text('The product in URLs.', 'runner'),
  name: text('Name of the product, as on order lines. `attributes` tell its variants apart.', 'Runner'),
  attributes: {
    type: 'object',
    description: 'Attributes of the variant, by name. Empty for a product without variants.',
    additionalProperties: { type: 'string' },
    examples: [{ Size: '42', Color: 'Blue' }],
  },
  price: majorUnits('Unit price.'),
  quantity: integer('Available units of exactly this variant or product: what open orders have taken is not in it.', 7),
  status: oneOf(['ACTIVE'], 'Status of the product. Other products are not shown.'),
});
