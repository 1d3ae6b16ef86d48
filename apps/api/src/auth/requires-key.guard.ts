import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AuthenticationError } from '../errors/authentication-error.js';

/**
 * Declares that a controller needs a key. The `authentication` plugin checks the key before the body is read; this guard
 * refuses a request that bypassed the plugin.
 */
@Injectable()
export class RequiresKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { apiKey } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!apiKey) throw new AuthenticationError('missing');
    return true;
  }
}
