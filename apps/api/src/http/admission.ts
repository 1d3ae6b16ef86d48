import { Overloaded } from '@app/application';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { describeError } from '../errors/describe-error.js';
import type { Metrics } from '../status/metrics.js';
import { requestId } from './server-options.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request has a place in, from when its work begins until its answer is made. */
    room: ConcurrencyLimit | null;
  }
}

/** How many requests of a kind may be at work at the same time. */
export interface Capacity {
  readonly orders: number;
  readonly reads: number;
}

export const CAPACITY: Capacity = { orders: 128, reads: 256 };

/** The probes and what measures the overload have to be answered then above all. They use no connection of the pool. */
const NEVER_REFUSED = /^\/(?:health|metrics)(?:[/?]|$)/;

class ConcurrencyLimit {
  private taken = 0;

  constructor(
    readonly kind: keyof Capacity,
    private readonly places: number,
  ) {}

  get isFull(): boolean {
    return this.taken >= this.places;
  }

  enter(): void {
    this.taken++;
  }

  leave(): void {
    this.taken--;
  }
}

/** Where requests have their places. */
export class ConcurrencyLimits {
  private readonly orders: ConcurrencyLimit;
  private readonly reads: ConcurrencyLimit;

  constructor({ orders, reads }: Capacity = CAPACITY) {
    this.orders = new ConcurrencyLimit('orders', orders);
    this.reads = new ConcurrencyLimit('reads', reads);
  }

  /** `null` for what needs no place. */
  of({ method, url }: { readonly method?: string; readonly url?: string }): ConcurrencyLimit | null {
    if (NEVER_REFUSED.test(url ?? '')) return null;
    // What is posted is an order: no other route takes a body.
    return method === 'POST' ? this.orders : this.reads;
  }
}

/**
 * Refuses past Fastify: with hooks and a log line for each, a storm of refusals left a seventh of what could be served
 * before. To be called before anybody else listens to the server's requests.
 */
export function refuseEarly(server: Server, rooms: ConcurrencyLimits, metrics: Metrics): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const room = rooms.of(request);
    if (room?.isFull) {
      metrics.refusedRequests.inc({ kind: room.kind });
      writeRefusal(response, requestId(request));
    } else {
      for (const listener of listeners) listener.call(server, request, response);
    }
  });
}

/**
 * Refuses at once what could only wait. Orders have room of their own, which no crowd of readers can take from them.
 * To be added before the authentication, which asks the database.
 */
export function limitRequestsAtWork(fastify: FastifyInstance, rooms: ConcurrencyLimits, metrics: Metrics): void {
  const refuse = (reply: FastifyReply, { kind }: ConcurrencyLimit) => {
    metrics.refusedRequests.inc({ kind });
    const { status, body, headers } = REFUSAL;
    void reply.status(status).headers(headers).header('cache-control', 'no-store').send(body);
  };

  fastify.decorateRequest('room', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    const room = rooms.of(request);
    if (room?.isFull) {
      refuse(reply, room);
      return;
    }
    if (room?.kind === 'reads') enter(request, room);
    done();
  });
  // An order takes its place when its body is there: bodies that come slowly keep nobody out.
  fastify.addHook('preValidation', (request, reply, done) => {
    const room = rooms.of(request);
    if (room?.kind === 'orders') {
      if (room.isFull) {
        refuse(reply, room);
        return;
      }
      enter(request, room);
    }
    done();
  });
  // Not when the answer has arrived, so that slow readers keep nobody out, nor when the client has gone away, which does
  // not end the work.
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    request.room?.leave();
    request.room = null;
    done(null, payload);
  });
}

const REFUSAL = describeError(new Overloaded());
const REFUSAL_TEXT = JSON.stringify(REFUSAL.body);
const REFUSAL_HEADERS = {
  ...REFUSAL.headers,
  'cache-control': 'no-store',
  'content-length': Buffer.byteLength(REFUSAL_TEXT),
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
};

function writeRefusal(response: ServerResponse, id: string): void {
  response.writeHead(REFUSAL.status, { ...REFUSAL_HEADERS, 'x-request-id': id }).end(REFUSAL_TEXT);
}

function enter(request: { room: ConcurrencyLimit | null }, room: ConcurrencyLimit): void {
  room.enter();
  request.room = room;
}

/**
 * Many times what may be at work, so that whoever is refused is told so in words, and clients and balancers can keep
 * their connections. What comes beyond is closed unheard: only somebody who opens connections without end gets there, and
 * the connections' time limits take them back.
 */
const MAX_CONNECTIONS = 4_096;
/** Idle connections make room then, this often at most: those who keep them for later lose nothing but a handshake. */
const RELIEF_MS = 1_000;

/** Bounds what open connections cost, in memory and files. */
export function limitConnections(server: Server, metrics: Metrics, most = MAX_CONNECTIONS): void {
  server.maxConnections = most;
  let relieved = -Infinity;
  server.on('drop', () => {
    metrics.droppedConnections.inc({ reason: 'connections' });
    if (performance.now() - relieved < RELIEF_MS) return;
    relieved = performance.now();
    server.closeIdleConnections();
  });
}
