import { BadRequestException, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/**
 * The client's Idempotency-Key, null when there is none.
 *
 * @throws BadRequestException unless it is 1 to 255 printable ASCII characters.
 */
export const IdempotencyKey = createParamDecorator((_data: unknown, context: ExecutionContext): string | null => {
  const key = context.switchToHttp().getRequest<FastifyRequest>().headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new BadRequestException('Idempotency-Key must be 1 to 255 printable ASCII characters');
  }
  return key;
});
