import type { RequestListener, ServerResponse } from 'node:http';
import type { Metrics } from '../../status/metrics.js';
import { hangUp } from './hang-up.js';

/** Clients send chunks of kilobytes; the largest body has 256 kB. */
export const MAX_CHUNKS = 1_024;

/**
 * Resets connections whose requests arrive in too many chunks, and closes those whose answer begins before their request
 * is complete. Node makes an object of each chunk, even of 1 byte, and keeps it until the body is read.
 */
export function limitChunks(serve: RequestListener, metrics: Metrics): RequestListener {
  return (request, response) => {
    if (request.headers['transfer-encoding'] === undefined) {
      serve(request, response);
      return;
    }
    const { socket } = request;
    const push = request.push.bind(request);
    let chunks = 0;
    request.push = (chunk: unknown) => {
      // `null` is the end.
      if (chunk === null || ++chunks <= MAX_CHUNKS) return push(chunk);
      // Node parses the rest of the packet after the connection closed.
      if (socket.destroyed) return false;
      metrics.droppedConnections.inc({ reason: 'chunks' });
      hangUp(socket);
      return false;
    };
    const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => ServerResponse;
    response.writeHead = (...head: unknown[]) => {
      // Node closes the connection after an answer with this header.
      if (!request.complete) response.setHeader('connection', 'close');
      return writeHead(...head);
    };
    serve(request, response);
  };
}
