import type { WriteScope } from '@app/domain';
import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiSecurity } from '@nestjs/swagger';
import { AuthenticationError } from '../errors/request-errors.js';
import { ApiFailures } from './failures.js';

export const NeedsScope = (scope: WriteScope): MethodDecorator =>
  applyDecorators(
    RouteConfig({ needs: scope }),
    ApiSecurity('bearer', [scope]),
    ApiFailures(new AuthenticationError({ lacks: scope })),
  );
