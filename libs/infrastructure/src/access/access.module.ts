import { ApiKeyRepository, SignInRepository } from '@app/application';
import { Module } from '@nestjs/common';
import { KeyUsage } from './key-usage.js';
import { PostgresApiKeyRepository } from './postgres-api-key.repository.js';
import { PostgresSignInRepository } from './postgres-sign-in.repository.js';

@Module({
  providers: [
    KeyUsage,
    { provide: ApiKeyRepository, useClass: PostgresApiKeyRepository },
    { provide: SignInRepository, useClass: PostgresSignInRepository },
  ],
  exports: [ApiKeyRepository, SignInRepository],
})
export class AccessModule {}
