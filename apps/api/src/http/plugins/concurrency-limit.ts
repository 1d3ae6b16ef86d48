import { Overloaded } from '@app/application';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { describeError } from '../../errors/describe-error.js';
import { ClientGone } from '../../errors/request-errors.js';
import type { ConcurrencyLimit, Slot } from '../server/concurrency-limits.js';
import type { ServerDependencies } from '../server/create-server.js';

declare module 'fastify' {
  interface FastifyRequest {
    slot: Slot | null;
  }
}

const REFUSAL = describeError(new Overloaded());

/** Answers 503 at once when the limit is reached: a request that waits would miss its deadline. */
export const concurrencyLimit = fp<ServerDependencies>(
  (fastify, { limits, metrics }, done) => {
    const refuse = (reply: FastifyReply, { kind }: ConcurrencyLimit) => {
      metrics.refusedRequests.inc({ kind });
      const { status, body, headers } = REFUSAL;
      void reply.status(status).headers(headers).header('cache-control', 'no-store').send(body);
    };
    // The pattern of the route: a client may spell its path in many ways, such as `/v1/%69mport`.
    const limitOf = ({ method, url, routeOptions }: FastifyRequest) =>
      limits.of({ method, url: routeOptions.url ?? url });
    const enter = (request: FastifyRequest, limit: ConcurrencyLimit) =>
      (request.slot = limit.tryEnter(request.headers.authorization)) !== null;
    const assign = ({ slot, apiKey }: FastifyRequest) => !slot || !apiKey || slot.tryAssign(apiKey.store.id);

    fastify.decorateRequest('slot', null);
    fastify.addHook('onRequest', (request, reply, next) => {
      const limit = limitOf(request);
      if (!limit || limit.kind === 'orders' || enter(request, limit)) next();
      else refuse(reply, limit);
    });
    fastify.addHook('preParsing', (request, reply, _payload, next) => {
      // Fastify would wait forever for the body of a client that left during the look-up of its key, and keep the slot.
      if (request.raw.destroyed) return next(new ClientGone());
      const limit = limitOf(request);
      if (!limit || limit.kind === 'orders' || assign(request)) next();
      else refuse(reply, limit);
    });
    // An order takes its slot when its body has arrived, so that slow uploads do not block other orders. Imports take
    // it earlier, because their bodies use memory.
    fastify.addHook('preValidation', (request, reply, next) => {
      const limit = limitOf(request);
      if (limit?.kind !== 'orders' || (enter(request, limit) && assign(request))) next();
      else refuse(reply, limit);
    });
    // The slot becomes free when the answer has left the process, which limits the memory of unread answers. When a
    // client disconnects after its body, the slot stays taken, because the work continues.
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
