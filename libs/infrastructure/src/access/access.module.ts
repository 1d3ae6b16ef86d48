import { ApiKeyRepository } from '@app/application';
import { Module } from '@nestjs/common';
import { KeyUsage } from './key-usage.js';
import { PostgresApiKeyRepository } from './postgres-api-key.repository.js';

@Module({
  providers: [KeyUsage, { provide: ApiKeyRepository, useClass: PostgresApiKeyRepository }],
  exports: [ApiKeyRepository],
})
export class AccessModule {}
