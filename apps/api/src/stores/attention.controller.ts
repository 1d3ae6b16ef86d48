import { StoreAttention } from '@app/application';
import { Attention, toAttentionResponse } from '@app/representations';
import { Controller, Get } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiParameters, ApiSingle } from '../openapi/endpoints.js';
import { booleanFilter } from '../query/parameters.js';
import { queryOf, ReadQuery, type ValuesOf } from '../query/query.js';

const QUERY = queryOf({
  isTest: booleanFilter('is_test', 'only orders that were placed with a test key', 'only live orders, the default'),
});

@Controller('v1/attention')
@Documented({ tag: 'Attention', description: 'Work that needs a person.', schemas: [Attention] })
export class AttentionController {
  constructor(private readonly attention: StoreAttention) {}

  @Get()
  @ApiParameters
  @ApiSingle({
    operationId: 'getAttention',
    summary: 'Count the work that needs a person',
    description: 'Exact counts of one moment. Webhooks, keys and units are those of both modes.',
    of: Attention,
  })
  async retrieve(@CurrentStore() store: CurrentStoreContext, @ReadQuery(QUERY) { isTest }: ValuesOf<typeof QUERY>) {
    return single(toAttentionResponse(await this.attention.count(store.id, isTest ?? false)));
  }
}
