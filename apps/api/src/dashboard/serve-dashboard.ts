import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { PUBLIC } from '../route-access.js';
import { A_YEAR, PublicFile, serveFromMemory } from '../serve-from-memory.js';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** `tools/bundle-dashboard.mjs` writes it. Seen from the bundle, from the separate files of the build, and from the source. */
const FOLDER = ['../dashboard', '../../../../dashboard', '../../../../dist/dashboard']
  .map((name) => path.join(import.meta.dirname, name))
  .find((folder) => existsSync(path.join(folder, 'index.html')));

/** Its routes are in the fragment: every other path is unknown, and never the page. */
export function serveDashboard(fastify: FastifyInstance): void {
  if (FOLDER === undefined) return;
  for (const name of readdirSync(FOLDER).filter((each) => path.extname(each) in TYPES)) {
    const read = (suffix: string) => readFileSync(path.join(FOLDER, name + suffix));
    const type = TYPES[path.extname(name)] as string;
    const file = new PublicFile(read(''), type, { br: read('.br'), gzip: read('.gz') });
    if (name === 'index.html') serveFromMemory(fastify, '/dashboard/', () => file, HEADERS);
    else serveFromMemory(fastify, `/dashboard/${name}`, () => file, { ...HEADERS, 'cache-control': A_YEAR });
  }
  fastify.get('/dashboard', { config: PUBLIC }, (_request, reply) => reply.redirect('./dashboard/'));
}
