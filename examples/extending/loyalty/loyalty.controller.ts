import { Controller, Get, Param } from '@nestjs/common';
import { CurrentStore, Documented, single, type CurrentStoreContext, type SingleEnvelope } from 'store-commerce/api';
import { LoyaltyAccounts } from './loyalty-accounts.js';
import { ApiGetLoyalty, LOYALTY_DOCUMENTATION, toLoyaltyResponse, type LoyaltyResponse } from './loyalty.openapi.js';

@Controller('v1/loyalty')
@Documented(LOYALTY_DOCUMENTATION)
export class LoyaltyController {
  constructor(private readonly accounts: LoyaltyAccounts) {}

  @Get(':customer')
  @ApiGetLoyalty()
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('customer') customer: string,
  ): Promise<SingleEnvelope<LoyaltyResponse>> {
    return single(toLoyaltyResponse(await this.accounts.retrieve(store.id, customer)));
  }
}
