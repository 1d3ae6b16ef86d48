import { Socket } from 'node:net';
import { Overloaded } from '@app/application';
import fp from 'fastify-plugin';
import type { Metrics } from '../../status/metrics.js';
import { HELD_OF_A_STORE, type ConcurrencyLimits } from '../server/concurrency-limits.js';

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Gives the request a place among those that take long, instead of its place among the reads, until its connection
     * has the whole answer. A request that waits needs no connection to the database.
     *
     * @param waitMs how long the request may wait beyond the time of a read; null = it streams, and has no deadline.
     * @returns a signal for the end of the answer: the client may be gone.
     * @throws Overloaded when all places, or those of one store, are taken.
     */
    hold(storeId: number, waitMs: number | null): AbortSignal;
  }
}

interface Options {
  readonly limits: ConcurrencyLimits;
  readonly metrics: Metrics;
}

/** Time beyond the wait in which the connection may be silent. */
const SILENCE_MS = 18_000;

/** Requests that wait for a change, or stream everything: longer than any read may take. */
export const heldRequests = fp<Options>(
  (fastify, { limits, metrics }, done) => {
    /** By store; none = 0. */
    const taken = new Map<number, number>();
    fastify.decorateReply('hold', function (storeId: number, waitMs: number | null) {
      const { held } = limits;
      const ofStore = taken.get(storeId) ?? 0;
      if (ofStore >= HELD_OF_A_STORE || !held.tryEnter()) {
        metrics.refusedRequests.inc({ kind: held.kind });
        throw new Overloaded();
      }
      taken.set(storeId, ofStore + 1);
      const { request, raw } = this;
      request.heldLimit?.leave();
      request.heldLimit = null;
      const over = new AbortController();
      // Plugins, and the pipe of a stream, listen too: together more than Node expects without a leak.
      raw.setMaxListeners(raw.getMaxListeners() + 4);
      raw.once('close', () => {
        held.leave();
        const left = (taken.get(storeId) ?? 0) - 1;
        if (left > 0) taken.set(storeId, left);
        else taken.delete(storeId);
        over.abort();
      });
      this.extendDeadline(waitMs);
      // Node sets the timeout of the server again for the next request.
      if (waitMs !== null && request.socket instanceof Socket) request.socket.setTimeout(waitMs + SILENCE_MS);
      return over.signal;
    });
    done();
  },
  { name: 'held-requests', dependencies: ['concurrency-limit', 'read-deadline'] },
);
