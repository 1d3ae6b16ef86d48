import type { ProductRecord, ProductSummary } from '@app/application';
import { toDecimal, type Currency } from '@app/domain';
import { arrayOf, flag, id, integer, majorUnits, object, oneOf, orNull, text, timestamp } from '../openapi/schema.js';

export type ProductListItem = ReturnType<typeof toProductListItem>;
export type ProductResponse = ReturnType<typeof toProductResponse>;

/** `price` is in major units. */
export function toProductListItem(product: ProductSummary, currency: Currency) {
  return {
    id: String(product.id),
    name: product.name,
    slug: product.slug,
    price: toDecimal(product.price, currency),
    quantity: product.quantity,
    status: product.status,
  };
}

/** A list item with all other public fields of the product. */
export function toProductResponse(product: ProductRecord, currency: Currency) {
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
  });
}

export const PRODUCT_LIST_ITEM = object<ProductListItem>({
  id: text('The product: a number, as a string.', '1'),
  name: text('Display name.', 'Runner'),
  slug: text('Name in URLs.', 'runner'),
  price: majorUnits('Unit price.'),
  quantity: integer(
    'Available units of the product and of all its variants: what open orders have taken is not in it.',
    12,
  ),
  status: oneOf(['ACTIVE'], 'Other products are not shown.'),
});

type Variant = ProductResponse['variants'][number];

export const PRODUCT = object<ProductResponse>({
  ...PRODUCT_LIST_ITEM.properties,
  sku: text('`""` when there is none.', 'R-1'),
  description: text('`""` when there is none.', 'For road and trail'),
  featured: flag('Whether the store features the product.'),
  images: arrayOf(
    object<ProductResponse['images'][number]>({
      url: text('URL of the image.', 'https://cdn.example/runner.jpg'),
      alt: text('Alternative text of the image.', 'A blue shoe'),
    }),
    'In display order.',
  ),
  variants: arrayOf(
    object<Variant>({
      id: text('The variant: a number, as a string.', '3'),
      sku: text('`""` when there is none.', 'R-1-42'),
      name: text('Display name.', '42 / Blue'),
      price: majorUnits('Unit price.'),
      attributes: {
        type: 'object',
        description: 'Attributes of the variant, by name.',
        additionalProperties: { type: 'string' },
        examples: [{ Size: '42', Color: 'Blue' }],
      },
      quantity: integer('Available units: what open orders have taken is not in it.', 7),
      status: oneOf(['ACTIVE', 'INACTIVE'], 'Only an active variant can be ordered.'),
    }),
    'In the order of the catalog.',
  ),
  specifications: arrayOf(
    object<ProductResponse['specifications'][number]>({
      name: text('Name of the specification.', 'Weight'),
      value: text('Value with its unit.', '240 g'),
    }),
    'In display order.',
  ),
  categories: arrayOf(
    object<ProductResponse['categories'][number]>({
      id: id('The category.'),
      name: text('Display name.', 'Shoes'),
      slug: text('Name in URLs.', 'shoes'),
    }),
    'By display order.',
  ),
  brand: orNull(
    object<NonNullable<ProductResponse['brand']>>(
      { id: id('The brand.'), name: text('Display name.', 'Globex'), slug: text('Name in URLs.', 'globex') },
      { description: 'Null when the product has none.' },
    ),
  ),
  created_at: timestamp('When the product was created.'),
  updated_at: timestamp('When the product last changed.'),
});
