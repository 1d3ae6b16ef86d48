import { Overloaded } from '@app/application';
import type { FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import { describeError } from '../../errors/describe-error.js';
import type { ConcurrencyLimit } from '../server/concurrency-limits.js';
import type { ServerDependencies } from '../server/create-server.js';

declare module 'fastify' {
  interface FastifyRequest {
    placeIn: ConcurrencyLimit | null;
  }
}

const REFUSAL = describeError(new Overloaded());

/** Answers 503 at once when the limit is full: a request that waits would miss its deadline. */
export const concurrencyLimit = fp<ServerDependencies>(
  (fastify, { limits, metrics }, done) => {
    const enter = (request: { placeIn: ConcurrencyLimit | null }, reply: FastifyReply, limit: ConcurrencyLimit) => {
      if (limit.tryEnter()) {
        request.placeIn = limit;
        return true;
      }
      metrics.refusedRequests.inc({ kind: limit.kind });
      const { status, body, headers } = REFUSAL;
      void reply.status(status).headers(headers).header('cache-control', 'no-store').send(body);
      return false;
    };

    fastify.decorateRequest('placeIn', null);
    fastify.addHook('onRequest', (request, reply, next) => {
      const limit = limits.of(request);
      if (!limit || limit.kind === 'orders' || enter(request, reply, limit)) next();
    });
    // An order takes its place when its body has arrived: slow uploads do not block other orders. Those of imports take
    // memory.
    fastify.addHook('preValidation', (request, reply, next) => {
      const limit = limits.of(request);
      if (limit?.kind !== 'orders' || enter(request, reply, limit)) next();
    });
    // The place is free when the answer has left the process, which bounds the memory of unread answers. The disconnect
    // of a client does not free a place before, because the work continues.
    fastify.addHook('onSend', (request, { raw }, payload, next) => {
      const place = request.placeIn;
      request.placeIn = null;
      if (raw.destroyed) place?.leave();
      else if (place) raw.once('close', () => place.leave());
      next(null, payload);
    });
    done();
  },
  { name: 'concurrency-limit', dependencies: ['request-head'] },
);
