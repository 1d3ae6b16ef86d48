import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AuthenticationError } from '../errors/authentication-error.js';

/**
 * Declares that a controller needs a key. The check itself was made before the body was read, by the early hook; this
 * guard refuses a request that reached a handler past it.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { apiKey } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!apiKey) throw new AuthenticationError('missing');
    return true;
  }
}
