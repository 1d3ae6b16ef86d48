import { SkusService } from '@app/application';
import { Controller, Get } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, type ListEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ReadQuery } from '../query/read-query.decorator.js';
import { toSkuListItem, type SkuListItem } from './sku.response.js';
import { ApiListSkus, SKUS_DOCUMENTATION } from './skus.openapi.js';
import { SKUS_QUERY, type SkusQuery } from './skus.query.js';

@Controller('v1/skus')
@Documented(SKUS_DOCUMENTATION)
export class SkusController {
  constructor(private readonly skus: SkusService) {}

  @Get()
  @ApiListSkus()
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(SKUS_QUERY) { filter, page }: SkusQuery,
  ): Promise<ListEnvelope<SkuListItem>> {
    const { rows, total } = await this.skus.list(store.id, filter, page);
    return list(
      rows.map((row) => toSkuListItem(row, store.currency)),
      total,
      page,
    );
  }
}
