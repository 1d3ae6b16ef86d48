import type { RequestListener, Server } from 'node:http';
import type { Metrics } from '../status/metrics.js';
import { firstUnfinishedOn, rememberExchange, unfinishedOn } from './exchanges.js';
import { hangUp } from './hang-up.js';

/** Browsers, `fetch` and load balancers send one request at a time. */
const MAX_UNANSWERED = 16;

/**
 * Serves the requests of a connection one at a time: the next one begins when the kernel has taken the answer before it.
 * A connection then holds at most one answer. Every answer that is made has its turn on the socket, so it learns when the
 * connection closes: Node tells this to no answer that waits behind another. RFC 9112 (9.3.2) allows requests at the same
 * time only where all methods are safe.
 *
 * Takes over the listeners for `request` that the server has, so it must run after they were added.
 */
export function serveInTurn(server: Server, metrics: Metrics): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const serve: RequestListener = (request, response) => {
    for (const listener of listeners) listener.call(server, request, response);
  };

  server.on('request', (request, response) => {
    const { socket } = request;
    // Node parses the rest of a packet after the connection was closed.
    if (socket.destroyed) return;
    const unanswered = unfinishedOn(socket);
    if (unanswered >= MAX_UNANSWERED) metrics.droppedConnections.inc({ reason: 'requests' });
    // After the last answer of a connection, no request is owed one.
    if (unanswered >= MAX_UNANSWERED || !socket.writable) {
      hangUp(socket);
      return;
    }
    rememberExchange(request, response);
    response.once('close', () => {
      const next = socket.writable ? firstUnfinishedOn(socket) : null;
      if (next) serve(next.request, next.response);
    });
    if (unanswered === 0) serve(request, response);
  });
}
