import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import type { Representation, ResourceDocumentation } from '../openapi/resource.js';
import { CATEGORY, type CategoryResponse } from './category.response.js';

const Category: Representation<CategoryResponse> = {
  name: 'Category',
  schema: CATEGORY,
  example: {
    id: 7,
    name: 'Shoes',
    slug: 'shoes',
    image: 'https://cdn.example/shoes.png',
    description: 'For road and trail',
    order: 1,
    parent_id: null,
  },
};

export const CATEGORIES_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Categories',
  description: 'The groups of the products.',
  schemas: [Category],
};

export const ApiListCategories = () =>
  ApiList({
    operationId: 'listCategories',
    summary: 'Active categories, by display order',
    of: Category,
  });

export const ApiGetCategory = () =>
  ApiSingle({
    operationId: 'getCategory',
    summary: 'One category',
    of: Category,
    by: { name: 'idOrSlug', description: 'Numeric id, or slug. Digits are an id first.', example: 'camp-kitchen' },
  });
