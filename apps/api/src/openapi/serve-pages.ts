import type { FastifyInstance } from 'fastify';
import { filesOfBuild, serveFromMemory } from '../serve-from-memory.js';

const NOTHING_ELSE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const POLICY_OF_GUIDES = `default-src 'none'; style-src 'self'; img-src 'self'; ${NOTHING_ELSE}`;
const POLICY_OF_REFERENCE =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " + NOTHING_ELSE;

/** The policies of pages that run scripts. Swagger UI creates elements from texts, so Trusted Types would break it. */
const POLICIES: Readonly<Record<string, string>> = {
  'docs.html': POLICY_OF_REFERENCE,
  'index.html': POLICY_OF_REFERENCE,
  'search.html':
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; ${NOTHING_ELSE}; ` +
    "require-trusted-types-for 'script'; trusted-types 'none'",
};

/** Serves the guides, their search and the reference, which `tools/bundle-documentation.mjs` writes. */
export function servePages(fastify: FastifyInstance): void {
  for (const { name, file } of filesOfBuild('documentation')) {
    const headers = { 'content-security-policy': POLICIES[name] ?? POLICY_OF_GUIDES };
    for (const address of addressesOf(name)) serveFromMemory(fastify, address, file, headers);
  }
}

function addressesOf(name: string): string[] {
  if (name === 'docs.html') return ['/docs'];
  if (name === 'index.html') return ['/docs/', '/docs/index.html'];
  return [`/docs/${name.replace(/\.html$/, '')}`];
}
