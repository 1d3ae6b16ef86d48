import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import type { Metrics } from '../../status/metrics.js';
import type { ConcurrencyLimits } from './concurrency-limits.js';
import { limitConnections } from './connection-limit.js';
import { shedLoad } from './load-shedding.js';
import { refusePipelining } from './pipelining.js';

const SECOND = 1000;
/** The default of Apache's LimitRequestFields. */
export const MAX_HEADER_LINES = 100;

export interface ServerDependencies {
  readonly limits: ConcurrencyLimits;
  readonly metrics: Metrics;
}

export function createServer(fastify: RequestListener, { limits, metrics }: ServerDependencies): Server {
  const server = createHttpServer(
    {
      headersTimeout: 10 * SECOND,
      requestTimeout: 15 * SECOND,
      // Longer than the 60 s after which common load balancers close an idle connection: the side that closes first
      // must not be the side that may receive a request at that moment.
      keepAliveTimeout: 72 * SECOND,
      connectionsCheckingInterval: SECOND,
      // Node refuses a missing Host without a body; the `request-head` plugin refuses it with one.
      requireHostHeader: false,
    },
    refusePipelining(shedLoad(fastify, limits, metrics)),
  );
  // Ends a connection on which no data moves in either direction, usually because the client stopped reading.
  server.setTimeout(18 * SECOND);
  // Admits one header more than allowed: Node drops surplus headers silently; the `request-head` plugin refuses them.
  server.maxHeadersCount = MAX_HEADER_LINES + 1;
  // A client may end its side after its request and still read the answer (RFC 9112, 9.6). By default, Node drops it.
  Object.assign(server, { httpAllowHalfOpen: true });
  limitConnections(server, metrics);
  return server;
}
