import { DeadlineExceeded, READ_ANSWER_MS } from '@app/application';
import type { FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import { describeError } from '../../errors/describe-error.js';

declare module 'fastify' {
  interface FastifyReply {
    /** Gives a read more time for its answer. @param milliseconds in addition. */
    extendDeadline(milliseconds: number): void;
  }
}

interface Options {
  readonly patienceMs?: number;
}

/**
 * Answers 503 to a read that takes too long: several short waits, for a connection and for statements, add up. Orders are
 * exempt, because their answer must say whether the order was placed.
 */
export const readDeadline = fp<Options>(
  (fastify, { patienceMs = READ_ANSWER_MS }, done) => {
    const timers = new WeakMap<FastifyReply, NodeJS.Timeout>();
    const expectAnswer = (reply: FastifyReply, milliseconds: number): void => {
      const timer = setTimeout(() => {
        if (reply.sent) return;
        const { status, body, headers } = describeError(new DeadlineExceeded());
        // The handler may have set the content type of its own answer.
        void reply.status(status).headers(headers).type('application/json; charset=utf-8').send(body);
      }, milliseconds);
      timers.set(reply, timer.unref());
    };

    fastify.decorateReply('extendDeadline', function (milliseconds: number) {
      clearTimeout(timers.get(this));
      expectAnswer(this, milliseconds + patienceMs - this.elapsedTime);
    });
    fastify.addHook('onRequest', (request, reply, next) => {
      if (request.method === 'GET' || request.method === 'HEAD') {
        expectAnswer(reply, patienceMs - reply.elapsedTime);
        reply.raw.once('close', () => clearTimeout(timers.get(reply)));
      }
      next();
    });
    done();
  },
  { name: 'read-deadline' },
);
