import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { PUBLIC } from '../access/route-access.js';

export interface PublicFile {
  readonly content: Buffer;
  readonly type: string;
  readonly version: string;
}

export function publicFile(content: string | Buffer, type: string): PublicFile {
  const bytes = Buffer.from(content);
  return { content: bytes, type, version: createHash('sha256').update(bytes).digest('base64url').slice(0, 16) };
}

const A_YEAR = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';

/**
 * Answers from one buffer that all connections share: a stream would hold a descriptor until its client has read it. A
 * URL with the version (`?v=…`) may be cached for a year. The version is compared: during a deployment, a client may
 * request that of another process.
 */
export function serveFromMemory(
  fastify: FastifyInstance,
  path: string,
  file: () => PublicFile,
  headers: Readonly<Record<string, string>> = {},
): void {
  fastify.get<{ Querystring: { v?: unknown } }>(path, { config: PUBLIC }, (request, reply) => {
    const { content, type, version } = file();
    const caching = request.query.v === version ? A_YEAR : REVALIDATE;
    // The `entity-tags` plugin compares the tag. Hashing the content for each request would cost more.
    void reply.headers({ ...headers, etag: `"${version}"`, 'cache-control': caching });
    return reply.type(type).send(content);
  });
}
