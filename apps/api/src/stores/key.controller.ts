import { StoreProfileService, type ApiKeyLookup } from '@app/application';
import { ApiKey, toApiKeyResponse } from '@app/representations';
import { Controller, Get } from '@nestjs/common';
import { CurrentKey } from '../access/current-store.decorator.js';
import { single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiSingle } from '../openapi/endpoints.js';

@Controller('v1/key')
@Documented({ tag: 'Key', description: 'The key of the request.', schemas: [ApiKey] })
export class KeyController {
  constructor(private readonly profiles: StoreProfileService) {}

  @Get()
  @ApiSingle({
    operationId: 'getKey',
    summary: 'Read the key of the request',
    description: 'Its mode, scopes and store. Every key can read it.',
    of: ApiKey,
  })
  async retrieve(@CurrentKey() key: ApiKeyLookup) {
    return single(toApiKeyResponse(key, await this.profiles.retrieve(key.store.id)));
  }
}
