import { CategoriesService } from '@app/application';
import { Controller, Get, Param } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import { ReadQuery } from '../query/read-query.decorator.js';
import { Category, toCategoryResponse, type CategoryResponse } from './category.response.js';
import { CATEGORIES_QUERY, type CategoriesQuery } from './categories.query.js';

@Controller('v1/categories')
@Documented({
  tag: 'Categories',
  description: 'The groups of the products.',
  schemas: [Category],
})
export class CategoriesController {
  constructor(private readonly categories: CategoriesService) {}

  @Get()
  @ApiList({
    operationId: 'listCategories',
    summary: 'Active categories, by display order',
    of: Category,
  })
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(CATEGORIES_QUERY) { filter, page }: CategoriesQuery,
  ): Promise<ListEnvelope<CategoryResponse>> {
    const { rows, total } = await this.categories.list(store.id, filter, page);
    return list(rows.map(toCategoryResponse), total, page);
  }

  @Get(':idOrSlug')
  @ApiSingle({
    operationId: 'getCategory',
    summary: 'One category',
    of: Category,
    by: { name: 'idOrSlug', description: 'Numeric id, or slug. Digits are an id first.', example: 'camp-kitchen' },
  })
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('idOrSlug') idOrSlug: string,
  ): Promise<SingleEnvelope<CategoryResponse>> {
    return single(toCategoryResponse(await this.categories.retrieve(store.id, idOrSlug)));
  }
}
