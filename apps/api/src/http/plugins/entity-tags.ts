import etag from '@fastify/etag';
import fp from 'fastify-plugin';

/** Only reads keep their tag: that of a refusal or of a write would say nothing about a resource. */
export const entityTags = fp(
  async (fastify) => {
    await fastify.register(etag);
    fastify.addHook('onSend', (request, reply, payload, next) => {
      const isUnchanged = reply.statusCode === 304;
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (!isRead || (reply.statusCode !== 200 && !isUnchanged)) reply.removeHeader('etag');
      // Caches keep the answer, and ask before each use of it.
      else if (request.url.startsWith('/v1/')) reply.header('cache-control', 'private, no-cache');
      // Fastify counts the bytes of what a HEAD request does not get.
      next(null, isUnchanged && request.method === 'GET' ? null : payload);
    });
  },
  { name: 'entity-tags', dependencies: ['authentication'] },
);
