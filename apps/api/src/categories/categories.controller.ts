import { CategoriesService } from '@app/application';
import { Controller, Get, Param } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ReadQuery } from '../query/read-query.decorator.js';
import { toCategoryResponse, type CategoryResponse } from './category.response.js';
import { ApiGetCategory, ApiListCategories, CATEGORIES_DOCUMENTATION } from './categories.openapi.js';
import { CATEGORIES_QUERY, type CategoriesQuery } from './categories.query.js';

@Controller('v1/categories')
@Documented(CATEGORIES_DOCUMENTATION)
export class CategoriesController {
  constructor(private readonly categories: CategoriesService) {}

  @Get()
  @ApiListCategories()
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(CATEGORIES_QUERY) { filter, page }: CategoriesQuery,
  ): Promise<ListEnvelope<CategoryResponse>> {
    const { rows, total } = await this.categories.list(store.id, filter, page);
    return list(rows.map(toCategoryResponse), total, page);
  }

  @Get(':idOrSlug')
  @ApiGetCategory()
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('idOrSlug') idOrSlug: string,
  ): Promise<SingleEnvelope<CategoryResponse>> {
    return single(toCategoryResponse(await this.categories.retrieve(store.id, idOrSlug)));
  }
}
