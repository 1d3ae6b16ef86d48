import { setImmediate, setTimeout } from 'node:timers/promises';
import { Semaphore, TURN_MS } from '@app/application';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for a request that takes no turn. */
    endTurn: (() => void) | null;
  }
}

/** Characters of an answer that keeps the process from other requests for milliseconds. */
const LARGE_ANSWER = 256 * 1024;
/** Bytes of a body whose many lines take milliseconds to check. */
const LARGE_BODY = 2 * 1024;
/** After so many small answers in a row, those of a route are taken for small again. */
const SMALL_IN_A_ROW = 20;
const STORES_AT_A_TIME = 2;

/** An order is as urgent as those of other stores. An import takes turns of its own. */
const WITHOUT_TURN = new Set(['/v1/orders', '/v1/import']);

/**
 * Lets one request of a store run at a time when its body is large, or the last answers of its route to the store were. The
 * next one begins when the answer is made, and the process has had as much time for other requests as it has worked since
 * the turn began. Without turns, a crowd of readers of one store would keep the orders of all others waiting.
 */
export const turnsOfLarge = fp(
  (fastify, _options, done) => {
    const turns = new Semaphore(() => STORES_AT_A_TIME, TURN_MS, 1);
    /** Small answers that are missing until a route is taken for small, by store and route. */
    const missing = new Map<string, number>();

    fastify.decorateRequest('endTurn', null);
    fastify.addHook('preValidation', (request, reply, next) => {
      const { apiKey } = request;
      const isLarge = hasLargeBody(request) || (missing.has(routeOf(request)) && !waits(request));
      if (!apiKey || !isLarge) return next();
      const work = async () => {
        // The time of the request is over: no answer would end the turn.
        if (reply.sent) return;
        const before = performance.eventLoopUtilization();
        const answered = new Promise<void>((resolve) => (request.endTurn = resolve));
        next();
        await answered;
        await setImmediate();
        if (turns.waiting > 0) await setTimeout(performance.eventLoopUtilization(before).active);
      };
      turns.run(apiKey.store.id, work).catch(next);
    });
    fastify.addHook('onSend', (request, reply, payload, next) => {
      request.endTurn?.();
      if (reply.statusCode === 200) note(routeOf(request), (payload as string | Buffer | null)?.length ?? 0);
      next(null, payload);
    });

    function note(route: string, characters: number): void {
      const left = missing.get(route);
      if (characters > LARGE_ANSWER) missing.set(route, SMALL_IN_A_ROW);
      else if (left === 1) missing.delete(route);
      else if (left !== undefined) missing.set(route, left - 1);
    }
    done();
  },
  { name: 'turns-of-large', dependencies: ['authentication', 'entity-tags'] },
);

function routeOf({ apiKey, method, routeOptions }: FastifyRequest): string {
  return `${apiKey?.store.id} ${method} ${routeOptions.url}`;
}

function hasLargeBody({ headers, method, routeOptions }: FastifyRequest): boolean {
  if (method === 'POST' && WITHOUT_TURN.has(routeOptions.url ?? '')) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LARGE_BODY;
}

/** A request that waits for changes would keep its turn for as long. */
function waits({ query, routeOptions }: FastifyRequest): boolean {
  return routeOptions.url === '/v1/changes' && (query as { wait?: unknown }).wait !== undefined;
}
