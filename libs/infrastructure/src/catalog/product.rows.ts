import type { ProductRecord, ProductSummary, ProductVariantRecord } from '@app/application';
import type { VariantAttributes } from '@app/domain';
import { sortAttributes } from '../postgres/attributes.js';
import { toSafeInteger } from '../postgres/integers.js';

export interface ProductRow {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly price: string;
  readonly quantity: string;
  readonly status: string;
}

export interface ProductRecordRow extends ProductRow {
  readonly sku: string;
  readonly featured: boolean;
  readonly description: string;
  readonly images: readonly { readonly url?: string; readonly alt?: string }[];
  readonly variants: readonly VariantJson[];
  /** Units by `variant_key`. */
  readonly units: Readonly<Record<number, number>>;
  readonly specifications: readonly { readonly name?: string; readonly value?: string }[];
  readonly categories: readonly LinkJson[];
  readonly brand: LinkJson | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

type VariantJson = readonly [
  id: number,
  sku: string,
  name: string,
  price: string,
  attributes: VariantAttributes,
  attributeNames: readonly string[],
  status: string,
];

type LinkJson = readonly [id: number, name: string, slug: string];

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
  // In Node 20, an object literal with a spread and further fields takes ten times as long.
  return Object.assign(toProductSummary(row), {
    sku: row.sku,
    featured: row.featured,
    description: row.description,
    images: row.images.map(({ url, alt }) => ({ url: url ?? '', alt: alt ?? '' })),
    variants: row.variants.map((variant) => toVariant(variant, row.units)),
    specifications: row.specifications.map(({ name, value }) => ({ name: name ?? '', value: value ?? '' })),
    categories: row.categories.map(toLink),
    brand: row.brand && toLink(row.brand),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  });
}

function toVariant(variant: VariantJson, units: ProductRecordRow['units']): ProductVariantRecord {
  const [id, sku, name, price, attributes, attributeNames, status] = variant;
  return {
    id,
    sku,
    name,
    price: toSafeInteger(price),
    attributes: sortAttributes(attributes, attributeNames),
    quantity: units[id] ?? 0,
    status,
  };
}

function toLink([id, name, slug]: LinkJson) {
  return { id, name, slug };
}
