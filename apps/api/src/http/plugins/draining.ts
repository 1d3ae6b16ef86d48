import fp from 'fastify-plugin';

/** Closes connections, so that the next request of the client goes to another instance. */
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
