import { createHash } from 'node:crypto';
import type { ChangeKind, FeedHead, FeedHeads } from '@app/application';
import { VERSION } from '@app/infrastructure';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { AuthenticatedRequest } from '../../auth/authenticated-request.js';
import { matchesTag } from '../server/entity-tag.js';

interface Options {
  readonly heads: FeedHeads;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The kind that the answers of a route show. A product shows names of its category and brand; the feed knows. */
    shows?: ChangeKind;
  }
}

/**
 * Answers 304, without the query of the list, when nothing that the answer shows has changed since the client's. The head
 * of the feed is read before the answer: the answer may be newer than its tag, never older.
 */
export const conditionalReads = fp<Options>(
  (fastify, { heads }, done) => {
    const tags = new WeakMap<FastifyRequest, string>();
    fastify.addHook('preHandler', async (request, reply) => {
      const kind = request.routeOptions.config.shows;
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (!kind || !isRead) return;
      const { store, mode } = (request as AuthenticatedRequest).apiKey;
      const asked = request.headers['if-none-match'];
      const head = await (asked === undefined ? heads.recent(store.id, kind) : heads.now(store.id, kind));
      if (!head) return;
      // Strict handling refuses what another answer to the same address accepts.
      const tag = tagOf(head, [VERSION, store.id, mode, request.url, request.headers.prefer?.toString() ?? '']);
      tags.set(request, tag);
      // `*` names every resource that exists: only the read knows whether this one does.
      if (asked !== '*' && matchesTag(asked, tag)) return reply.status(304).send();
    });
    fastify.addHook('onSend', (request, reply, payload, next) => {
      const tag = tags.get(request);
      if (tag === undefined || ![200, 304].includes(reply.statusCode)) return next(null, payload);
      // Caches keep the answer, and ask before each use of it.
      reply.headers({ etag: tag, 'cache-control': 'private, no-cache' });
      if (request.headers['if-none-match'] !== '*' || reply.statusCode === 304) return next(null, payload);
      reply.status(304).removeHeader('content-type');
      // Fastify counts the bytes of what a HEAD request does not get.
      next(null, request.method === 'HEAD' ? payload : null);
    });
    done();
  },
  { name: 'conditional-reads', dependencies: ['authentication', 'unknown-routes', 'concurrency-limit'] },
);

/** Weak: equal tags mean the same data, not the same bytes. */
function tagOf({ branch, position }: FeedHead, rest: readonly (string | number)[]): string {
  const text = [branch, position, ...rest].join('\n');
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
