import { CatalogPricing, type LineRequest, type PricedItems } from '@app/application';
import { Money, orderLineOf, type Currency, type UnavailableItem, type VariantAttributes } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { sortAttributes } from '../postgres/attributes.js';
import { Database } from '../postgres/database.js';

interface CatalogRow {
  readonly product_id: number;
  readonly asked_variant_id: number | null;
  /** Is null when no variant was requested, or the requested one is unavailable. */
  readonly variant_id: number | null;
  readonly name: string;
  readonly sku: string;
  readonly price: number;
  readonly attributes: VariantAttributes;
  readonly attribute_names: readonly string[];
}

// A single statement reads one snapshot. The planner expects a hundred lines in the JSON value; the LIMITs keep it from
// reading the whole catalog of the store. A line without a row names a product that is unknown, inactive or another
// store's: the client cannot tell which.
const PRICE = `/* products.price */
  SELECT product.id AS product_id, asked.variant_id AS asked_variant_id, variant.id AS variant_id, product.name,
    coalesce(variant.sku, product.sku) AS sku, coalesce(variant.price, product.price) AS price,
    coalesce(variant.attributes, '{}') AS attributes,
    coalesce(variant.attribute_names, '{}') AS attribute_names
  FROM jsonb_to_recordset($2) AS asked (product_id int, variant_id int)
  CROSS JOIN LATERAL (
    SELECT id, name, sku, price FROM products
    WHERE store_id = $1 AND id = asked.product_id AND status = 'ACTIVE' LIMIT 1
  ) AS product
  LEFT JOIN LATERAL (
    SELECT id, sku, price, attributes, attribute_names FROM product_variants
    WHERE store_id = $1 AND product_id = asked.product_id AND id = asked.variant_id AND status = 'ACTIVE' LIMIT 1
  ) AS variant ON true`;

@Injectable()
export class LiveCatalogPricing extends CatalogPricing {
  constructor(private readonly database: Database) {
    super();
  }

  override async price(storeId: number, currency: Currency, lines: readonly LineRequest[]): Promise<PricedItems> {
    const rows = await this.database.queryPrepared<CatalogRow>(PRICE, [
      storeId,
      JSON.stringify(lines.map(({ productId, variantId }) => ({ product_id: productId, variant_id: variantId }))),
    ]);
    const catalog = new Map(rows.map((row) => [keyOf(row.product_id, row.asked_variant_id), row]));

    const unavailable: UnavailableItem[] = [];
    const priced = lines.flatMap(({ productId, variantId, quantity }, line) => {
      const row = catalog.get(keyOf(productId, variantId));
      if (!row || row.variant_id !== variantId) {
        const isVariant = row !== undefined && variantId !== null;
        unavailable.push({
          line,
          ...(isVariant ? { what: 'variant', id: variantId } : { what: 'product', id: productId }),
        });
        return [];
      }
      const { name, sku } = row;
      const attributes = sortAttributes(row.attributes, row.attribute_names);
      const unitPrice = Money.ofMinor(row.price, currency);
      return [orderLineOf({ productId, variantId, sku, name, attributes, unitPrice, quantity })];
    });
    return { lines: priced, unavailable };
  }
}

function keyOf(productId: number, variantId: number | null): string {
  return `${productId}/${variantId ?? ''}`;
}
