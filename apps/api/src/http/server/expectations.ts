import type { IncomingMessage, Server } from 'node:http';

/** Requests that wait for `100 Continue`, and whether their connection may stay open after the body arrives. */
const waiting = new WeakMap<IncomingMessage, boolean>();

/**
 * Handles requests with an `Expect` header like any other. Node would request the body before the service has checked
 * the head, and would answer 417 to an unknown expectation.
 */
export function passExpectations(server: Server): void {
  server.on('checkContinue', (request, response) => {
    waiting.set(request, response.shouldKeepAlive);
    // After a refusal, the next bytes could be the body or another request.
    response.shouldKeepAlive = false;
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/**
 * Whether the connection may stay open after the body of a request that waits for `100 Continue`; `undefined` when the
 * request does not wait.
 */
export function keepAliveAfterContinue(request: IncomingMessage): boolean | undefined {
  return waiting.get(request);
}
