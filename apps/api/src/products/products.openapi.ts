import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import type { Representation, ResourceDocumentation } from '../openapi/resource.js';
import {
  PRODUCT,
  PRODUCT_LIST_ITEM,
  type ProductListItem as ListItem,
  type ProductResponse,
} from './product.response.js';

const ProductListItem: Representation<ListItem> = {
  name: 'ProductListItem',
  schema: PRODUCT_LIST_ITEM,
  money: 'major',
  example: {
    id: '70',
    name: 'Runner',
    slug: 'runner',
    price: 79.9,
    quantity: 12,
    status: 'ACTIVE',
  },
};

const Product: Representation<ProductResponse> = {
  name: 'Product',
  schema: PRODUCT,
  money: 'major',
  example: {
    ...ProductListItem.example,
    sku: 'R-1',
    description: 'For road and trail',
    featured: true,
    images: [{ url: 'https://cdn.example/runner.jpg', alt: 'A blue shoe' }],
    variants: [
      {
        id: '12',
        sku: 'R-1-42',
        name: '42 / Blue',
        price: 79.9,
        attributes: { Size: '42', Color: 'Blue' },
        quantity: 7,
        status: 'ACTIVE',
      },
    ],
    specifications: [{ name: 'Weight', value: '240 g' }],
    categories: [{ id: 7, name: 'Shoes', slug: 'shoes' }],
    brand: { id: 3, name: 'Globex', slug: 'globex' },
    created_at: '2026-01-12T08:00:00.000Z',
    updated_at: '2026-10-03T14:21:09.512Z',
  },
};

export const PRODUCTS_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Products',
  description: 'The active products, with their prices and the available stock.',
  schemas: [ProductListItem, Product],
};

export const ApiListProducts = () =>
  ApiList({
    operationId: 'listProducts',
    summary: 'Active products, newest first',
    of: ProductListItem,
  });

export const ApiGetProduct = () =>
  ApiSingle({
    operationId: 'getProduct',
    summary: 'One active product',
    of: Product,
    by: { name: 'idOrSlug', description: 'Numeric id, or slug. Digits are an id first.', example: 'pebble-cook-set' },
  });
