import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import type { Representation, ResourceDocumentation } from '../openapi/resource.js';
import { BRAND, type BrandResponse } from './brand.response.js';

const Brand: Representation<BrandResponse> = {
  name: 'Brand',
  schema: BRAND,
  example: {
    id: 3,
    name: 'Globex',
    slug: 'globex',
    logo: 'https://cdn.example/globex.png',
    description: 'Shoes since 1907',
  },
};

export const BRANDS_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Brands',
  description: 'The makers of the products.',
  schemas: [Brand],
};

export const ApiListBrands = () => ApiList({ operationId: 'listBrands', summary: 'Active brands, by name', of: Brand });

export const ApiGetBrand = () =>
  ApiSingle({
    operationId: 'getBrand',
    summary: 'One brand',
    of: Brand,
    by: { name: 'idOrSlug', description: 'Numeric id, or slug. Digits are an id first.', example: 'mosskettle' },
  });
