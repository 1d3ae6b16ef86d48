import type { RequestListener, Server, ServerResponse } from 'node:http';
import { hangUp } from './hang-up.js';

/** Time for an exchange beyond the request timeout. The service itself needs at most 3 s of the total. */
const GRACE_MS = 2_000;
const CHECK_EVERY_MS = 1_000;

const restarts = new WeakMap<ServerResponse, () => void>();

/** Begins the time of an answer again: of a stream whose client has taken what was sent. */
export function restartPatience(response: ServerResponse): void {
  restarts.get(response)?.();
}

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
    const start = () => {
      // Behind the others: the answers are in the order of their start.
      unfinished.delete(response);
      unfinished.set(response, performance.now());
    };
    start();
    restarts.set(response, start);
    response.once('close', () => {
      restarts.delete(response);
      unfinished.delete(response);
    });
    serve(request, response);
  };
}
