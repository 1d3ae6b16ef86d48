import { setImmediate } from 'node:timers/promises';
import {
  DeadlineExceeded,
  LARGE_ANSWER,
  LARGE_BODIES,
  LARGE_BODY,
  LARGE_RAW_BODY,
  LARGE_ROUTES,
  MAX_UNREAD_OF_STORE,
  networkOf,
  Overloaded,
  Semaphore,
  SLOT_WAIT_MS,
} from '@app/application';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { isRaw } from '../../body/body-limits.js';
import { describeError } from '../../errors/describe-error.js';
import { ClientGone } from '../../errors/request-errors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Releases the slot before the answer, such as while the request waits for changes. Null without a slot. */
    endTurn: (() => void) | null;
    /**
     * Records the number of bytes that were read for the request. The answer may be much smaller, or it may lack them
     * because the read took too long.
     */
    noteRead(bytes: number): void;
  }
}

const BUSY = describeError(new Overloaded());

interface Query {
  readonly include?: unknown;
}

/** Matches fields that make a page of a list as large as 1 MB. */
const LARGE_FIELDS = /\b(?:line_items|metadata|addresses|contacts)\b/i;

/** How long the requests of a route count as large after one of them was large. */
const LARGE_MS = 60_000;
/**
 * Lets only one large request of a store run at a time. Otherwise, many readers of one store would keep the orders of
 * all other stores waiting. A request is large in these cases: its body is large; the answers of its route may be
 * large; the route has recently read or answered much for the store, even in a refusal; a read of the route was
 * recently late. The next large request begins when the answer is made and the process has served other requests. The
 * store of a large raw body is not yet known, so large raw bodies wait for each other. Answers stay in memory until the
 * clients read them. While the clients of a store leave much unread, its large requests get no slot, and a refusal
 * replaces the answers of its reads.
 */
export const largeRequestSlots = fp(
  (fastify, _options, done) => {
    /** Keyed by store; null is the key of raw bodies. */
    const slots = new Map<number | null, Semaphore>();
    /** Keyed by store and route. */
    const largeUntil = new Map<string, number>();
    /** Counts the characters of answers that are being sent, keyed by store. */
    const unread = new Map<number, number>();

    fastify.decorateRequest('endTurn', null);
    fastify.decorateRequest('noteRead', function (bytes) {
      note(this, bytes);
    });
    fastify.addHook('preValidation', (request, reply, next) => {
      const storeId = request.apiKey?.store.id ?? null;
      const isInTurn =
        storeId === null
          ? isRaw(request) && hasLargeBody(request)
          : hasLargeBody(request) || isLargeRoute(request) || isLarge(routeOf(request));
      if (!isInTurn) return next();
      const work = async () => {
        // Nothing would release the slot: the answer has been sent, or nobody reads it.
        if (reply.sent) return;
        if (reply.raw.destroyed) return next(new ClientGone());
        if (storeId !== null && hasMuchUnread(storeId)) return next(new Overloaded());
        const ended = new Promise<void>((resolve) => (request.endTurn = resolve));
        next();
        await ended;
        await setImmediate();
      };
      slotOf(storeId)
        .run(storeId ?? networkOf(request.ip), work)
        .catch(next);
    });
    fastify.addHook('onSend', (request, reply, payload, next) => {
      request.endTurn?.();
      const length = (payload as string | Buffer | null)?.length ?? 0;
      note(request, isLateRead(request, reply) ? Infinity : length);
      const storeId = request.apiKey?.store.id;
      if (storeId === undefined) return next(null, payload);
      if (isRead(request, reply) && hasMuchUnread(storeId)) {
        void reply.status(BUSY.status).headers(BUSY.headers);
        return next(null, JSON.stringify(BUSY.body));
      }
      countUnread(storeId, length, reply);
      next(null, payload);
    });

    function hasMuchUnread(storeId: number): boolean {
      return (unread.get(storeId) ?? 0) > MAX_UNREAD_OF_STORE;
    }

    function slotOf(storeId: number | null): Semaphore {
      const known = slots.get(storeId);
      const slot = known ?? new Semaphore(() => 1, SLOT_WAIT_MS, 1);
      if (!known) slots.set(storeId, slot);
      return slot;
    }

    function countUnread(storeId: number, length: number, { raw }: FastifyReply): void {
      if (raw.destroyed) return;
      unread.set(storeId, (unread.get(storeId) ?? 0) + length);
      raw.once('close', () => {
        const left = (unread.get(storeId) ?? 0) - length;
        if (left > 0) unread.set(storeId, left);
        else unread.delete(storeId);
      });
    }

    function note(request: FastifyRequest, bytes: number): void {
      if (bytes > LARGE_ANSWER) largeUntil.set(routeOf(request), performance.now() + LARGE_MS);
    }

    function isLarge(route: string): boolean {
      return (largeUntil.get(route) ?? 0) > performance.now();
    }
    done();
  },
  { name: 'large-request-slots', dependencies: ['authentication'] },
);

/** Whether the request only reads, so that a refusal may replace its answer. */
function isRead({ apiKey, method }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return apiKey !== null && method === 'GET' && statusCode < 400;
}

/**
 * Whether a read was late. Such a read counts as large: when many large reads run at the same time, all end too late,
 * and their size stays unknown. Late writes do not count, because they may have waited for a lock.
 */
function isLateRead({ method }: FastifyRequest, reply: FastifyReply): boolean {
  return method === 'GET' && reply.getHeader('x-error-code') === DeadlineExceeded.code;
}

/** Requests with additional fields count as another route, because their rows are far larger. */
function routeOf({ apiKey, method, query, routeOptions }: FastifyRequest): string {
  const fields = (query as Query).include === undefined ? '' : 'with include';
  return `${apiKey?.store.id} ${method} ${routeOptions.url} ${fields}`;
}

/**
 * Whether the answers of the route may be large. This must be known before the first answer, because many requests may
 * arrive before it.
 */
function isLargeRoute({ method, query, routeOptions: { url } }: FastifyRequest): boolean {
  return LARGE_ROUTES.includes(`${method} ${url}`) || LARGE_FIELDS.test(String((query as Query).include));
}

/** Whether a parsed body is large. Imports are limited separately. Only POST and PATCH have a parsed body. */
function hasLargeBody({ headers, method, routeOptions: { url = '', config } }: FastifyRequest): boolean {
  if (!['POST', 'PUT', 'PATCH'].includes(method) || url === '/v1/import') return false;
  const most = config.rawBytes === undefined ? (LARGE_BODIES[`${method} ${url}`] ?? LARGE_BODY) : LARGE_RAW_BODY;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > most;
}
