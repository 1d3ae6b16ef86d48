import { StoreProfileService } from '@app/application';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequiresKeyGuard } from '../auth/requires-key.guard.js';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { single, type SingleEnvelope } from '../envelope.js';
import { noParameters, ReadQuery, type NoParameters } from '../query/read-query.decorator.js';
import { ApiGetStore, STORE_DOCUMENTATION } from './store.openapi.js';
import { toStoreResponse, type StoreResponse } from './store.response.js';

@Controller('v1/store')
@ApiTags(STORE_DOCUMENTATION.tag)
@UseGuards(RequiresKeyGuard)
export class StoreController {
  constructor(private readonly profiles: StoreProfileService) {}

  @Get()
  @ApiGetStore()
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(noParameters) _query: NoParameters,
  ): Promise<SingleEnvelope<StoreResponse>> {
    return single(toStoreResponse(await this.profiles.retrieve(store.id)));
  }
}
