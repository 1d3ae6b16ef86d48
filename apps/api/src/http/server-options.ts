import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Config } from '@app/infrastructure';
import type { FastifyHttpOptions, FastifyReply, FastifyRequest } from 'fastify';
import { describeError } from '../errors/describe-error.js';
import { refuseMalformed } from './malformed-requests.js';
import type { Metrics } from '../status/metrics.js';
import { routableTarget } from './request-target.js';

const KB = 1024;
const SECOND = 1000;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** How the server treats connections and bytes, before there is anything to route. */
export function serverOptions(config: Config, metrics: Metrics): FastifyHttpOptions<Server> {
  return {
    trustProxy: config.trustProxy as boolean,
    bodyLimit: 256 * KB,
    requestTimeout: 15 * SECOND,
    // Of a socket on which nothing moves in either direction: a client that stopped reading, above all.
    connectionTimeout: 18 * SECOND,
    // Longer than the 60 s after which common load balancers let go of an idle connection: the side that closes first
    // must not be the one that may be sent a request meanwhile.
    keepAliveTimeout: 72 * SECOND,
    http: {
      headersTimeout: 10 * SECOND,
      connectionsCheckingInterval: SECOND,
      // Node refuses a missing Host without a body; `identify` refuses it in ours.
      requireHostHeader: false,
    },
    // While closing, whoever still reaches this process on an open connection is served.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Node's limit on headers, 16 kB, bounds the path too. A limit here would answer 414 before authentication.
    routerOptions: { maxParamLength: 64 * KB },
    rewriteUrl: ({ url }) => routableTarget(url ?? '/'),
    genReqId: requestId,
    frameworkErrors: (error, request, reply) => refuse(error, request, reply),
    clientErrorHandler: (error, socket) => {
      metrics.malformedRequests.inc({ code: error.code });
      refuseMalformed(error.code, socket);
    },
  };
}

/** The client's own id, if it can be put into a header and a log line as it is. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** For what the router refuses before any hook and filter runs. */
function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body } = describeError(error);
  void reply
    .code(status)
    .headers({ ...headers, 'x-request-id': request.id })
    .send(body);
}
