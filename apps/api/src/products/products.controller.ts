import { ProductsService } from '@app/application';
import { Controller, Get, Param } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ReadQuery } from '../query/read-query.decorator.js';
import {
  toProductListItem,
  toProductResponse,
  type ProductListItem,
  type ProductResponse,
} from './product.response.js';
import { ApiGetProduct, ApiListProducts, PRODUCTS_DOCUMENTATION } from './products.openapi.js';
import { PRODUCTS_QUERY, type ProductsQuery } from './products.query.js';

@Controller('v1/products')
@Documented(PRODUCTS_DOCUMENTATION)
export class ProductsController {
  constructor(private readonly products: ProductsService) {}

  @Get()
  @ApiListProducts()
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(PRODUCTS_QUERY) { filter, page }: ProductsQuery,
  ): Promise<ListEnvelope<ProductListItem>> {
    const { rows, total } = await this.products.list(store.id, filter, page);
    return list(
      rows.map((row) => toProductListItem(row, store.currency)),
      total,
      page,
    );
  }

  @Get(':idOrSlug')
  @ApiGetProduct()
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('idOrSlug') idOrSlug: string,
  ): Promise<SingleEnvelope<ProductResponse>> {
    return single(toProductResponse(await this.products.retrieve(store.id, idOrSlug), store.currency));
  }
}
