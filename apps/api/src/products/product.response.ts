import type { ProductRecord, ProductSummary } from '@app/application';
import { toDecimal } from '@app/domain';

export type ProductListItem = ReturnType<typeof toProductListItem>;
export type ProductResponse = ReturnType<typeof toProductResponse>;

/** `price` is in major units. */
export function toProductListItem(product: ProductSummary) {
  return {
    id: String(product.id),
    name: product.name,
    slug: product.slug,
    price: toDecimal(product.price, product.currency),
    quantity: product.quantity,
    status: product.status,
  };
}

/** A list item with everything else there is to know of the product. */
export function toProductResponse(product: ProductRecord) {
  return {
    ...toProductListItem(product),
    sku: product.sku,
    description: product.description,
    featured: product.featured,
    images: product.images.map(({ url, alt }) => ({ url, alt })),
    variants: product.variants.map((variant) => ({
      id: String(variant.id),
      sku: variant.sku,
      name: variant.name,
      price: toDecimal(variant.price, product.currency),
      attributes: variant.attributes,
      quantity: variant.quantity,
      status: variant.status,
    })),
    specifications: product.specifications.map(({ name, value }) => ({ name, value })),
    categories: product.categories.map(({ id, name, slug }) => ({ id, name, slug })),
    brand: product.brand && { id: product.brand.id, name: product.brand.name, slug: product.brand.slug },
    created_at: product.createdAt.toISOString(),
    updated_at: product.updatedAt.toISOString(),
  };
}
