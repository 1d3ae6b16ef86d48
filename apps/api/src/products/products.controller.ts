import { ProductsService } from '@app/application';
import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequiresKeyGuard } from '../auth/requires-key.guard.js';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { noParameters, ReadQuery, type NoParameters } from '../query/read-query.decorator.js';
import {
  toProductListItem,
  toProductResponse,
  type ProductListItem,
  type ProductResponse,
} from './product.response.js';
import { ApiGetProduct, ApiListProducts, PRODUCTS_DOCUMENTATION } from './products.openapi.js';
import { readProductsQuery, type ProductsQuery } from './products.query.js';

@Controller('v1/products')
@ApiTags(PRODUCTS_DOCUMENTATION.tag)
@UseGuards(RequiresKeyGuard)
export class ProductsController {
  constructor(private readonly products: ProductsService) {}

  @Get()
  @ApiListProducts()
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(readProductsQuery) { filter, page }: ProductsQuery,
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
    @ReadQuery(noParameters) _query: NoParameters,
  ): Promise<SingleEnvelope<ProductResponse>> {
    return single(toProductResponse(await this.products.retrieve(store.id, idOrSlug), store.currency));
  }
}
