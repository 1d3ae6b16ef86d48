import { Overloaded } from '@app/application';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { describeError } from '../../errors/describe-error.js';
import type { ConcurrencyLimit, Slot } from '../server/concurrency-limits.js';
import type { ServerDependencies } from '../server/create-server.js';

declare module 'fastify' {
  interface FastifyRequest {
    slot: Slot | null;
  }
}

const REFUSAL = describeError(new Overloaded());

/** Answers 503 at once when the limit is full: a request that waits would miss its deadline. */
export const concurrencyLimit = fp<ServerDependencies>(
  (fastify, { limits, metrics }, done) => {
    const refuse = (reply: FastifyReply, { kind }: ConcurrencyLimit) => {
      metrics.refusedRequests.inc({ kind });
      const { status, body, headers } = REFUSAL;
      void reply.status(status).headers(headers).header('cache-control', 'no-store').send(body);
    };
    const enter = (request: FastifyRequest, limit: ConcurrencyLimit) =>
      (request.slot = limit.tryEnter(request.headers.authorization)) !== null;
    const assign = ({ slot, apiKey }: FastifyRequest) => !slot || !apiKey || slot.tryAssign(apiKey.store.id);

    fastify.decorateRequest('slot', null);
    fastify.addHook('onRequest', (request, reply, next) => {
      const limit = limits.of(request);
      if (!limit || limit.kind === 'orders' || enter(request, limit)) next();
      else refuse(reply, limit);
    });
    fastify.addHook('preParsing', (request, reply, _payload, next) => {
      const limit = limits.of(request);
      if (!limit || limit.kind === 'orders' || assign(request)) next();
      else refuse(reply, limit);
    });
    // An order takes its slot when its body has arrived: slow uploads do not block other orders. Those of imports take
    // memory.
    fastify.addHook('preValidation', (request, reply, next) => {
      const limit = limits.of(request);
      if (limit?.kind !== 'orders' || (enter(request, limit) && assign(request))) next();
      else refuse(reply, limit);
    });
    // The slot is free when the answer has left the process, which bounds the memory of unread answers. The disconnect
    // of a client does not free a slot before, because the work continues.
    fastify.addHook('onSend', (request, { raw }, payload, next) => {
      const { slot } = request;
      request.slot = null;
      if (raw.destroyed) slot?.leave();
      else if (slot) raw.once('close', () => slot.leave());
      next(null, payload);
    });
    done();
  },
  { name: 'concurrency-limit', dependencies: ['request-head'] },
);
