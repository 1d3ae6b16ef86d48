import { Socket } from 'node:net';
import { Overloaded } from '@app/application';
import type { FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import { ClientGone } from '../../errors/request-errors.js';
import type { ServerDependencies } from '../server/create-server.js';

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Replaces the read slot of the request by a wait slot. The request keeps the wait slot until its connection has
     * the whole answer and its work has ended.
     * @param waitMs how long the request may wait, in addition to the time of a read.
     * @returns a signal that aborts when the client has disconnected.
     * @throws ClientGone, Overloaded
     */
    takeWaitSlot(storeId: number, waitMs: number): AbortSignal;
  }
}

/** How long the connection may be silent, in addition to the wait. */
const SILENCE_MS = 18_000;

export const feedSlots = fp<ServerDependencies>(
  (fastify, { limits, metrics }, done) => {
    const onAnswered = new WeakMap<FastifyReply, () => void>();
    fastify.decorateReply('takeWaitSlot', function (storeId: number, waitMs: number) {
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
      const disconnected = new AbortController();
      const { socket } = request.raw;
      const end = () => disconnected.abort();
      // A client that disconnects normally ends its side first. If it still reads, it gets its answer early.
      if (socket.readableEnded) end();
      else socket.once('end', end);
      // Other plugins listen to the same response. Without a higher limit, Node would warn of a leak.
      raw.setMaxListeners(raw.getMaxListeners() + 1);
      const closed = new Promise<void>((resolve) => {
        raw.once('close', () => {
          socket.off('end', end);
          end();
          resolve();
        });
      });
      const answered = new Promise<void>((resolve) => onAnswered.set(this, resolve));
      void Promise.all([closed, answered]).then(() => slot.leave());
      // For the next request of the connection, Node restores the timeout of the server.
      if (request.socket instanceof Socket) request.socket.setTimeout(waitMs + SILENCE_MS);
      return disconnected.signal;
    });
    fastify.addHook('onSend', (_request, reply, payload, next) => {
      onAnswered.get(reply)?.();
      next(null, payload);
    });
    done();
  },
  { name: 'feed-slots', dependencies: ['concurrency-limit'] },
);
