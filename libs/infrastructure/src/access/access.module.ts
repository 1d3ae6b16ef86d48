import { ApiKeyRepository, IdentityProvider, SignInRepository } from '@app/application';
import { Module } from '@nestjs/common';
import { Config } from '../platform/config.js';
import { KeyUsage } from './key-usage.js';
import { OidcIdentityProvider } from './oidc-identity-provider.js';
import { PostgresApiKeyRepository } from './postgres-api-key.repository.js';
import { PostgresSignInRepository } from './postgres-sign-in.repository.js';

@Module({
  providers: [
    KeyUsage,
    { provide: ApiKeyRepository, useClass: PostgresApiKeyRepository },
    { provide: SignInRepository, useClass: PostgresSignInRepository },
    {
      provide: IdentityProvider,
      useFactory: ({ oidc }: Config) => oidc && new OidcIdentityProvider(oidc),
      inject: [Config],
    },
  ],
  exports: [ApiKeyRepository, IdentityProvider, SignInRepository],
})
export class AccessModule {}
