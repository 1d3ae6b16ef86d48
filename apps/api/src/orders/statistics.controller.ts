import { ORDER_GROUPS, OrdersService, type OrderSumsFilter, type ProductSumsFilter } from '@app/application';
import { ORDER_SOURCES } from '@app/domain';
import { OrderSums, ProductSums, ref, toOrderSums, toProductSums, type ValueOf } from '@app/representations';
import { Controller, Get } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { list, single, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { answer, ApiList, ApiParameters, ApiRead } from '../openapi/endpoints.js';
import {
  booleanFilter,
  choice,
  choiceFilter,
  dateFilter,
  wordFilter,
  type Parameter,
  type RawQuery,
} from '../query/parameters.js';
import { listQuery, queryOf, ReadQuery, type ValuesOf } from '../query/query.js';
import { AsTable } from '../query/table.decorator.js';
import { invalidField } from '../errors/invalid-fields.js';

const MAX_DAYS = 400;
/** Groups are read from the orders, and products from their lines. In a store with 1,000,000 orders a year, each takes a second. */
const [MAX_DAYS_OF_GROUPS, MAX_DAYS_OF_PRODUCTS] = [92, 31];
const DAY_MS = 86_400_000;
/** The last `from` and the first `to` that may be given alone: all 30 days then have a four-digit year. */
const [LAST_FROM, FIRST_TO] = ['9999-12-02', '0001-01-31'];
const refusedRange = (maxDays: number) => invalidField(`to must be a date after from, at most ${maxDays} days later`);

const RANGE = {
  from: dateFilter('from', 'The first day, in the time zone of the store; absent: 30 days before `to`.'),
  to: dateFilter('to', 'The day after the last; absent: 30 days after `from`, or, without both, tomorrow.'),
  isTest: booleanFilter('is_test', 'only orders that were placed with a test key', 'only live orders, the default'),
};

const PARAMETERS = queryOf<OrderSumsFilter>({
  ...RANGE,
  by: choice('by', 'The length of a period.', ['day', 'month']),
  source: wordFilter('source', 'source', ORDER_SOURCES, ORDER_SOURCES[0]),
  group: choiceFilter('group', 'Sums each period by this value of the orders.', ORDER_GROUPS),
});

const SORTS = choice('sort', 'The greatest `units` or the greatest `amount` comes first.', ['-units', '-amount']);
const SORT: Parameter<ProductSumsFilter['sort']> = {
  ...SORTS,
  read: (sent) => (SORTS.read(sent) === '-units' ? 'units' : 'amount'),
};

const PRODUCT_PARAMETERS = listQuery<ProductSumsFilter>({
  ...RANGE,
  by: choice('by', 'What has a row: a product with its variants, or each SKU.', ['product', 'sku']),
  sort: SORT,
});

function assertRange({ from, to }: Pick<OrderSumsFilter, 'from' | 'to'>, maxDays: number): void {
  if (from && !to && from > LAST_FROM) {
    throw invalidField(`from must be ${LAST_FROM} or earlier when to is absent`);
  }
  if (to && !from && to < FIRST_TO) {
    throw invalidField(`to must be ${FIRST_TO} or later when from is absent`);
  }
  const days = (Date.parse(to ?? '') - Date.parse(from ?? '')) / DAY_MS;
  if (days < 1 || days > maxDays) throw refusedRange(maxDays);
}

function readSums(query: RawQuery): OrderSumsFilter {
  const filter = PARAMETERS.read(query);
  assertRange(filter, filter.group ? MAX_DAYS_OF_GROUPS : MAX_DAYS);
  return filter;
}

function readProductSums(query: RawQuery): ValuesOf<typeof PRODUCT_PARAMETERS> {
  const asked = PRODUCT_PARAMETERS.read(query);
  assertRange(asked.filter, MAX_DAYS_OF_PRODUCTS);
  return asked;
}

@Controller('v1/statistics')
@Documented({
  tag: 'Statistics',
  description: 'Sums of the orders by day or month, and of what they sold.',
  schemas: [OrderSums, ProductSums],
})
export class StatisticsController {
  constructor(private readonly orders: OrdersService) {}

  @Get('orders')
  @ApiParameters
  @ApiRead(
    {
      operationId: 'getOrderStatistics',
      summary: 'Orders, units and amounts by day or month',
      description:
        'Every period of the range, oldest first, with zeros where there was no order. Days are those of the `time_zone` of ' +
        'the store. Of the first and the last month, only the days in the range count. With `group`, a row for each value of ' +
        `a period that has one, of at most ${MAX_DAYS_OF_GROUPS} days. Exact at any moment.`,
      failures: [refusedRange(MAX_DAYS), refusedRange(MAX_DAYS_OF_GROUPS)],
    },
    {
      schema: answer('OrderSumsAnswer', { data: Type.Array(ref(OrderSums.name)) }),
      example: single([OrderSums.example]),
    },
  )
  @AsTable(OrderSums)
  async sums(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery({ ...PARAMETERS, read: readSums }) filter: OrderSumsFilter,
  ): Promise<SingleEnvelope<ValueOf<typeof OrderSums>[]>> {
    return single((await this.orders.sums(store.id, filter)).map(toOrderSums));
  }

  @Get('products')
  @ApiList({
    operationId: 'getProductStatistics',
    summary: 'What the orders of a period sold, by product or SKU',
    description:
      'The products or SKUs in the lines of the orders that were placed in the range. Days are those of the `time_zone` of the ' +
      `store, at most ${MAX_DAYS_OF_PRODUCTS}. Those with the same figure are sorted by \`product_id\`, \`variant_id\`, \`sku\`, \`name\`. ` +
      'Exact at any moment.',
    of: ProductSums,
    failures: [refusedRange(MAX_DAYS_OF_PRODUCTS)],
  })
  async products(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery({ ...PRODUCT_PARAMETERS, read: readProductSums }) { filter, page }: ValuesOf<typeof PRODUCT_PARAMETERS>,
  ) {
    const { rows, total } = await this.orders.productSums(store.id, filter, page);
    return list(rows.map(toProductSums), total, page);
  }
}
