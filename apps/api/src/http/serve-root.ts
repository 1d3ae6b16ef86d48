import { VERSION } from '@app/infrastructure';
import type { FastifyInstance } from 'fastify';
import { PUBLIC } from '../auth/route-access.js';

const ROOT = { name: 'Store Commerce API', version: VERSION, documentation: '/docs', openapi: '/openapi.json' };

export function serveRoot(fastify: FastifyInstance): void {
  fastify.get('/', { config: PUBLIC }, () => ROOT);
}
