import { BrandsService } from '@app/application';
import { Controller, Get, Param } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ReadQuery } from '../query/read-query.decorator.js';
import { toBrandResponse, type BrandResponse } from './brand.response.js';
import { ApiGetBrand, ApiListBrands, BRANDS_DOCUMENTATION } from './brands.openapi.js';
import { BRANDS_QUERY, type BrandsQuery } from './brands.query.js';

@Controller('v1/brands')
@Documented(BRANDS_DOCUMENTATION)
export class BrandsController {
  constructor(private readonly brands: BrandsService) {}

  @Get()
  @ApiListBrands()
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(BRANDS_QUERY) { filter, page }: BrandsQuery,
  ): Promise<ListEnvelope<BrandResponse>> {
    const { rows, total } = await this.brands.list(store.id, filter, page);
    return list(rows.map(toBrandResponse), total, page);
  }

  @Get(':idOrSlug')
  @ApiGetBrand()
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('idOrSlug') idOrSlug: string,
  ): Promise<SingleEnvelope<BrandResponse>> {
    return single(toBrandResponse(await this.brands.retrieve(store.id, idOrSlug)));
  }
}
