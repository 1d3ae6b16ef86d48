import type { ProductRecord, ProductSummary } from '@app/application';
import { toDecimal, type Currency } from '@app/domain';
import { representation, type ValueOf } from './resource.js';
import {
  arrayOf,
  attributes,
  flag,
  id,
  integer,
  majorUnits,
  object,
  oneOf,
  orNull,
  text,
  timestamp,
} from './schema.js';

const Image = object({
  url: text('URL of the image.', 'https://cdn.example/runner.jpg'),
  alt: text('Alternative text of the image.', 'A blue shoe'),
});

const Variant = object({
  id: text('The variant: a number, as a string.', '12'),
  sku: text('`""` when there is none.', 'R-1-42'),
  name: text('Display name.', '42 / Blue'),
  price: majorUnits('Unit price.', 79.9),
  attributes: attributes('Attributes of the variant, by name.'),
  quantity: integer('Available units: what open orders have taken is not in it. 0 while the variant is inactive.', 7),
  status: oneOf(['ACTIVE', 'INACTIVE'], 'Only an active variant can be ordered.'),
});

const Specification = object({
  name: text('Name of the specification.', 'Weight'),
  value: text('Value with its unit.', '240 g'),
});

const CategoryOfProduct = object({
  id: id('The category.'),
  name: text('Display name.', 'Shoes'),
  slug: text('Name in URLs.', 'shoes'),
});

const BrandOfProduct = object(
  { id: id('The brand.', 3), name: text('Display name.', 'Globex'), slug: text('Name in URLs.', 'globex') },
  'Null when the product has none.',
);

export const ProductListItem = representation(
  'ProductListItem',
  object({
    id: text('The product: a number, as a string.', '70'),
    name: text('Display name.', 'Runner'),
    slug: text('Name in URLs.', 'runner'),
    price: majorUnits('Unit price.', 79.9),
    quantity: integer(
      'Available units of the product and of its active variants: what open orders have taken is not in it.',
      12,
    ),
    status: oneOf(['ACTIVE'], 'Other products are not shown.'),
  }),
  { money: 'major' },
);
export type ProductItemResponse = ValueOf<typeof ProductListItem>;

export const Product = representation(
  'Product',
  object({
    ...ProductListItem.schema.properties,
    sku: text('`""` when there is none.', 'R-1'),
    description: text('`""` when there is none.', 'For road and trail'),
    featured: flag('Whether the store features the product.', true),
    images: arrayOf(Image, 'In display order.'),
    variants: arrayOf(Variant, 'In the order of the catalog.'),
    specifications: arrayOf(Specification, 'In display order.'),
    categories: arrayOf(CategoryOfProduct, 'By display order.'),
    brand: orNull(BrandOfProduct),
    created_at: timestamp('When the product was created.', '2026-01-12T08:00:00.000Z'),
    updated_at: timestamp('When the product last changed.', '2026-10-03T14:21:09.512Z'),
  }),
  { money: 'major' },
);
export type ProductResponse = ValueOf<typeof Product>;

export function toProductListItem(product: ProductSummary, currency: Currency): ProductItemResponse {
  return {
    id: String(product.id),
    name: product.name,
    slug: product.slug,
    price: toDecimal(product.price, currency),
    quantity: product.quantity,
    status: product.status,
  };
}

export function toProductResponse(product: ProductRecord, currency: Currency): ProductResponse {
  // In Node 20, an object literal with a spread and further fields takes ten times as long.
  return Object.assign(toProductListItem(product, currency), {
    sku: product.sku,
    description: product.description,
    featured: product.featured,
    images: product.images.map(({ url, alt }) => ({ url, alt })),
    variants: product.variants.map((variant) => ({
      id: String(variant.id),
      sku: variant.sku,
      name: variant.name,
      price: toDecimal(variant.price, currency),
      attributes: variant.attributes,
      quantity: variant.quantity,
      status: variant.status,
    })),
    specifications: product.specifications.map(({ name, value }) => ({ name, value })),
    categories: product.categories.map(({ id, name, slug }) => ({ id, name, slug })),
    brand: product.brand && { id: product.brand.id, name: product.brand.name, slug: product.brand.slug },
    created_at: product.createdAt.toISOString(),
    updated_at: product.updatedAt.toISOString(),
  } satisfies Omit<ProductResponse, keyof ProductItemResponse>);
}
