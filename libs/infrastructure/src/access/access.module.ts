import { ApiKeyRepository, PersonRepository, SignInRepository } from '@app/application';
import { Module } from '@nestjs/common';
import { KeyUsage } from './key-usage.js';
import { PostgresApiKeyRepository } from './postgres-api-key.repository.js';
import { PostgresPersonRepository } from './postgres-person.repository.js';
import { PostgresSignInRepository } from './postgres-sign-in.repository.js';

@Module({
  providers: [
    KeyUsage,
    { provide: ApiKeyRepository, useClass: PostgresApiKeyRepository },
    { provide: PersonRepository, useClass: PostgresPersonRepository },
    { provide: SignInRepository, useClass: PostgresSignInRepository },
  ],
  exports: [ApiKeyRepository, PersonRepository, SignInRepository],
})
export class AccessModule {}
