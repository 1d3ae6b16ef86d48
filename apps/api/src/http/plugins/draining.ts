import fp from 'fastify-plugin';

/** While `isDraining` is true, closes each connection after its answer, so that the next request goes elsewhere. */
export const draining = fp<{ readonly isDraining: () => boolean }>(
  (fastify, { isDraining }, done) => {
    fastify.addHook('onSend', (_request, reply, payload, next) => {
      if (isDraining()) reply.header('connection', 'close');
      next(null, payload);
    });
    done();
  },
  { name: 'draining' },
);
