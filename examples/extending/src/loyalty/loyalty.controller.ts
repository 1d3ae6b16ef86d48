import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import {
  ApiFailures,
  ApiList,
  ApiPath,
  ApiSingle,
  ApiWrite,
  BodyPipe,
  booleanFilter,
  CurrentStore,
  Documented,
  integerFilter,
  list,
  listQuery,
  NeedsScope,
  ReadQuery,
  single,
  type CurrentStoreContext,
  type ListEnvelope,
  type SingleEnvelope,
  type ValuesOf,
} from 'store-commerce/api';
import { NotFound } from 'store-commerce/domain';
import { LoyaltyAccounts, LoyaltySuspended, type LoyaltyFilter } from './loyalty-accounts.js';
import { Loyalty, toLoyaltyResponse, type LoyaltyResponse } from './loyalty.response.js';
import { SetPointsRequest } from './set-points.request.js';

const QUERY = listQuery<LoyaltyFilter>({
  isSuspended: booleanFilter('suspended', 'only suspended accounts', 'only the others'),
  minPoints: integerFilter('min_points', 'Only accounts with so many points or more.', { min: 0, max: 1_000_000 }),
});
const CUSTOMER = { name: 'customer', description: 'The id of the customer.', example: Loyalty.example.customer_id };

@Controller('v1/loyalty')
@Documented({ tag: 'Loyalty', description: 'The points of customers.', schemas: [Loyalty] })
export class LoyaltyController {
  constructor(private readonly accounts: LoyaltyAccounts) {}

  @Get()
  @ApiList({ operationId: 'listLoyaltyAccounts', summary: 'Loyalty accounts, by customer', of: Loyalty })
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(QUERY) { filter, page }: ValuesOf<typeof QUERY>,
  ): Promise<ListEnvelope<LoyaltyResponse>> {
    const { rows, total } = await this.accounts.list(store.id, filter, page);
    return list(rows.map(toLoyaltyResponse), total, page);
  }

  @Get(':customer')
  @ApiSingle({
    operationId: 'getLoyaltyAccount',
    summary: 'The loyalty account of one customer',
    of: Loyalty,
    by: CUSTOMER,
  })
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('customer') customer: string,
  ): Promise<SingleEnvelope<LoyaltyResponse>> {
    return single(toLoyaltyResponse(await this.accounts.retrieve(store.id, customer)));
  }

  @Put(':customer')
  @NeedsScope('orders')
  @ApiWrite({
    operationId: 'setLoyaltyPoints',
    summary: 'Set the points of one customer',
    body: { type: SetPointsRequest, example: { points: 120 } },
    of: Loyalty,
    answer: { status: 200, description: 'The points are set.' },
  })
  @ApiPath(CUSTOMER)
  @ApiFailures(new NotFound('Customer'), new LoyaltySuspended())
  async setPoints(
    @CurrentStore() store: CurrentStoreContext,
    @Param('customer') customer: string,
    @Body(BodyPipe) { points }: SetPointsRequest,
  ): Promise<SingleEnvelope<LoyaltyResponse>> {
    return single(toLoyaltyResponse(await this.accounts.setPoints(store.id, customer, points)));
  }
}
