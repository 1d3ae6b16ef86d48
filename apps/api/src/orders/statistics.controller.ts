import { OrdersService, type OrderSumsFilter } from '@app/application';
import { ORDER_SOURCES } from '@app/domain';
import { OrderSums, ref, toOrderSums, type ValueOf } from '@app/representations';
import { Controller, Get } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { single, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { answer, ApiParameters, ApiRead } from '../openapi/endpoints.js';
import { booleanFilter, choice, dateFilter, wordFilter, type RawQuery } from '../query/parameters.js';
import { queryOf, ReadQuery } from '../query/query.js';
import { AsTable } from '../query/table.decorator.js';
import { invalidField } from '../errors/invalid-fields.js';

const MAX_DAYS = 400;
const DAY_MS = 86_400_000;
/** The last `from` and the first `to` that may be given alone: all 30 days then have a four-digit year. */
const [LAST_FROM, FIRST_TO] = ['9999-12-02', '0001-01-31'];
const REFUSED_RANGE = `to must be a date after from, at most ${MAX_DAYS} days later`;

const PARAMETERS = queryOf<OrderSumsFilter>({
  from: dateFilter('from', 'The first day, in the time zone of the store; absent: 30 days before `to`.'),
  to: dateFilter('to', 'The day after the last; absent: 30 days after `from`, or, without both, tomorrow.'),
  by: choice('by', 'The length of a period.', ['day', 'month']),
  source: wordFilter('source', 'source', ORDER_SOURCES, ORDER_SOURCES[0]),
  isTest: booleanFilter('is_test', 'only orders that were placed with a test key', 'only live orders, the default'),
});

function readRange(query: RawQuery): OrderSumsFilter {
  const filter = PARAMETERS.read(query);
  const { from, to } = filter;
  if (from && !to && from > LAST_FROM) {
    throw invalidField(`from must be ${LAST_FROM} or earlier when to is absent`);
  }
  if (to && !from && to < FIRST_TO) {
    throw invalidField(`to must be ${FIRST_TO} or later when from is absent`);
  }
  const days = (Date.parse(to ?? '') - Date.parse(from ?? '')) / DAY_MS;
  if (days < 1 || days > MAX_DAYS) throw invalidField(REFUSED_RANGE);
  return filter;
}

@Controller('v1/statistics')
@Documented({ tag: 'Statistics', description: 'Sums of the orders by day or month.', schemas: [OrderSums] })
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
        'the store. Of the first and the last month, only the days in the range count. Exact at any moment.',
      failures: [invalidField(REFUSED_RANGE)],
    },
    {
      schema: answer('OrderSumsAnswer', { data: Type.Array(ref(OrderSums.name)) }),
      example: single([OrderSums.example]),
    },
  )
  @AsTable(OrderSums)
  async sums(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery({ ...PARAMETERS, read: readRange }) filter: OrderSumsFilter,
  ): Promise<SingleEnvelope<ValueOf<typeof OrderSums>[]>> {
    return single((await this.orders.sums(store.id, filter)).map(toOrderSums));
  }
}
