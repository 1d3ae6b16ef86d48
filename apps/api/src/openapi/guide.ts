import { readFileSync } from 'node:fs';
import { PROJECT_ROOT } from '@app/infrastructure';
import type { FastifyInstance } from 'fastify';
import { publicFile, serveFromMemory } from '../http/serve-from-memory.js';

/** Serves docs/api.md at `/docs/guide`, as the text that it is. */
export function serveGuide(fastify: FastifyInstance): void {
  const guide = publicFile(readFileSync(new URL('docs/api.md', PROJECT_ROOT)), 'text/plain; charset=utf-8');
  serveFromMemory(fastify, '/docs/guide', () => guide);
}
