import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { PublicFile, serveFromMemory } from '../serve-from-memory.js';

const NOTHING_ELSE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const POLICY_OF_GUIDES = `default-src 'none'; style-src 'self'; img-src 'self'; ${NOTHING_ELSE}`;
const POLICY_OF_REFERENCE =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " + NOTHING_ELSE;

/** The pages that run scripts. Swagger UI makes elements from texts, so Trusted Types would stop it. */
const POLICIES: Readonly<Record<string, string>> = {
  'docs.html': POLICY_OF_REFERENCE,
  'index.html': POLICY_OF_REFERENCE,
  'search.html':
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; ${NOTHING_ELSE}; ` +
    "require-trusted-types-for 'script'; trusted-types 'none'",
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
};

/** `tools/bundle-documentation.mjs` writes it. Seen from the bundle, from the separate files of the build, and from the source. */
const FOLDER = ['../documentation', '../../../../documentation', '../../../../dist/documentation']
  .map((name) => path.join(import.meta.dirname, name))
  .find((folder) => existsSync(path.join(folder, 'index.html')));

/** Each file is read at its first request: a start does not wait for it. */
export function servePages(fastify: FastifyInstance): void {
  if (FOLDER === undefined) return;
  for (const name of readdirSync(FOLDER).filter((each) => path.extname(each) in TYPES)) {
    let file: PublicFile | undefined;
    const headers = { 'content-security-policy': POLICIES[name] ?? POLICY_OF_GUIDES };
    for (const address of addressesOf(name))
      serveFromMemory(fastify, address, () => (file ??= publicFile(path.join(FOLDER, name))), headers);
  }
}

function addressesOf(name: string): string[] {
  if (name === 'docs.html') return ['/docs'];
  if (name === 'index.html') return ['/docs/', '/docs/index.html'];
  return [`/docs/${name.replace(/\.html$/, '')}`];
}

function publicFile(file: string): PublicFile {
  const type = TYPES[path.extname(file)] ?? '';
  const isCompressed = existsSync(`${file}.br`);
  const compressed = isCompressed ? { br: readFileSync(`${file}.br`), gzip: readFileSync(`${file}.gz`) } : {};
  return new PublicFile(readFileSync(file), type, compressed);
}
