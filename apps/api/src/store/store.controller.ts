import { StoreProfileService } from '@app/application';
import { Controller, Get } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { single, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiGetStore, STORE_DOCUMENTATION } from './store.openapi.js';
import { toStoreResponse, type StoreResponse } from './store.response.js';

@Controller('v1/store')
@Documented(STORE_DOCUMENTATION)
export class StoreController {
  constructor(private readonly profiles: StoreProfileService) {}

  @Get()
  @ApiGetStore()
  async retrieve(@CurrentStore() store: CurrentStoreContext): Promise<SingleEnvelope<StoreResponse>> {
    return single(toStoreResponse(await this.profiles.retrieve(store.id)));
  }
}
