import { DeadlineExceeded, READ_ANSWER_MS } from '@app/application';
import fp from 'fastify-plugin';
import { describeError } from '../../errors/describe-error.js';

interface Options {
  readonly patienceMs?: number;
}

/**
 * Answers 503 to a read that takes too long: several short waits, for a connection and for statements, add up. Orders are
 * exempt, because their answer must say whether the order was placed.
 */
export const readDeadline = fp<Options>(
  (fastify, { patienceMs = READ_ANSWER_MS }, done) => {
    fastify.addHook('onRequest', (request, reply, next) => {
      if (request.method === 'GET' || request.method === 'HEAD') {
        const timer = setTimeout(() => {
          if (reply.sent) return;
          const { status, body, headers } = describeError(new DeadlineExceeded());
          // The handler may have set the content type of its own answer.
          void reply.status(status).headers(headers).type('application/json; charset=utf-8').send(body);
        }, patienceMs - reply.elapsedTime);
        timer.unref();
        reply.raw.once('close', () => clearTimeout(timer));
      }
      next();
    });
    done();
  },
  { name: 'read-deadline' },
);
