import type { Server } from 'node:http';
import { Networks } from '@app/application';
import type { Config } from '@app/infrastructure';
import { NotFoundException } from '@nestjs/common';
import type { FastifyHttpOptions, FastifyReply, FastifyRequest } from 'fastify';
import { describeError } from '../errors/describe-error.js';
import { BODIES } from '../body/body-limits.js';
import { createServer, type ServerDependencies } from './server/create-server.js';
import { refuseMalformed } from './server/malformed-requests.js';
import { requestId } from './server/request-id.js';

const KB = 1024;

export function serverOptions(
  trustProxy: Config['trustProxy'],
  dependencies: ServerDependencies,
): FastifyHttpOptions<Server> {
  return {
    serverFactory: (fastify) => createServer(fastify, dependencies),
    trustProxy: trusted(trustProxy),
    bodyLimit: BODIES.bytes,
    // A process that shuts down still serves requests on open connections.
    // @protects requests-on-closing
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Node's 16 kB limit on the head limits the path too. A lower limit here would answer 414 before authentication.
    // @protects long-parameters
    routerOptions: { maxParamLength: 64 * KB },
    genReqId: requestId,
    frameworkErrors: (_error, request, reply) => refusePath(request, reply),
    clientErrorHandler: (error, socket) => {
      dependencies.metrics.malformedRequests.inc({ code: error.code });
      refuseMalformed(error.code, socket);
    },
  };
}

/**
 * Fastify trusts no proxy when it gets their number, so the hops are counted here. Hop 0 is the peer of the connection.
 */
function trusted(proxies: Config['trustProxy']): FastifyHttpOptions<Server>['trustProxy'] {
  if (typeof proxies === 'boolean') return proxies;
  if (typeof proxies === 'number') return (_address, hop) => hop < proxies;
  const networks = new Networks(proxies);
  return (address) => networks.has(address);
}

function refusePath(request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body } = describeError(new NotFoundException('Not found'));
  void reply
    .code(status)
    .headers({ ...headers, 'cache-control': 'no-store', 'x-request-id': request.id })
    .send(body);
}
