import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { QueryGuard } from './query.guard.js';

/** Checks the query of every route, also of those that other teams add, after the key. */
@Module({ imports: [AuthModule], providers: [{ provide: APP_GUARD, useClass: QueryGuard }] })
export class QueryModule {}
