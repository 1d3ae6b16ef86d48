import { ProductsService, type ProductFilter } from '@app/application';
import {
  Product,
  type ProductItemResponse,
  ProductListItem,
  type ProductResponse,
  toProductListItem,
  toProductResponse,
} from '@app/representations';
import { Controller, Get, Param } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import { flagFilter, idFilter, searchFilter } from '../query/parameters.js';
import { listQuery, type ValuesOf } from '../query/query.js';
import { ReadQuery } from '../query/read-query.decorator.js';

const QUERY = listQuery<ProductFilter>({
  categoryId: idFilter('category_id', 'Only the products of this category.'),
  search: searchFilter('the name', 'runner'),
  featured: flagFilter('featured', 'only featured products'),
  inStock: flagFilter('in_stock', 'only products with available stock'),
});

@Controller('v1/products')
@Documented({
  tag: 'Products',
  description: 'The active products, with their prices and the available stock.',
  schemas: [ProductListItem, Product],
})
export class ProductsController {
  constructor(private readonly products: ProductsService) {}

  @Get()
  @ApiList({
    operationId: 'listProducts',
    summary: 'Active products, newest first',
    of: ProductListItem,
  })
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(QUERY) { filter, page }: ValuesOf<typeof QUERY>,
  ): Promise<ListEnvelope<ProductItemResponse>> {
    const { rows, total } = await this.products.list(store.id, filter, page);
    return list(
      rows.map((row) => toProductListItem(row, store.currency)),
      total,
      page,
    );
  }

  @Get(':idOrSlug')
  @ApiSingle({
    operationId: 'getProduct',
    summary: 'One active product',
    of: Product,
    by: { name: 'idOrSlug', description: 'Numeric id, or slug. Digits are an id first.', example: 'pebble-cook-set' },
  })
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('idOrSlug') idOrSlug: string,
  ): Promise<SingleEnvelope<ProductResponse>> {
    return single(toProductResponse(await this.products.retrieve(store.id, idOrSlug), store.currency));
  }
}
