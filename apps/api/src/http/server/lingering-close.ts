import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { hangUp } from './hang-up.js';

/**
 * Closes connections after their last answer as nginx's `lingering_close` does: the server ends its side, waits for the
 * client to end the other, and resets the connection after the request timeout. After an ordinary close, unread bytes
 * stay in the kernel, outside every limit of the service.
 */
export function closeLingering(server: Server): void {
  server.on('connection', (socket: Socket) => {
    // Node calls this after the answer with `Connection: close`.
    socket.destroySoon = () => {
      if (socket.writableEnded || socket.destroyed) return;
      socket.end();
      discardUnparsed(socket);
      // A paused socket does not report that the client ended its side.
      socket.resume();
      const timer = setTimeout(() => hangUp(socket), server.requestTimeout).unref();
      socket.once('close', () => clearTimeout(timer));
    };
  });
  // No bytes move on the connection: the client may have stopped reading.
  server.on('timeout', hangUp);
}

/** Node continues to parse an answered request: chunks of 1 byte cost about 20 times as much as large ones. */
function discardUnparsed(socket: Socket): void {
  // The first listener takes the socket away from Node's parser, which reads it without the event otherwise.
  socket.on('data', () => undefined).removeAllListeners('data');
}
