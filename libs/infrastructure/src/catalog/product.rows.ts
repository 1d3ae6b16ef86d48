import type { ProductRecord, ProductVariantRecord } from '@app/application';
import type { Metadata, VariantAttributes } from '@app/domain';
import { sortAttributes } from '../postgres/attributes.js';
import { toSafeInteger } from '../postgres/integers.js';

/** The fields of a product's record that a row contains, and the parts that the other fields are made from. */
export interface ProductRow extends Omit<
  ProductRecord,
  'images' | 'variants' | 'specifications' | 'categories' | 'brand'
> {
  readonly images: readonly { readonly url?: string; readonly alt?: string }[];
  readonly variants: readonly VariantJson[];
  /** Units by `variant_key`. */
  readonly units: Readonly<Record<number, number>>;
  readonly specifications: readonly { readonly name?: string; readonly value?: string }[];
  readonly categories: readonly LinkJson[];
  readonly brand: LinkJson | null;
}

type VariantJson = readonly [
  id: number,
  sku: string,
  name: string,
  price: string,
  attributes: VariantAttributes,
  attributeNames: readonly string[],
  status: string,
  metadata: Metadata,
  lowStock: number | null,
];

type LinkJson = readonly [id: number, name: string, slug: string];

export function toProductRecord({ units, ...row }: ProductRow): ProductRecord {
  // In Node 20, an object literal with a spread and more fields takes ten times as long.
  return Object.assign(row, {
    images: row.images.map(({ url, alt }) => ({ url: url ?? '', alt: alt ?? '' })),
    variants: row.variants.map((variant) => toVariant(variant, units)),
    specifications: row.specifications.map(({ name, value }) => ({ name: name ?? '', value: value ?? '' })),
    categories: row.categories.map(toLink),
    brand: row.brand && toLink(row.brand),
  });
}

function toVariant(variant: VariantJson, units: ProductRow['units']): ProductVariantRecord {
  const [id, sku, name, price, attributes, attributeNames, status, metadata, lowStock] = variant;
  return {
    id,
    sku,
    name,
    price: toSafeInteger(price),
    attributes: sortAttributes(attributes, attributeNames),
    quantity: units[id] ?? 0,
    status,
    metadata,
    lowStock,
  };
}

function toLink([id, name, slug]: LinkJson) {
  return { id, name, slug };
}
