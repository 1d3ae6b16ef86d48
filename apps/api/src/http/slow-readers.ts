import type { Server, ServerResponse } from 'node:http';
import { hangUp } from './hang-up.js';

/** How much longer than its request an exchange may take, of which the service itself needs 3 s at most. */
const GRACE_MS = 2_000;
const CHECK_EVERY_MS = 1_000;

/**
 * Hangs up on clients that do not read their answers in time. The server's idle timeout is not enough: it begins anew
 * with every few bytes such a client takes, while its answers stay in memory.
 */
export function hangUpOnSlowReaders(server: Server): void {
  const unfinished = new Map<ServerResponse, number>();
  server.on('request', (_request, response: ServerResponse) => {
    unfinished.set(response, performance.now());
    response.once('close', () => unfinished.delete(response));
  });
  const check = setInterval(() => {
    const latest = performance.now() - server.requestTimeout - GRACE_MS;
    for (const [response, since] of unfinished) {
      if (since > latest) return; // the others came later
      if (!response.headersSent) continue; // it is the service that is slow
      hangUp(response.req.socket);
    }
  }, CHECK_EVERY_MS);
  check.unref();
  server.once('close', () => clearInterval(check));
}
