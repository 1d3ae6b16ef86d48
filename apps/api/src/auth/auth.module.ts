import { Config } from '@app/infrastructure';
import { Module } from '@nestjs/common';
import { APP_GUARD, HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiKeyGuard } from './api-key.guard.js';
import { demandDeclaration } from './route-access.js';
import { Throttle } from './throttle.js';

@Module({
  providers: [
    { provide: Throttle, useFactory: ({ throttlePer10s }: Config) => new Throttle(throttlePer10s), inject: [Config] },
    ApiKeyGuard,
    { provide: APP_GUARD, useExisting: ApiKeyGuard },
  ],
  exports: [ApiKeyGuard],
})
export class AuthModule {
  constructor({ httpAdapter }: HttpAdapterHost<FastifyAdapter>) {
    httpAdapter.getInstance().addHook('onRoute', demandDeclaration);
  }
}
