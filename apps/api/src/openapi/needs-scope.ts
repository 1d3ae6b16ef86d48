import type { ScopeWord } from '@app/domain';
import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiSecurity } from '@nestjs/swagger';
import { AuthenticationError } from '../errors/request-errors.js';
import { ApiFailures } from './failures.js';

/** @param scopes the key must have at least one of these. */
export const NeedsScope = (...scopes: readonly ScopeWord[]): MethodDecorator =>
  applyDecorators(RouteConfig({ needs: scopes }), ApiNeeds(scopes));

/** Also requires that a person has signed in within the last hour. Keys of machines do not sign in. */
export const NeedsRecentSignIn = (...scopes: readonly ScopeWord[]): MethodDecorator =>
  applyDecorators(
    RouteConfig({ needs: scopes, needsRecentSignIn: true }),
    ApiNeeds(scopes),
    ApiFailures(new AuthenticationError('stale_sign_in')),
  );

const ApiNeeds = (scopes: readonly ScopeWord[]): MethodDecorator =>
  applyDecorators(
    ...scopes.map((scope) => ApiSecurity('bearer', [scope])),
    ApiFailures(new AuthenticationError({ lacks: scopes })),
  );
