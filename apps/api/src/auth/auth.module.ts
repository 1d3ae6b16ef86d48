import { Config } from '@app/infrastructure';
import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ApiKeyGuard } from './api-key.guard.js';
import { Throttle } from './throttle.js';

/** Guards every route of the application, also those of modules that other teams add. */
@Module({
  providers: [
    { provide: Throttle, useFactory: ({ throttlePer10s }: Config) => new Throttle(throttlePer10s), inject: [Config] },
    ApiKeyGuard,
    { provide: APP_GUARD, useExisting: ApiKeyGuard },
  ],
  exports: [ApiKeyGuard],
})
export class AuthModule {}
