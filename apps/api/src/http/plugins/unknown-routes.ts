import { BadRequestException, NotFoundException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

/** No id, slug or receipt number is longer. */
const MAX_ID_LENGTH = 512;

export const unknownRoutes = fp(
  (fastify, _options, done) => {
    fastify.addHook('onRequest', (request, _reply, next) => {
      if (request.is404 || Object.values(request.params ?? {}).some((id: string) => id.length > MAX_ID_LENGTH)) {
        next(new NotFoundException('Not found'));
      } else if (hasBody(request) && request.headers['content-type'] === undefined) {
        next(new BadRequestException('Content-Type must be application/json'));
      } else {
        next();
      }
    });
    done();
  },
  { name: 'unknown-routes', dependencies: ['authentication'] },
);

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
