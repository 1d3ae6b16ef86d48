import type { SkuRecord, WarehouseUnits } from '@app/application';
import type { VariantAttributes } from '@app/domain';
import { sortAttributes } from '../postgres/attributes.js';
import { toSafeInteger } from '../postgres/integers.js';

export interface FoundSkuRow {
  readonly sku: string;
  readonly product_id: number;
  readonly variant_id: number | null;
  readonly product_slug: string;
  readonly name: string;
  readonly attributes: VariantAttributes;
  readonly attribute_names: readonly string[];
  readonly price: string;
  readonly quantity: string;
  readonly warehouses?: readonly WarehouseUnits[];
  readonly status: string;
}

export interface SkuRow extends FoundSkuRow {
  readonly total: string;
}

export function toSkuRecord(row: FoundSkuRow): SkuRecord {
  return {
    sku: row.sku,
    productId: row.product_id,
    variantId: row.variant_id,
    productSlug: row.product_slug,
    name: row.name,
    attributes: sortAttributes(row.attributes, row.attribute_names),
    price: toSafeInteger(row.price),
    quantity: toSafeInteger(row.quantity),
    ...(row.warehouses && { warehouses: row.warehouses }),
    status: row.status,
  };
}
