import { BrandsService } from '@app/application';
import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequiresKeyGuard } from '../auth/requires-key.guard.js';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { noParameters, ReadQuery, type NoParameters } from '../query/read-query.decorator.js';
import { toBrandResponse, type BrandResponse } from './brand.response.js';
import { ApiGetBrand, ApiListBrands, BRANDS_DOCUMENTATION } from './brands.openapi.js';
import { readBrandsQuery, type BrandsQuery } from './brands.query.js';

@Controller('v1/brands')
@ApiTags(BRANDS_DOCUMENTATION.tag)
@UseGuards(RequiresKeyGuard)
export class BrandsController {
  constructor(private readonly brands: BrandsService) {}

  @Get()
  @ApiListBrands()
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(readBrandsQuery) { filter, page }: BrandsQuery,
  ): Promise<ListEnvelope<BrandResponse>> {
    const { rows, total } = await this.brands.list(store.id, filter, page);
    return list(rows.map(toBrandResponse), total, page);
  }

  @Get(':idOrSlug')
  @ApiGetBrand()
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('idOrSlug') idOrSlug: string,
    @ReadQuery(noParameters) _query: NoParameters,
  ): Promise<SingleEnvelope<BrandResponse>> {
    return single(toBrandResponse(await this.brands.retrieve(store.id, idOrSlug)));
  }
}
