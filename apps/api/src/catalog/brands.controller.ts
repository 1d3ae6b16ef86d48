import { BrandsService, type BrandFilter } from '@app/application';
import { Brand, type BrandResponse, toBrandResponse } from '@app/representations';
import { Controller, Get, Param } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import { searchFilter } from '../query/parameters.js';
import { listQuery, type ValuesOf } from '../query/query.js';
import { ReadQuery } from '../query/read-query.decorator.js';

const QUERY = listQuery<BrandFilter>({
  search: searchFilter('the name', 'globex'),
});

@Controller('v1/brands')
@Documented({
  tag: 'Brands',
  description: 'The makers of the products.',
  schemas: [Brand],
})
export class BrandsController {
  constructor(private readonly brands: BrandsService) {}

  @Get()
  @ApiList({ operationId: 'listBrands', summary: 'Active brands, by name', of: Brand })
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(QUERY) { filter, page }: ValuesOf<typeof QUERY>,
  ): Promise<ListEnvelope<BrandResponse>> {
    const { rows, total } = await this.brands.list(store.id, filter, page);
    return list(rows.map(toBrandResponse), total, page);
  }

  @Get(':idOrSlug')
  @ApiSingle({
    operationId: 'getBrand',
    summary: 'One brand',
    of: Brand,
    by: { name: 'idOrSlug', description: 'Numeric id, or slug. Digits are an id first.', example: 'mosskettle' },
  })
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('idOrSlug') idOrSlug: string,
  ): Promise<SingleEnvelope<BrandResponse>> {
    return single(toBrandResponse(await this.brands.retrieve(store.id, idOrSlug)));
  }
}
