import { StoreProfileService } from '@app/application';
import { Store, toStoreResponse, type StoreResponse } from '@app/representations';
import { Controller, Get } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { single, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiSingle } from '../openapi/endpoints.js';

@Controller('v1/store')
@Documented({
  tag: 'Store',
  description: 'The store itself.',
  schemas: [Store],
})
export class StoreController {
  constructor(private readonly profiles: StoreProfileService) {}

  @Get()
  @ApiSingle({ operationId: 'getStore', summary: 'The profile of the store that the key belongs to', of: Store })
  async retrieve(@CurrentStore() store: CurrentStoreContext): Promise<SingleEnvelope<StoreResponse>> {
    return single(toStoreResponse(await this.profiles.retrieve(store.id)));
  }
}
