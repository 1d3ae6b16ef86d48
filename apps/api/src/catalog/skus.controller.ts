import { SkusService, type SkuFilter } from '@app/application';
import { SkuListItem, toSkuListItem } from '@app/representations';
import { Controller, Get } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { list } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiList } from '../openapi/endpoints.js';
import {
  customerParameter,
  flagFilter,
  idFilter,
  includeOf,
  searchFilter,
  SKUS,
  SORT_BY_CHANGE,
  trueFilter,
  updatedFilter,
} from '../query/parameters.js';
import { listQuery, ReadQuery, type ValuesOf } from '../query/query.js';

const QUERY = listQuery<SkuFilter>(
  {
    skus: SKUS,
    productId: idFilter('product_id', 'Only the SKUs of this product.'),
    inStock: flagFilter('in_stock', 'only SKUs with available stock'),
    outOfStock: trueFilter('out_of_stock', 'only SKUs without available stock'),
    lowStock: trueFilter('low_stock', 'only SKUs whose available stock is at or below their `low_stock`'),
    search: searchFilter('the SKU or the name', 'runner'),
    ...updatedFilter('SKUs that changed, with their prices and stock'),
    include: includeOf(['updated_at'], 'updated_at'),
    customerId: customerParameter(),
    byWarehouse: flagFilter('warehouses', 'each row has its units by warehouse'),
  },
  { sort: SORT_BY_CHANGE },
);

@Controller('v1/skus')
@Documented({
  tag: 'SKUs',
  description: 'Sellable units: ids, prices and stock of variants, and of products without variants.',
  schemas: [SkuListItem],
})
export class SkusController {
  constructor(private readonly skus: SkusService) {}

  @Get()
  @ApiList({
    operationId: 'listSkus',
    summary: 'Sellable units, by SKU',
    description:
      'Active variants of active products, and active products without active variants. Sorted, without `sort`, by `sku`, then ' +
      '`product_id`, then `variant_id`. SKUs compare by Unicode code points, as sorted by bytes of UTF-8: `A-10` < ' +
      '`A-9` < `B` < `a`. Units without a SKU come first. `pagination.total` counts all rows that match the filters. ' +
      'Money is in major units: 10.99 is 10.99 USD.',
    of: SkuListItem,
  })
  async list(@CurrentStore() store: CurrentStoreContext, @ReadQuery(QUERY) { filter, page }: ValuesOf<typeof QUERY>) {
    const { rows, total } = await this.skus.list(store, filter, page);
    const items = rows.map((row) => toSkuListItem(row, store.currency));
    return list(items, total, page);
  }
}
