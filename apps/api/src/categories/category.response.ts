import type { CategoryRecord } from '@app/application';

export type CategoryResponse = ReturnType<typeof toCategoryResponse>;

export function toCategoryResponse(category: CategoryRecord) {
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
