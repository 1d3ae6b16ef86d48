import type { RequestListener, Server, ServerResponse } from 'node:http';
import { hangUp } from './hang-up.js';

/** Time for an exchange beyond the request timeout. The service itself needs at most 3 s of the total. */
const GRACE_MS = 2_000;
const CHECK_EVERY_MS = 1_000;

/**
 * Resets the connections of clients that do not read their answers in time. The server's idle timeout does not end
 * them: it restarts whenever such a client reads a few bytes, and the answers stay in memory.
 */
export function hangUpOnSlowReaders(serve: RequestListener, server: Server): RequestListener {
  const unfinished = new Map<ServerResponse, number>();
  const check = setInterval(() => {
    const latest = performance.now() - server.requestTimeout - GRACE_MS;
    for (const [response, since] of unfinished) {
      if (since > latest) return; // all others started later
      if (!response.headersSent) continue; // the service is slow, not the client
      hangUp(response.req.socket);
    }
  }, CHECK_EVERY_MS);
  check.unref();
  server.once('close', () => clearInterval(check));

  return (request, response) => {
    unfinished.set(response, performance.now());
    response.once('close', () => unfinished.delete(response));
    serve(request, response);
  };
}
