import { CategoriesService } from '@app/application';
import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequiresKeyGuard } from '../auth/requires-key.guard.js';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { noParameters, ReadQuery, type NoParameters } from '../query/read-query.decorator.js';
import { toCategoryResponse, type CategoryResponse } from './category.response.js';
import { ApiGetCategory, ApiListCategories, CATEGORIES_DOCUMENTATION } from './categories.openapi.js';
import { readCategoriesQuery, type CategoriesQuery } from './categories.query.js';

@Controller('v1/categories')
@ApiTags(CATEGORIES_DOCUMENTATION.tag)
@UseGuards(RequiresKeyGuard)
export class CategoriesController {
  constructor(private readonly categories: CategoriesService) {}

  @Get()
  @ApiListCategories()
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(readCategoriesQuery) { filter, page }: CategoriesQuery,
  ): Promise<ListEnvelope<CategoryResponse>> {
    const { rows, total } = await this.categories.list(store.id, filter, page);
    return list(rows.map(toCategoryResponse), total, page);
  }

  @Get(':idOrSlug')
  @ApiGetCategory()
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('idOrSlug') idOrSlug: string,
    @ReadQuery(noParameters) _query: NoParameters,
  ): Promise<SingleEnvelope<CategoryResponse>> {
    return single(toCategoryResponse(await this.categories.retrieve(store.id, idOrSlug)));
  }
}
