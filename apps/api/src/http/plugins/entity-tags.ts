import etag from '@fastify/etag';
import fp from 'fastify-plugin';

/** Only reads keep their tag: the tag of a refusal or a write would say nothing about a resource. */
export const entityTags = fp(
  async (fastify) => {
    await fastify.register(etag);
    fastify.addHook('onSend', (request, reply, payload, next) => {
      const isUnchanged = reply.statusCode === 304;
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (!isRead || (reply.statusCode !== 200 && !isUnchanged)) reply.removeHeader('etag');
      // Caches store the answer, and revalidate it before each use.
      else if (request.url.startsWith('/v1/')) reply.header('cache-control', 'private, no-cache');
      // Fastify counts the bytes of the body that a HEAD request does not get.
      next(null, isUnchanged && request.method === 'GET' ? null : payload);
    });
  },
  { name: 'entity-tags', dependencies: ['authentication'] },
);
