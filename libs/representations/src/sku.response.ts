import { MAX_CUSTOMER_BREAKS, type SkuRecord } from '@app/application';
import { toDecimal, type Currency } from '@app/domain';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const SkuListItem = representation(
  'SkuListItem',
  is.object({
    sku: is.text('`""` when there is none. Different units may have the same SKU.', 'R-1-42'),
    product_id: is.id('The product, as `items[].product_id` of an order.', 70),
    variant_id: is.orNull(
      is.id('The variant, as `items[].variant_id` of an order. Null for a product without variants.', 12),
    ),
    product_slug: is.text('The product in URLs.', 'runner'),
    name: is.text('Name of the product, as on order lines. `attributes` distinguish its variants.', 'Runner'),
    attributes: is.attributes('Attributes of the variant, by name. Empty for a product without variants.'),
    price: is.majorUnits('Unit price.', 79.9),
    price_source: is.onlyWith(
      is.orNull(is.text('The price list that gives the price; null: the catalog.', 'DEALERS')),
      'customer_id',
    ),
    price_breaks: is.onlyWith(
      is.arrayOf(
        is.object({
          from_quantity: is.integer('From this quantity on, of all lines of an order with the unit.', 10),
          price: is.majorUnits('Unit price.', 71.9),
          price_source: is.orNull(is.text('The price list; null: the catalog.', 'DEALERS')),
        }),
        `How the price depends on the quantity, sorted by it, from 1; at most ${MAX_CUSTOMER_BREAKS} from price lists.`,
      ),
      'customer_id',
    ),
    quantity: is.integer(
      'Available units of exactly this variant or product, without those that open orders have taken.',
      7,
      'int64',
    ),
    warehouses: is.onlyWith(
      is.arrayOf(
        is.object({
          warehouse: is.text('Code of an active warehouse.', 'MAIN'),
          quantity: is.integer('Available units in its bins.', 7, 'int64'),
        }),
        'Available units by warehouse, sorted by code. They add up to `quantity`.',
      ),
      'warehouses',
    ),
    status: is.oneOf(['ACTIVE'], 'Status of the product. Other products are not shown.'),
    ...is.included({ updated_at: is.timestamp('When the row last changed.') }),
  }),
  { money: 'major' },
);
export function toSkuListItem(unit: SkuRecord, currency: Currency): ValueOf<typeof SkuListItem> {
  return {
    sku: unit.sku,
    product_id: unit.productId,
    variant_id: unit.variantId,
    product_slug: unit.productSlug,
    name: unit.name,
    attributes: unit.attributes,
    price: toDecimal(unit.price, currency),
    ...(unit.priceSource !== undefined && { price_source: unit.priceSource }),
    ...(unit.priceBreaks && {
      price_breaks: unit.priceBreaks.map(({ fromQuantity, price, priceSource }) => {
        return { from_quantity: fromQuantity, price: toDecimal(price, currency), price_source: priceSource };
      }),
    }),
    quantity: unit.quantity,
    ...(unit.warehouses && { warehouses: unit.warehouses }),
    status: unit.status,
    ...(unit.updatedAt && { updated_at: unit.updatedAt.toISOString() }),
  };
}
