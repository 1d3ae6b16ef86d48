import type { RequestListener } from 'node:http';
import type { Metrics } from '../../status/metrics.js';
import { firstUnfinishedOn, rememberExchange, unfinishedOn } from './exchanges.js';
import { hangUp } from './hang-up.js';

/** Browsers, `fetch` and load balancers send one request at a time. */
const MAX_UNANSWERED = 16;

/**
 * Serves the requests of a connection one at a time: the next request starts when the kernel has taken the answer before
 * it. A connection then holds one answer at most, and every answer sees its connection close: Node emits no `close` for
 * an answer that is queued behind another. RFC 9112 (9.3.2) allows parallel processing for safe methods only.
 */
export function serveOneAtATime(serve: RequestListener, metrics: Metrics): RequestListener {
  return (request, response) => {
    const { socket } = request;
    // Node parses the rest of a packet after the connection closed.
    if (socket.destroyed) return;
    const unanswered = unfinishedOn(socket);
    if (unanswered >= MAX_UNANSWERED) metrics.droppedConnections.inc({ reason: 'requests' });
    // A socket that is not writable has sent its last answer: further requests get none.
    if (unanswered >= MAX_UNANSWERED || !socket.writable) {
      hangUp(socket);
      return;
    }
    // Node discards what follows in the packet: the client must not wait for an answer to it.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    rememberExchange(request, response);
    response.once('close', () => {
      const next = socket.writable ? firstUnfinishedOn(socket) : null;
      if (!next) return;
      // The event loop turns in between: pipelines would otherwise delay the requests of other connections.
      setImmediate(() => {
        if (socket.writable) serve(next.request, next.response);
      });
    });
    if (unanswered === 0) serve(request, response);
  };
}
