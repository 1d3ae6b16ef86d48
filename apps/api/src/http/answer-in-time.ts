import { READ_ANSWER_MS } from '@app/application';
import { ServiceUnavailableException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { describeError } from '../errors/describe-error.js';

/**
 * Tells a client that reads so when the database keeps it waiting: several short waits, for a connection and for
 * answers, add up. Only reads, because it is true of them whatever becomes of the work; of an order it has to be known
 * first what became of it.
 */
export function answerReadsInTime(fastify: FastifyInstance, patienceMs = READ_ANSWER_MS): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'GET' || request.method === 'HEAD') {
      const timer = setTimeout(() => {
        if (reply.sent) return;
        const { status, body, headers } = describeError(new ServiceUnavailableException());
        // The handler may have said what type its own answer was going to have.
        void reply.status(status).headers(headers).type('application/json; charset=utf-8').send(body);
      }, patienceMs - reply.elapsedTime);
      timer.unref();
      reply.raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}
