import type { ScopeWord } from '@app/domain';
import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiSecurity } from '@nestjs/swagger';
import { AuthenticationError } from '../errors/request-errors.js';
import { ApiFailures } from './failures.js';

/** @param scopes one of which suffices. */
export const NeedsScope = (...scopes: readonly ScopeWord[]): MethodDecorator =>
  applyDecorators(
    RouteConfig({ needs: scopes }),
    ...scopes.map((scope) => ApiSecurity('bearer', [scope])),
    ApiFailures(new AuthenticationError({ lacks: scopes })),
  );

/** A person must have signed in within the last hour. The keys of machines do not sign in. */
export const NeedsFreshSignIn = (): MethodDecorator =>
  applyDecorators(RouteConfig({ needsFreshSignIn: true }), ApiFailures(new AuthenticationError('stale_sign_in')));
