import fp from 'fastify-plugin';

interface Options {
  readonly isDraining: () => boolean;
}

/** During a shutdown, asks clients to open a new connection, to another instance, for their next request. */
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
