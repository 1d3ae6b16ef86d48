import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { hangUp } from './hang-up.js';

/**
 * Closes connections after their last answer as nginx's `lingering_close` does: the service ends its side, waits for the
 * client to end the other, and resets the connection when that takes longer than a request may. An ordinary close leaves
 * what the client does not read in the kernel, where no limit of the service reaches it.
 */
export function closeLingering(server: Server): void {
  server.on('connection', (socket: Socket) => {
    // Node calls this after the answer with `Connection: close`.
    socket.destroySoon = () => {
      if (socket.writableEnded || socket.destroyed) return;
      socket.end();
      // Without a reader, the end of the client's side is not seen.
      socket.resume();
      const timer = setTimeout(() => hangUp(socket), server.requestTimeout).unref();
      socket.once('close', () => clearTimeout(timer));
    };
  });
  // A connection on which nothing moves: the client may have stopped reading.
  server.on('timeout', hangUp);
}
