import { BadRequestException, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { linesNamed } from '../headers.js';

export const IdempotencyKey = createParamDecorator((_data: unknown, context: ExecutionContext): string | null =>
  idempotencyKeyOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/**
 * Returns null when the header is absent.
 * @throws BadRequestException when the header occurs more than once, or is not 1 to 255 printable ASCII characters.
 */
export function idempotencyKeyOf({ headers, raw }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  // Node joins repeated headers with a comma. The raw headers are counted, because a key may contain a comma.
  if (linesNamed('idempotency-key', raw.rawHeaders) > 1)
    throw new BadRequestException('Idempotency-Key must be sent once');
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new BadRequestException('Idempotency-Key must be 1 to 255 printable ASCII characters');
  }
  return key;
}
