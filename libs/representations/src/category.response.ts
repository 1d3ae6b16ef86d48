import type { CategoryRecord } from '@app/application';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const Category = representation(
  'Category',
  is.object({
    id: is.id('The category.'),
    name: is.text('Display name.', 'Shoes'),
    slug: is.text('Name in URLs.', 'shoes'),
    image: is.text('URL; `""` when there is none.', 'https://cdn.example/shoes.png'),
    description: is.text('`""` when there is none.', 'For road and trail'),
    order: is.integer('Display order.', 1),
    parent_id: is.orNull(is.id('The parent category; null for a top-level category.', 2)),
  }),
);

export function toCategoryResponse(category: CategoryRecord): ValueOf<typeof Category> {
  const { id, name, slug, image, description, displayOrder: order, parentId: parent_id } = category;
  return { id, name, slug, image, description, order, parent_id };
}
