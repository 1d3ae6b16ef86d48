import type { PriceList as PriceListRecord, UnitPrices as UnitPricesRecord } from '@app/application';
import { toDecimal, type Currency } from '@app/domain';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const PriceList = representation(
  'PriceList',
  is.object({
    code: is.text('Names the list in requests. Letter case matters.', 'RESELLER'),
    name: is.text('Display name.', 'Resellers'),
    currency: is.text('The currency of the store, which its prices have.', 'USD'),
    priority: is.integer(
      "Among the lists of a customer's groups, the list with the highest priority applies first.",
      10,
    ),
    valid_from: is.orNull(
      is.text("The first day on which the list applies, in the store's time zone. Null: no first day.", '2026-01-01'),
    ),
    valid_to: is.orNull(is.text('The last day on which the list applies. Null: no last day.', '2026-12-31')),
    customer_groups: is.arrayOf(
      is.text('A group of customers.', 'reseller'),
      'The groups of customers to whom the list applies.',
    ),
  }),
);

export function toPriceListResponse(list: PriceListRecord, currency: Currency): ValueOf<typeof PriceList> {
  return {
    code: list.code,
    name: list.name,
    currency,
    priority: list.priority,
    valid_from: list.validFrom,
    valid_to: list.validTo,
    customer_groups: list.customerGroups,
  };
}

export const UnitPrices = representation(
  'UnitPrices',
  is.object({
    list: is.text('The price list; `""` for the catalog.', 'RESELLER'),
    sku: is.text('`""` when there is none.', 'R-1-42'),
    product_id: is.id('The product.', 70),
    variant_id: is.orNull(is.id('The variant. Null for the product itself.', 12)),
    price_breaks: is.arrayOf(
      is.object({
        from_quantity: is.integer('From how many units of an order on the price applies.', 1),
        price: is.majorUnits('The unit price.', 64.9),
      }),
      'The prices by quantity, the lowest quantity first. The catalog has one, from 1 on.',
    ),
    min_quantity: is.orNull(is.integer('The fewest units that an order may have. Null: there is no rule.', 6)),
    step: is.orNull(is.integer('Orders have multiples of it. Null: there is no rule.', 6)),
  }),
  { money: 'major' },
);

export function toUnitPrices(
  { sku, productId, variantId, priceBreaks, rule }: UnitPricesRecord,
  list: string,
  currency: Currency,
): ValueOf<typeof UnitPrices> {
  return {
    list,
    sku,
    product_id: productId,
    variant_id: variantId,
    price_breaks: priceBreaks.map(({ fromQuantity, price }) => ({
      from_quantity: fromQuantity,
      price: toDecimal(price, currency),
    })),
    min_quantity: rule?.minQuantity ?? null,
    step: rule?.step ?? null,
  };
}
