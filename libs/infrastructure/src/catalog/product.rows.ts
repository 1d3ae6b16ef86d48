import type { ProductRecord, ProductSummary, ProductVariantRecord } from '@app/application';
import type { VariantAttributes } from '@app/domain';
import { sortAttributes } from '../postgres/attributes.js';
import { toSafeInteger } from '../postgres/integers.js';

/** A row of `products` as pg returns it: bigint is text. */
export interface ProductRow {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly price: string;
  readonly quantity: string;
  readonly status: string;
}

/** A row with the product's parts, which come as JSON. */
export interface ProductRecordRow extends ProductRow {
  readonly sku: string;
  readonly featured: boolean;
  readonly description: string;
  readonly images: readonly { readonly url?: string; readonly alt?: string }[];
  readonly variants: readonly VariantJson[];
  readonly specifications: readonly { readonly name?: string; readonly value?: string }[];
  readonly categories: readonly { readonly id: number; readonly name: string; readonly slug: string }[];
  readonly brand: { readonly id: number; readonly name: string; readonly slug: string } | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

interface VariantJson {
  readonly id: number;
  readonly sku: string;
  readonly name: string;
  readonly price: string;
  readonly attributes: VariantAttributes;
  readonly attribute_names: readonly string[];
  readonly quantity: number;
  readonly status: string;
}

export function toProductSummary(row: ProductRow): ProductSummary {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    price: toSafeInteger(row.price),
    quantity: toSafeInteger(row.quantity),
    status: row.status,
  };
}

export function toProductRecord(row: ProductRecordRow): ProductRecord {
  return {
    ...toProductSummary(row),
    sku: row.sku,
    featured: row.featured,
    description: row.description,
    images: row.images.map(({ url, alt }) => ({ url: url ?? '', alt: alt ?? '' })),
    variants: row.variants.map(toVariant),
    specifications: row.specifications.map(({ name, value }) => ({ name: name ?? '', value: value ?? '' })),
    categories: row.categories,
    brand: row.brand,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toVariant(variant: VariantJson): ProductVariantRecord {
  return {
    id: variant.id,
    sku: variant.sku,
    name: variant.name,
    price: toSafeInteger(variant.price),
    attributes: sortAttributes(variant.attributes, variant.attribute_names),
    quantity: variant.quantity,
    status: variant.status,
  };
}
