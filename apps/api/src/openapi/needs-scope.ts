import type { ScopeWord } from '@app/domain';
import { applyDecorators } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { DeclareAccess } from '../access/route-access.js';
import { AuthenticationError } from '../errors/request-errors.js';
import { ApiFailures } from './failures.js';

/** @param scopes one of which suffices. */
export const NeedsScope = (...scopes: readonly ScopeWord[]): MethodDecorator =>
  applyDecorators(
    DeclareAccess({ needs: scopes }),
    ...scopes.map((scope) => ApiSecurity('bearer', [scope])),
    ApiFailures(new AuthenticationError({ lacks: scopes })),
  );
