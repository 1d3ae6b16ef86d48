import {
  CatalogPricing,
  type LineRequest,
  type PricedCustomer,
  type PricedItems,
  type PriceRequest,
} from '@app/application';
import {
  isOffered,
  Money,
  orderLineOf,
  sumDemand,
  type UnavailableItem,
  type UnofferedQuantity,
  type VariantAttributes,
} from '@app/domain';
import { Injectable } from '@nestjs/common';
import { sortAttributes } from '../postgres/attributes.js';
import { Database } from '../postgres/database.js';
import { customerOf, listsOf, offerFor } from './list-offers.js';
import { keyOf } from './priced-units.js';

interface CatalogRow {
  readonly product_id: number;
  readonly asked_variant_id: number | null;
  /** Is null when no variant was requested, or the requested one is unavailable. */
  readonly variant_id: number | null;
  readonly name: string;
  readonly sku: string;
  readonly price: number;
  /** Null for the price of the catalog. */
  readonly price_source: string | null;
  readonly attributes: VariantAttributes;
  readonly attribute_names: readonly string[];
  /** Null without a rule, with `step`. */
  readonly min_quantity: number | null;
  readonly step: number | null;
  /** Whether the store has price lists or quantity rules. The row then lacks their prices and rules. */
  readonly has_terms?: boolean;
}

// A single statement reads one snapshot. The planner expects a hundred lines in the JSON value; the LIMITs keep it from
// reading the whole catalog of the store. A line without a row names a product that is unknown, inactive or another
// store's: the client cannot tell which.
const COLUMNS = `product.id AS product_id, asked.variant_id AS asked_variant_id, variant.id AS variant_id, product.name,
    coalesce(variant.sku, product.sku) AS sku, coalesce(variant.attributes, '{}') AS attributes,
    coalesce(variant.attribute_names, '{}') AS attribute_names`;
const UNITS = `FROM jsonb_to_recordset($2) AS asked (product_id int, variant_id int, quantity int)
  CROSS JOIN LATERAL (
    SELECT id, name, sku, price FROM products
    WHERE store_id = $1 AND id = asked.product_id AND status = 'ACTIVE' LIMIT 1
  ) AS product
  LEFT JOIN LATERAL (
    SELECT id, sku, price, attributes, attribute_names FROM product_variants
    WHERE store_id = $1 AND product_id = asked.product_id AND id = asked.variant_id AND status = 'ACTIVE' LIMIT 1
  ) AS variant ON true`;

// The start of the plan with lists takes longer than the whole statement without. ORDER BY makes each look-up read an index.
const CATALOG_PRICE = `/* products.price */
  SELECT ${COLUMNS}, coalesce(variant.price, product.price) AS price, NULL AS price_source,
    NULL AS min_quantity, NULL AS step,
    coalesce((SELECT store_id FROM price_lists WHERE store_id = $1 ORDER BY code LIMIT 1),
      (SELECT store_id FROM quantity_rules WHERE store_id = $1 ORDER BY product_id LIMIT 1)) IS NOT NULL AS has_terms
  ${UNITS}`;

const LIST_PRICE = `/* products.price_by_lists */
  WITH lists AS MATERIALIZED (${listsOf(customerOf('$3', '$4'), '$5::timestamptz')})
  SELECT ${COLUMNS}, coalesce(offer.price, variant.price, product.price) AS price, offer.code AS price_source,
    rule.min_quantity, rule.step
  ${UNITS}
  LEFT JOIN LATERAL (${offerFor('asked.product_id', 'coalesce(asked.variant_id, 0)', 'asked.quantity')}) AS offer ON true
  LEFT JOIN LATERAL (
    SELECT min_quantity, step FROM quantity_rules
    WHERE store_id = $1 AND product_id = asked.product_id AND variant_key = coalesce(asked.variant_id, 0)
      AND list IN ('', offer.code)
    ORDER BY list DESC LIMIT 1
  ) AS rule ON true`;

@Injectable()
export class LiveCatalogPricing extends CatalogPricing {
  /** Stores that had price lists or quantity rules. Their prices are read with lists at once, which is right for all stores. */
  private readonly storesWithTerms = new Set<number>();

  constructor(private readonly database: Database) {
    super();
  }

  override async price({
    storeId,
    currency,
    lines,
    otherLines = [],
    customer,
    at,
  }: PriceRequest): Promise<PricedItems> {
    const units = sumDemand([...lines, ...otherLines]);
    const quantities = new Map(units.map((unit) => [keyOf(unit), unit.quantity]));
    const quantityOf = (unit: LineRequest) => quantities.get(keyOf(unit)) ?? unit.quantity;
    const asked = lines.map((line) => {
      return { product_id: line.productId, variant_id: line.variantId, quantity: quantityOf(line) };
    });
    const rows = await this.read(storeId, JSON.stringify(asked), customer, at);
    const catalog = new Map(
      rows.map((row) => [keyOf({ productId: row.product_id, variantId: row.asked_variant_id }), row]),
    );

    const unavailable: UnavailableItem[] = [];
    const notOffered: UnofferedQuantity[] = [];
    const priced = lines.flatMap((request, line) => {
      const { productId, variantId, quantity } = request;
      const row = catalog.get(keyOf(request));
      if (!row || row.variant_id !== variantId) {
        const isVariant = row !== undefined && variantId !== null;
        unavailable.push({
          line,
          ...(isVariant ? { what: 'variant', id: variantId } : { what: 'product', id: productId }),
        });
        return [];
      }
      const { name, sku, min_quantity: minQuantity, step, price_source: priceSource } = row;
      const rule = { minQuantity: minQuantity ?? 1, step: step ?? 1 };
      const requested = quantityOf(request);
      if (!isOffered(requested, rule)) notOffered.push({ line, requested, ...rule });
      const attributes = sortAttributes(row.attributes, row.attribute_names);
      const unitPrice = Money.ofMinor(row.price, currency);
      const draft = { productId, variantId, sku, name, attributes, unitPrice, quantity };
      return [orderLineOf({ ...draft, ...(priceSource !== null && { priceSource }) })];
    });
    return { lines: priced, unavailable, notOffered };
  }

  /** All rows are from one snapshot. */
  private async read(storeId: number, asked: string, { id, email }: PricedCustomer, at: Date): Promise<CatalogRow[]> {
    if (!this.storesWithTerms.has(storeId)) {
      const rows = await this.database.queryPrepared<CatalogRow>(CATALOG_PRICE, [storeId, asked]);
      if (rows.length === 0 || !rows[0]?.has_terms) return rows;
      this.storesWithTerms.add(storeId);
    }
    return this.database.queryPrepared(LIST_PRICE, [storeId, asked, id, email, at]);
  }
}
