import { StoreProfileService } from '@app/application';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiKeyGuard } from '../auth/api-key.guard.js';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { single, type SingleEnvelope } from '../envelope.js';
import { ApiSingle } from '../openapi/endpoints.js';
import { noParameters, ReadQuery, type NoParameters } from '../query/read-query.decorator.js';
import { toStoreResponse, type StoreResponse } from './store.response.js';

@Controller('v1/store')
@ApiTags('Store')
@UseGuards(ApiKeyGuard)
export class StoreController {
  constructor(private readonly profiles: StoreProfileService) {}

  @Get()
  @ApiSingle({ operationId: 'getStore', summary: 'The profile of the store that the key belongs to', of: 'Store' })
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(noParameters) _query: NoParameters,
  ): Promise<SingleEnvelope<StoreResponse>> {
    return single(toStoreResponse(await this.profiles.retrieve(store.id)));
  }
}
