import {
  PRODUCT_INCLUDES,
  PRODUCT_STATUSES,
  ProductsService,
  type ApiKeyLookup,
  type ListedProduct,
  type ProductFilter,
  type ProductRecord,
} from '@app/application';
import { names, NotFound, permits, type ApiKeyScope } from '@app/domain';
import { ProductListItem, Product, toProductListItem, toProductResponse } from '@app/representations';
import { Controller, Get, Param } from '@nestjs/common';
import { CurrentKey } from '../access/current-store.decorator.js';
import { list, single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiList, ApiParameters, ApiSingle } from '../openapi/endpoints.js';
import {
  customerParameter,
  exactFilter,
  flagFilter,
  idFilter,
  includeOf,
  oneOfFilter,
  searchFilter,
  SORT,
  updatedFilter,
  wordsFilter,
} from '../query/parameters.js';
import { listQuery, queryOf, ReadQuery, type ValuesOf } from '../query/query.js';

const STATUSES = oneOfFilter('status', 'status', PRODUCT_STATUSES, 'DRAFT');

const QUERY = listQuery<ProductFilter>(
  {
    statuses: {
      ...STATUSES,
      description:
        `${STATUSES.description} Without it, the active ones. For a key without the scope \`catalog\`, the others do not ` +
        'exist: it finds none.',
    },
    categoryId: idFilter('category_id', 'Only the products of this category.'),
    search: searchFilter('the name', 'runner'),
    featured: flagFilter('featured', 'only featured products'),
    inStock: flagFilter('in_stock', 'only products with available stock'),
    ids: wordsFilter('ids', 'one of these ids', '70,71'),
    sku: exactFilter('sku', 'the whole SKU of the product or of a variant, in any letter case', 'R-1-42'),
    customerId: customerParameter(),
    brandId: idFilter('brand_id', 'Only the products of this brand.'),
    slug: exactFilter('slug', 'the name in URLs, in any letter case', 'runner'),
    ...updatedFilter('products that changed, with their variants, prices and stock'),
    include: includeOf(PRODUCT_INCLUDES, 'sku'),
  },
  { sort: SORT },
);

const OF_CUSTOMER = queryOf({ customerId: customerParameter() });

@Controller('v1/products')
@Documented({
  tag: 'Products',
  description: 'The active products, with their prices and the available stock.',
  schemas: [ProductListItem, Product],
})
export class ProductsController {
  constructor(private readonly products: ProductsService) {}

  @Get()
  @ApiList({ operationId: 'listProducts', summary: 'Active products, newest first', of: ProductListItem })
  async list(
    @CurrentKey() { scope, store }: ApiKeyLookup,
    @ReadQuery(QUERY) { filter: requested, page }: ValuesOf<typeof QUERY>,
  ) {
    const filter = { ...requested, statuses: visible(scope, requested.statuses) };
    const { rows, total } = await this.products.list(store.id, filter, page);
    const priced = await this.pricedFor(store, filter.customerId, rows);
    if (priced === null) return list([], 0, page);
    const items = priced.map((row) => toProductListItem(row, store.currency, filter.include));
    return list(items, total, page);
  }

  @Get(':idOrSlug')
  @ApiParameters
  @ApiSingle({
    operationId: 'getProduct',
    summary: 'One active product',
    description:
      'The full record. Money is in major units: 10.99 is 10.99 USD. A key that was made with the word `catalog` also reads ' +
      'drafts and archived products; one with `full` does not.',
    of: Product,
    failures: [new NotFound('Customer')],
    by: {
      name: 'idOrSlug',
      description: 'Numeric id or slug. Digits are read as an id first.',
      example: 'pebble-cook-set',
    },
  })
  async retrieve(
    @CurrentKey() { scope, store }: ApiKeyLookup,
    @Param('idOrSlug') idOrSlug: string,
    @ReadQuery(OF_CUSTOMER) { customerId }: ValuesOf<typeof OF_CUSTOMER>,
  ) {
    const product = await this.products.retrieve(store.id, idOrSlug, names(scope, 'catalog'));
    const priced = await this.pricedFor(store, customerId, [product]);
    if (priced === null) throw new NotFound('Customer');
    return single(toProductResponse(priced[0] ?? product, store.currency));
  }

  private async pricedFor<T extends ListedProduct | ProductRecord>(
    store: ApiKeyLookup['store'],
    customerId: string | undefined,
    products: readonly T[],
  ): Promise<readonly T[] | null> {
    return customerId === undefined ? products : this.products.pricedFor(store, customerId, products);
  }
}

/**
 * Returns the statuses that the key may see. A shop shows no drafts: without the scope, or without asking for drafts,
 * they do not exist.
 */
function visible(scope: ApiKeyScope, statuses: readonly string[] | undefined): readonly string[] | undefined {
  return permits(scope, 'catalog') ? statuses : statuses?.filter((status) => status === 'ACTIVE');
}
