import { Socket } from 'node:net';
import { Overloaded } from '@app/application';
import type { FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import { ClientGone } from '../../errors/request-errors.js';
import type { ServerDependencies } from '../server/create-server.js';

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Moves the request from the reads to the waits, until its connection has the whole answer and its work has ended.
     * @param waitMs how long the request may wait beyond the time of a read.
     * @returns a signal that the client no longer waits.
     * @throws ClientGone, Overloaded
     */
    takeFeedPlace(storeId: number, waitMs: number): AbortSignal;
  }
}

/** How long the connection may be silent beyond the wait. */
const SILENCE_MS = 18_000;

export const feedSlots = fp<ServerDependencies>(
  (fastify, { limits, metrics }, done) => {
    const ends = new WeakMap<FastifyReply, () => void>();
    fastify.decorateReply('takeFeedPlace', function (storeId: number, waitMs: number) {
      const { request, raw } = this;
      // The connection has emitted its last event, so nothing would release the slot.
      // @protects slot-of-closed
      if (raw.destroyed) throw new ClientGone();
      const slot = limits.waits.tryEnter();
      if (!slot?.tryAssign(storeId)) {
        slot?.leave();
        metrics.refusedRequests.inc({ kind: 'waits' });
        throw new Overloaded();
      }
      request.slot?.leave();
      request.slot = null;
      const over = new AbortController();
      const { socket } = request.raw;
      const end = () => over.abort();
      // A client that closes normally ends its side first. A client that still reads gets its answer early.
      if (socket.readableEnded) end();
      else socket.once('end', end);
      // Plugins listen too, which adds up to more listeners than Node expects without a leak.
      raw.setMaxListeners(raw.getMaxListeners() + 1);
      const closed = new Promise<void>((resolve) => {
        raw.once('close', () => {
          socket.off('end', end);
          end();
          resolve();
        });
      });
      const done = new Promise<void>((resolve) => ends.set(this, resolve));
      void Promise.all([closed, done]).then(() => slot.leave());
      // Node sets the timeout of the server again for the next request.
      if (request.socket instanceof Socket) request.socket.setTimeout(waitMs + SILENCE_MS);
      return over.signal;
    });
    fastify.addHook('onSend', (_request, reply, payload, next) => {
      ends.get(reply)?.();
      next(null, payload);
    });
    done();
  },
  { name: 'feed-slots', dependencies: ['concurrency-limit'] },
);
