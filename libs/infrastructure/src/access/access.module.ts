import { ApiKeyRepository, IdentityProvider, PersonRepository, SignInRepository } from '@app/application';
import { Module } from '@nestjs/common';
import { Config } from '../platform/config.js';
import { KeyUsage } from './key-usage.js';
import { OidcIdentityProvider } from './oidc-identity-provider.js';
import { PostgresApiKeyRepository } from './postgres-api-key.repository.js';
import { PostgresPersonRepository } from './postgres-person.repository.js';
import { PostgresSignInRepository } from './postgres-sign-in.repository.js';

@Module({
  providers: [
    KeyUsage,
    { provide: ApiKeyRepository, useClass: PostgresApiKeyRepository },
    { provide: PersonRepository, useClass: PostgresPersonRepository },
    { provide: SignInRepository, useClass: PostgresSignInRepository },
    {
      provide: IdentityProvider,
      useFactory: ({ oidc }: Config) => oidc && new OidcIdentityProvider(oidc),
      inject: [Config],
    },
  ],
  exports: [ApiKeyRepository, IdentityProvider, PersonRepository, SignInRepository],
})
export class AccessModule {}
