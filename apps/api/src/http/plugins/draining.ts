import fp from 'fastify-plugin';

interface Options {
  readonly isDraining: () => boolean;
}

/** The next request of the client opens a connection to another instance. */
export const draining = fp<Options>(
  (fastify, { isDraining }, done) => {
    fastify.addHook('onSend', (_request, reply, payload, next) => {
      if (isDraining()) reply.header('connection', 'close');
      next(null, payload);
    });
    done();
  },
  { name: 'draining' },
);
