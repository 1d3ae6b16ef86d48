import type { CategoryRecord } from '@app/application';
import { representation, type ValueOf } from './resource.js';
import { id, integer, object, orNull, text } from './schema.js';

export const Category = representation(
  'Category',
  object({
    id: id('The category.'),
    name: text('Display name.', 'Shoes'),
    slug: text('Name in URLs.', 'shoes'),
    image: text('URL; `""` when there is none.', 'https://cdn.example/shoes.png'),
    description: text('`""` when there is none.', 'For road and trail'),
    order: integer('Display order.', 1),
    parent_id: orNull(id('The parent category; null for a top-level category.', 2)),
  }),
);
export type CategoryResponse = ValueOf<typeof Category>;

export function toCategoryResponse(category: CategoryRecord): CategoryResponse {
  return {
    id: category.id,
    name: category.name,
    slug: category.slug,
    image: category.image,
    description: category.description,
    order: category.displayOrder,
    parent_id: category.parentId,
  };
}
