import type { CategoryFilter } from '@app/application';
import { idFilter, searchFilter } from '../query/parameters.js';
import { listQuery, type ValuesOf } from '../query/query.js';

export type CategoriesQuery = ValuesOf<typeof CATEGORIES_QUERY>;

export const CATEGORIES_QUERY = listQuery<CategoryFilter>({
  parentId: idFilter('parent_id', 'Only the sub-categories of this category.'),
  search: searchFilter('the name', 'shoe'),
});
