import type { Config } from '@app/infrastructure';
import { Module, type DynamicModule } from '@nestjs/common';
import { OidcController } from './oidc.controller.js';
import { SignInController } from './sign-in.controller.js';

@Module({})
export class DashboardModule {
  static on({ oidc }: Config): DynamicModule {
    return { module: DashboardModule, controllers: [SignInController, ...(oidc ? [OidcController] : [])] };
  }
}
