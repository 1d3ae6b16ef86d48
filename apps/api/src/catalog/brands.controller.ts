import { BrandsService, type BrandFilter } from '@app/application';
import { Brand, toBrandResponse } from '@app/representations';
import { Controller, Get, Param } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { list, single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import { searchFilter } from '../query/parameters.js';
import { listQuery, ReadQuery, type ValuesOf } from '../query/query.js';

const QUERY = listQuery<BrandFilter>({
  search: searchFilter('the name', 'globex'),
});

@Controller('v1/brands')
@Documented({ tag: 'Brands', description: 'The makers of the products.', schemas: [Brand] })
export class BrandsController {
  constructor(private readonly brands: BrandsService) {}

  @Get()
  @ApiList({ operationId: 'listBrands', summary: 'Active brands, by name', of: Brand })
  async list(@CurrentStore() store: CurrentStoreContext, @ReadQuery(QUERY) { filter, page }: ValuesOf<typeof QUERY>) {
    const { rows, total } = await this.brands.list(store.id, filter, page);
    return list(rows.map(toBrandResponse), total, page);
  }

  @Get(':idOrSlug')
  @ApiSingle({
    operationId: 'getBrand',
    summary: 'One brand',
    of: Brand,
    by: { name: 'idOrSlug', description: 'Numeric id or slug. Digits are read as an id first.', example: 'mosskettle' },
  })
  async retrieve(@CurrentStore() store: CurrentStoreContext, @Param('idOrSlug') idOrSlug: string) {
    return single(toBrandResponse(await this.brands.retrieve(store.id, idOrSlug)));
  }
}
