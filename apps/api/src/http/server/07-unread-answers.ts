import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '../../status/metrics.js';
import { hangUp } from './hang-up.js';

/** Most processes can spare this much. Answers that a client reads at the speed of a network leave the process at once. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/**
 * Bounds the bytes of answers that wait in the process because clients do not read them. Above `most`, the server resets
 * the connection that holds the most bytes; of equals, the one that has waited longest.
 */
export function limitUnreadAnswers(serve: RequestListener, metrics: Metrics, most = MAX_UNREAD_BYTES): RequestListener {
  const unread = new Map<Socket, number>();
  let total = 0;
  const forget = (socket: Socket) => {
    total -= unread.get(socket) ?? 0;
    unread.delete(socket);
  };

  return (request, response) => {
    const { socket } = request;
    response.once('close', () => forget(socket));
    // The answer is complete, and the kernel has taken what it could.
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
    serve(request, response);
  };
}

/** The first of equals. @param sizes not empty. */
function largestOf(sizes: ReadonlyMap<Socket, number>): Socket {
  return [...sizes].reduce((largest, each) => (each[1] > largest[1] ? each : largest))[0];
}
