import fp from 'fastify-plugin';

/** The next request of the client opens a connection to another instance. */
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
