import type { Server } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { describeError } from '../errors/describe-error.js';
import type { Metrics } from '../status/metrics.js';
import { Overloaded } from './overloaded.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request has a place in, from when its work begins until its answer is made. */
    room: Room | null;
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

class Room {
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

/**
 * Refuses at once what could only wait. Orders have room of their own, which no crowd of readers can take from them.
 * To be added before the authentication, which asks the database.
 */
export function limitRequestsAtWork(fastify: FastifyInstance, metrics: Metrics, capacity = CAPACITY): void {
  const orders = new Room('orders', capacity.orders);
  const reads = new Room('reads', capacity.reads);
  const refuse = (reply: FastifyReply, { kind }: Room) => {
    metrics.refusedRequests.inc({ kind });
    const { status, body, headers } = REFUSAL;
    void reply.status(status).headers(headers).header('cache-control', 'no-store').send(body);
  };

  fastify.decorateRequest('room', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    if (NEVER_REFUSED.test(request.url)) {
      done();
      return;
    }
    // What is posted is an order: no other route takes a body.
    const isOrder = request.method === 'POST';
    const room = isOrder ? orders : reads;
    if (room.isFull) {
      refuse(reply, room);
      return;
    }
    if (!isOrder) enter(request, room);
    done();
  });
  // An order takes its place when its body is there: bodies that come slowly keep nobody out.
  fastify.addHook('preValidation', (request, reply, done) => {
    if (request.method !== 'POST') {
      done();
    } else if (orders.isFull) {
      refuse(reply, orders);
    } else {
      enter(request, orders);
      done();
    }
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

function enter(request: { room: Room | null }, room: Room): void {
  room.enter();
  request.room = room;
}

/**
 * Many times what may be at work, so that whoever is refused is told so in words, and clients and balancers can keep
 * their connections. What comes beyond is closed unheard: only somebody who opens connections without end gets there, and
 * the connections' time limits take them back.
 */
const MAX_CONNECTIONS = 4_096;

/** Bounds what open connections cost, in memory and files. */
export function limitConnections(server: Server, metrics: Metrics, most = MAX_CONNECTIONS): void {
  server.maxConnections = most;
  server.on('drop', () => metrics.droppedConnections.inc());
}
