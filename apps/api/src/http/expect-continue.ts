import type { IncomingMessage, Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Requests whose body was not asked for, and whether their connection goes on once it is. */
const waiting = new WeakMap<IncomingMessage, boolean>();

/** Keeps Node from asking for the body of a request with `Expect: 100-continue` before anything has looked at its head. */
export function holdContinue(server: Server): void {
  server.on('checkContinue', (request, response) => {
    waiting.set(request, response.shouldKeepAlive);
    // After a refusal, nobody can say whether what comes next is the body or a request.
    response.shouldKeepAlive = false;
    server.emit('request', request, response);
  });
}

/**
 * Asks for the body when the head was accepted: the key, the route, and the size as far as it is announced. A refused
 * client does not send its body at all.
 */
export function continueAccepted(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    const shouldKeepAlive = waiting.get(request.raw);
    const isTooLarge = Number(request.headers['content-length']) > request.routeOptions.bodyLimit;
    if (shouldKeepAlive !== undefined && !isTooLarge) {
      reply.raw.shouldKeepAlive = shouldKeepAlive;
      reply.raw.writeContinue();
    }
    done();
  });
}
