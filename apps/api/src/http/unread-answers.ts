import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '../status/metrics.js';
import { hangUp } from './hang-up.js';

/** What most processes can spare. Answers that are read at the pace of a network leave the process at once. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/**
 * Bounds the bytes of answers that wait in the process because their clients do not read. Beyond `most`, the connection
 * that holds the most is hung up on; of equals, the one that has waited longest.
 */
export function limitUnreadAnswers(server: Server, metrics: Metrics, most = MAX_UNREAD_BYTES): void {
  const unread = new Map<Socket, number>();
  let total = 0;
  const forget = (socket: Socket) => {
    total -= unread.get(socket) ?? 0;
    unread.delete(socket);
  };

  // Before Fastify, which may make an answer at once.
  server.prependListener('request', ({ socket }, response) => {
    response.once('close', () => forget(socket));
    // The answer is made; the kernel has taken what it could.
    response.once('prefinish', () => {
      if (socket.writableLength === 0 || socket.destroyed) return;
      unread.set(socket, socket.writableLength);
      total += socket.writableLength;
      while (total > most) {
        const largest = largestOf(unread);
        forget(largest);
        metrics.droppedConnections.inc({ reason: 'unread' });
        hangUp(largest);
      }
    });
  });
}

/** The first of equals. @param sizes not empty. */
function largestOf(sizes: ReadonlyMap<Socket, number>): Socket {
  return [...sizes].reduce((largest, each) => (each[1] > largest[1] ? each : largest))[0];
}
