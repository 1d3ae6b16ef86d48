import { StoreAttention } from '@app/application';
import { Attention, toAttentionResponse } from '@app/representations';
import { Controller, Get } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiSingle } from '../openapi/endpoints.js';

@Controller('v1/attention')
@Documented({ tag: 'Attention', description: 'What waits for a person.', schemas: [Attention] })
export class AttentionController {
  constructor(private readonly attention: StoreAttention) {}

  @Get()
  @ApiSingle({
    operationId: 'getAttention',
    summary: 'How much of the store waits for a person',
    description: 'Exact counts of one moment, in live and test mode together.',
    of: Attention,
  })
  async retrieve(@CurrentStore() store: CurrentStoreContext) {
    return single(toAttentionResponse(await this.attention.count(store.id)));
  }
}
