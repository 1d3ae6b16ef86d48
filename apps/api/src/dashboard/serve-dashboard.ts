import type { FastifyInstance } from 'fastify';
import { PUBLIC } from '../route-access.js';
import { A_YEAR, filesOfBuild, serveFromMemory } from '../serve-from-memory.js';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

/**
 * Serves what `tools/bundle-dashboard.mjs` writes. The dashboard's routes are in the URL fragment, so every other path
 * is unknown and never answers with the page.
 */
export function serveDashboard(fastify: FastifyInstance): void {
  const files = filesOfBuild('dashboard');
  if (files.length === 0) return;
  for (const { name, file } of files) {
    if (name === 'index.html') serveFromMemory(fastify, '/dashboard/', file, HEADERS);
    else serveFromMemory(fastify, `/dashboard/${name}`, file, { ...HEADERS, 'cache-control': A_YEAR });
  }
  fastify.get('/dashboard', { config: PUBLIC }, (_request, reply) => reply.redirect('./dashboard/'));
}
