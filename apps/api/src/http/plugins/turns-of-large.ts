import { setImmediate } from 'node:timers/promises';
import { Semaphore, TURN_MS } from '@app/application';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ClientGone } from '../../errors/request-errors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the turn before the answer, as for a wait. Null for a request that has none. */
    endTurn: (() => void) | null;
  }
}

/** Characters of an answer that keeps the process from other requests for milliseconds. */
const LARGE_ANSWER = 256 * 1024;
/** Bytes of a body that takes milliseconds to check, by its many lines. */
const LARGE_BODY = 4 * 1024;
/** The same for an order. The lines of most orders need less: those may wait for stock beside each other. */
const LARGE_ORDER = 16 * 1024;
/** After so many small answers in a row, those of a route are taken for small again. */
const SMALL_IN_A_ROW = 20;
/** Requests of a store that may wait for its turn. */
const MAX_WAITING = 64;

/**
 * Lets one request of a store run at a time when its body is large, or the last answers of its route to the store were. The next
 * one begins when the answer is made, and the process has served the others. Without turns, a crowd of readers of one store would
 * keep the orders of all others waiting.
 */
export const turnsOfLarge = fp(
  (fastify, _options, done) => {
    const turns = new Map<number, Semaphore>();
    /** Small answers that are missing until a route is taken for small, by store and route. */
    const missing = new Map<string, number>();

    fastify.decorateRequest('endTurn', null);
    fastify.addHook('preValidation', (request, reply, next) => {
      const { apiKey } = request;
      if (!apiKey || !(hasLargeBody(request) || missing.has(routeOf(request)))) return next();
      const turn = turnOf(apiKey.store.id);
      const work = async () => {
        // Nothing would end the turn: the answer has been sent, or nobody reads it.
        if (reply.sent) return;
        if (reply.raw.destroyed) return next(new ClientGone());
        const ended = new Promise<void>((resolve) => (request.endTurn = resolve));
        next();
        await ended;
        await setImmediate();
      };
      turn.run(apiKey.store.id, work).catch(next);
    });
    fastify.addHook('onSend', (request, reply, payload, next) => {
      request.endTurn?.();
      if (reply.statusCode === 200) note(routeOf(request), (payload as string | Buffer | null)?.length ?? 0);
      next(null, payload);
    });

    function turnOf(storeId: number): Semaphore {
      const known = turns.get(storeId);
      const turn = known ?? new Semaphore(() => 1, TURN_MS, 1, 2 * MAX_WAITING);
      if (!known) turns.set(storeId, turn);
      return turn;
    }

    function note(route: string, characters: number): void {
      const left = missing.get(route);
      if (characters > LARGE_ANSWER) missing.set(route, SMALL_IN_A_ROW);
      else if (left === 1) missing.delete(route);
      else if (left !== undefined) missing.set(route, left - 1);
    }
    done();
  },
  { name: 'turns-of-large', dependencies: ['authentication'] },
);

/** Rows with more fields are far larger than those without. */
function routeOf({ apiKey, method, query, routeOptions }: FastifyRequest): string {
  const fields = (query as { include?: unknown } | undefined)?.include === undefined ? '' : 'with include';
  return `${apiKey?.store.id} ${method} ${routeOptions.url} ${fields}`;
}

/** An import takes turns of its own. No other request than these has a body that is read. */
function hasLargeBody({ headers, method, routeOptions: { url } }: FastifyRequest): boolean {
  if (!['POST', 'PATCH'].includes(method) || url === '/v1/import') return false;
  const most = method === 'POST' && url === '/v1/orders' ? LARGE_ORDER : LARGE_BODY;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > most;
}
