import { CategoriesService, type CategoryFilter } from '@app/application';
import { Category, toCategoryResponse } from '@app/representations';
import { Controller, Get, Param } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { list, single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import { idFilter, searchFilter } from '../query/parameters.js';
import { listQuery, ReadQuery, type ValuesOf } from '../query/query.js';

const QUERY = listQuery<CategoryFilter>({
  parentId: idFilter('parent_id', 'Only the sub-categories of this category.'),
  search: searchFilter('the name', 'shoe'),
});

@Controller('v1/categories')
@Documented({
  tag: 'Categories',
  description: 'The categories of the catalog. A category may have a parent.',
  schemas: [Category],
})
export class CategoriesController {
  constructor(private readonly categories: CategoriesService) {}

  @Get()
  @ApiList({ operationId: 'listCategories', summary: 'Active categories, by display order', of: Category })
  async list(@CurrentStore() store: CurrentStoreContext, @ReadQuery(QUERY) { filter, page }: ValuesOf<typeof QUERY>) {
    const { rows, total } = await this.categories.list(store.id, filter, page);
    return list(rows.map(toCategoryResponse), total, page);
  }

  @Get(':idOrSlug')
  @ApiSingle({
    operationId: 'getCategory',
    summary: 'One category',
    of: Category,
    by: {
      name: 'idOrSlug',
      description: 'Numeric id or slug. Digits are read as an id first.',
      example: 'camp-kitchen',
    },
  })
  async retrieve(@CurrentStore() store: CurrentStoreContext, @Param('idOrSlug') idOrSlug: string) {
    return single(toCategoryResponse(await this.categories.retrieve(store.id, idOrSlug)));
  }
}
