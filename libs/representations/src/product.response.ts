import {
  PRODUCT_STATUSES,
  type ListedProduct,
  type PRODUCT_INCLUDES,
  type ProductRecord,
  type ProductSummary,
} from '@app/application';
import { toDecimal, type Currency } from '@app/domain';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

const Image = is.object({
  url: is.text('URL of the image.', 'https://cdn.example/runner.jpg'),
  alt: is.text('Alternative text of the image.', 'A blue shoe'),
});

const PRICE_SOURCE = is.onlyWith(
  is.orNull(is.text('The price list that gives the price; null: the catalog.', 'DEALERS')),
  'customer_id',
);

const Variant = is.object({
  id: is.text('The variant: a number, as a string.', '12'),
  sku: is.text('`""` when there is none.', 'R-1-42'),
  name: is.text('Display name.', '42 / Blue'),
  price: is.majorUnits('Unit price.', 79.9),
  price_source: PRICE_SOURCE,
  attributes: is.attributes('Attributes of the variant, by name.'),
  metadata: is.metadata('Custom fields that the store keeps with the variant.'),
  quantity: is.integer(
    'Available units, without those that open orders have taken. 0 while the variant is inactive.',
    7,
    'int64',
  ),
  status: is.oneOf(['ACTIVE', 'INACTIVE'], 'Only an active variant can be ordered.'),
  low_stock: is.orNull(is.integer('So many units, or fewer, are low stock. Null: the limit of the product.', 3)),
});

const Specification = is.object({
  name: is.text('Name of the specification.', 'Weight'),
  value: is.text('Value with its unit.', '240 g'),
});

const CategoryOfProduct = is.object({
  id: is.id('The category.'),
  name: is.text('Display name.', 'Shoes'),
  slug: is.text('Name in URLs.', 'shoes'),
});

const BrandOfProduct = is.object(
  { id: is.id('The brand.', 3), name: is.text('Display name.', 'Globex'), slug: is.text('Name in URLs.', 'globex') },
  'Null when the product has none.',
);

const SUMMARY = {
  id: is.text('The product: a number, as a string.', '70'),
  name: is.text('Display name.', 'Runner'),
  slug: is.text('Name in URLs.', 'runner'),
  price: is.majorUnits('Unit price.', 79.9),
  price_source: PRICE_SOURCE,
  quantity: is.integer(
    'Available units of the product and of its active variants, without those that open orders have taken.',
    12,
    'int64',
  ),
  status: is.oneOf(
    PRODUCT_STATUSES,
    'Other products than active ones are shown only to keys whose scope names `catalog`.',
    {
      example: 'ACTIVE',
    },
  ),
};

export const ProductListItem = representation(
  'ProductListItem',
  is.object({
    ...SUMMARY,
    ...is.included({
      updated_at: is.timestamp('When the product last changed.', '2026-10-03T14:21:09.512Z'),
      sku: is.text('`""` when there is none.', 'R-1'),
      metadata: is.metadata('Custom fields that the store keeps with the product.'),
    }),
  }),
  { money: 'major' },
);
export type ProductItemResponse = ValueOf<typeof ProductListItem>;

export const Product = representation(
  'Product',
  is.object({
    ...SUMMARY,
    sku: is.text('`""` when there is none.', 'R-1'),
    description: is.text('`""` when there is none.', 'For road and trail'),
    low_stock: is.orNull(is.integer('So many units of an SKU, or fewer, are low stock. Null: there is no limit.', 5)),
    featured: is.flag('Whether the store features the product.', true),
    metadata: is.metadata('Custom fields that the store keeps with the product.'),
    images: is.arrayOf(Image, 'In display order.'),
    variants: is.arrayOf(Variant, 'In the order of the catalog.'),
    specifications: is.arrayOf(Specification, 'In display order.'),
    categories: is.arrayOf(CategoryOfProduct, 'By display order.'),
    brand: is.orNull(BrandOfProduct),
    created_at: is.timestamp('When the product was created.', '2026-01-12T08:00:00.000Z'),
    updated_at: is.timestamp('When the product last changed.', '2026-10-03T14:21:09.512Z'),
  }),
  { money: 'major' },
);
export type ProductResponse = ValueOf<typeof Product>;

function sourceOf({ priceSource }: { readonly priceSource?: string | null }) {
  return priceSource === undefined ? {} : { price_source: priceSource };
}

function summaryOf(product: ProductSummary, currency: Currency) {
  return {
    id: String(product.id),
    name: product.name,
    slug: product.slug,
    price: toDecimal(product.price, currency),
    ...sourceOf(product),
    quantity: product.quantity,
    status: product.status,
  };
}

export function toProductListItem(
  product: ListedProduct,
  currency: Currency,
  include: readonly (typeof PRODUCT_INCLUDES)[number][] = [],
): ProductItemResponse {
  const { updatedAt, sku, metadata } = product;
  const item = summaryOf(product, currency);
  if (include.length === 0) return item;
  return Object.assign(item, {
    ...(include.includes('updated_at') && { updated_at: updatedAt?.toISOString() }),
    ...(include.includes('sku') && { sku }),
    ...(include.includes('metadata') && { metadata }),
  });
}

export function toProductResponse(product: ProductRecord, currency: Currency): ProductResponse {
  // In Node 20, an object literal with a spread and more fields takes ten times as long.
  return Object.assign(summaryOf(product, currency), {
    sku: product.sku,
    description: product.description,
    low_stock: product.lowStock,
    featured: product.featured,
    metadata: product.metadata,
    images: product.images.map(({ url, alt }) => ({ url, alt })),
    variants: product.variants.map((variant) => ({
      id: String(variant.id),
      sku: variant.sku,
      name: variant.name,
      price: toDecimal(variant.price, currency),
      ...sourceOf(variant),
      attributes: variant.attributes,
      metadata: variant.metadata,
      quantity: variant.quantity,
      status: variant.status,
      low_stock: variant.lowStock,
    })),
    specifications: product.specifications.map(({ name, value }) => ({ name, value })),
    categories: product.categories.map(({ id, name, slug }) => ({ id, name, slug })),
    brand: product.brand && { id: product.brand.id, name: product.brand.name, slug: product.brand.slug },
    created_at: product.createdAt.toISOString(),
    updated_at: product.updatedAt.toISOString(),
  } satisfies Omit<ProductResponse, keyof typeof SUMMARY>);
}
