import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { BadRequestException, NotFoundException } from '@nestjs/common';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { refuseMalformed } from './malformed-requests.js';
import { faultOfHead } from './strict-requests.js';

/** Longer ones cannot exist: they are refused before anything reads them. */
const MAX_ID_LENGTH = 512;

/** Makes the answers to HTTP's side paths ours: JSON, and one of the documented statuses. */
export function answerEverySidePath(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    refuseMalformed('CONNECT', socket);
  });
}

/**
 * Runs first of all hooks: every response has the request's id, also where the next hook refuses it. Heads that are not
 * to be trusted are refused here, in front of everything that reads them.
 */
export function identifyRequests(adapter: FastifyAdapter): void {
  adapter.setOnRequestHook((request, reply, done) => {
    reply.header('x-request-id', request.id);
    const fault = faultOfHead(request.raw);
    if (fault === null) {
      done();
      return;
    }
    reply.raw.shouldKeepAlive = false;
    // This refusal comes before the hook that adds it to all under /v1; elsewhere it does no harm.
    reply.header('cache-control', 'no-store');
    done(new BadRequestException(fault));
  });
}

/** Refuses, without reading a body, what no handler will take. To be added after the authentication. */
export function refuseUnknownRoutes(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.is404 || Object.values(request.params ?? {}).some((id: string) => id.length > MAX_ID_LENGTH)) {
      done(new NotFoundException('Not found'));
    } else if (request.method === 'POST' && request.headers['content-type'] === undefined) {
      done(new BadRequestException('Content-Type must be application/json'));
    } else {
      done();
    }
  });
}

/** Asks clients, while this process shuts down, to send their next request on a new connection, to another one. */
export function endConnectionsWhile(draining: () => boolean, fastify: FastifyInstance): void {
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (draining()) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** Those of Nest's headers that mean something to a JSON API. The documentation page has a policy of its own. */
export function addSecurityHeaders(app: NestFastifyApplication): void {
  app.useSecurityHeaders({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: "'none'", frameAncestors: "'none'" },
    },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    strictTransportSecurity: false, // whoever terminates TLS knows whether to send it
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false, // frame-ancestors says it
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
}
