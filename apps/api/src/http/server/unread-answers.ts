import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '../../status/metrics.js';
import { hangUp } from './hang-up.js';

/** Most processes can spare this much. Answers that a client reads at the speed of a network leave the process at once. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/**
 * Bounds the bytes of answers that wait in the process because clients do not read them. Above `most`, the process resets
 * the connection that holds the most; of equals, the one that has waited for the longest time.
 */
export function limitUnreadAnswers(serve: RequestListener, metrics: Metrics, most = MAX_UNREAD_BYTES): RequestListener {
  const held = new Map<Socket, number>();
  let total = 0;
  const release = (socket: Socket) => {
    total -= held.get(socket) ?? 0;
    held.delete(socket);
  };
  const hold = (socket: Socket, bytes: number) => {
    held.set(socket, bytes);
    total += bytes;
    while (total > most) {
      const [largest] = [...held].reduce((most, each) => (each[1] > most[1] ? each : most));
      release(largest);
      metrics.droppedConnections.inc({ reason: 'unread' });
      hangUp(largest);
    }
  };

  return (request, response) => {
    const { socket } = request;
    response.once('close', () => release(socket));
    // The answer is complete, and the kernel has taken what it could.
    response.once('prefinish', () => {
      if (socket.writableLength > 0 && !socket.destroyed) hold(socket, socket.writableLength);
    });
    serve(request, response);
  };
}
